import type { NodeProps } from '@xyflow/react';
import { type KeyboardEvent, lazy, memo, useEffect, useRef, useState } from 'react';
import { changeNote, type Note, NOTE_MIN, noteColor, type NoteColor } from '../model/document/notes.ts';
import type { NoteCanvasNode } from '../model/drawing/project.ts';
import { Beside } from '../session/Part.tsx';
import { useIsPast, useSession } from '../session/session.tsx';
import { cx } from '../ui/cx.ts';
import { useCanvas, useCanvasStore } from './canvas-store.ts';
import { NoteTools } from './NoteTools.tsx';
import { NodeResizer } from './parts.tsx';

const MarkdownText = lazy(() => import('../ui/MarkdownText.tsx'));

/** The colours of notes as tokens, so that they fit both themes. */
const noteLooks: Readonly<Record<NoteColor, string>> = {
  yellow: 'bg-warn-soft border-warn/40',
  blue: 'bg-busy-soft border-busy/40',
  green: 'bg-ok-soft border-ok/40',
  red: 'bg-bad-soft border-bad/40',
  grey: 'bg-surface-3 border-line-strong/40',
};

/** A sticky note: Markdown, edited in place, resized by its corners, in one of a few colours. */
export const NoteNode = memo(function NoteNode({ data: { note }, selected }: NodeProps<NoteCanvasNode>) {
  const { editor } = useSession();
  const canvas = useCanvasStore();
  const isPast = useIsPast();
  const isEditing = useCanvas((s) => s.editingNote === note.id);
  const isDrawn = useCanvas((s) => s.far);
  const save = (text: string) => {
    canvas.setState({ editingNote: undefined });
    editor.getState().commit('Edit note', (draft) => changeNote(draft, note.id, { text }));
  };
  return (
    <>
      {selected && !isPast && (
        <Beside>
          <NodeResizer minWidth={NOTE_MIN.width} minHeight={NOTE_MIN.height} />
        </Beside>
      )}
      {selected && !isEditing && !isPast && <NoteTools note={note} />}
      <div
        className={cx(
          'h-full w-full overflow-hidden rounded-lg border',
          isDrawn && !isEditing ? 'border-transparent' : noteLooks[noteColor(note)],
        )}
      >
        {isEditing ? <NoteEditor note={note} onDone={save} /> : <NoteBody note={note} />}
      </div>
    </>
  );
});

function NoteBody({ note }: { note: Note }) {
  if (note.text.trim() === '') {
    return <p className="p-2.5 text-text-2">Double-click to write. Markdown works.</p>;
  }
  return (
    <div className="nowheel h-full overflow-auto p-2.5">
      <Beside fallback={<p className="whitespace-pre-wrap">{note.text}</p>}>
        <MarkdownText text={note.text} />
      </Beside>
    </div>
  );
}

/** The note's Markdown as text; leaving the field saves it as one step. */
function NoteEditor({ note, onDone }: { note: Note; onDone(text: string): void }) {
  const [text, setText] = useState(note.text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const isDone = event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey));
    if (!isDone) return;
    event.preventDefault();
    const node = field.current?.closest<HTMLElement>('.react-flow__node');
    onDone(text);
    node?.focus({ preventScroll: true });
  };
  return (
    <textarea
      ref={field}
      aria-label="Text of the note, in Markdown"
      value={text}
      maxLength={20_000}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => onDone(text)}
      onKeyDown={onKeyDown}
      className="nodrag nowheel nopan block h-full w-full resize-none bg-transparent p-2.5 font-mono text-xs leading-4.5 -outline-offset-2"
    />
  );
}
