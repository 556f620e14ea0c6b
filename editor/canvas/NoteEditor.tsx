import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Note } from '../model/document/notes.ts';

/** The note's Markdown as text; leaving the field saves it as one step. */
export function NoteEditor({ note, onDone }: { note: Note; onDone(text: string): void }) {
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
