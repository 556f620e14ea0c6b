import { NodeToolbar } from '@xyflow/react';
import { Pencil, Trash2 } from 'lucide-react';
import { changeNote, NOTE_COLORS, type Note, noteColor, removeNotes } from '../model/document/notes.ts';
import { useSession } from '../session/session.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { useCanvasStore } from './canvas-store.ts';
import { noteLooks } from './note-looks.ts';

/** Tools above a selected note, the same size at any zoom: its colour, edit, delete. */
export function NoteTools({ note }: { note: Note }) {
  const { editor } = useSession();
  const canvas = useCanvasStore();
  const { commit } = editor.getState();
  return (
    <NodeToolbar
      isVisible
      align="start"
      role="toolbar"
      aria-label="Note"
      className="nodrag nopan flex items-center gap-0.5 rounded-md border border-line bg-surface p-0.5 shadow-sm"
    >
      {NOTE_COLORS.map((color) => (
        <button
          key={color}
          type="button"
          title={color}
          aria-label={`Colour ${color}`}
          aria-pressed={noteColor(note) === color}
          onClick={() => commit('Colour of the note', (draft) => changeNote(draft, note.id, { color }))}
          className="inline-flex size-6 items-center justify-center rounded hover:bg-surface-3 aria-pressed:bg-surface-3"
        >
          <span
            className={cx(
              'size-3.5 rounded-full border',
              noteLooks[color].dot,
              noteColor(note) === color && 'ring-2 ring-text ring-offset-1 ring-offset-surface',
            )}
          />
        </button>
      ))}
      <IconButton
        size="sm"
        side="top"
        icon={Pencil}
        label="Edit the note"
        onClick={() => canvas.setState({ editingNote: note.id })}
      />
      <IconButton
        size="sm"
        side="top"
        tone="bad"
        icon={Trash2}
        label="Delete the note"
        onClick={() => commit('Delete note', (draft) => removeNotes(draft, new Set([note.id])))}
      />
    </NodeToolbar>
  );
}
