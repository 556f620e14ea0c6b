import { NodeToolbar } from '@xyflow/react';
import { Pencil, Trash2 } from 'lucide-react';
import { changeNote, type Note, noteColor, removeNotes } from '../model/document/notes.ts';
import { useSession } from '../session/session.tsx';
import { ColorChoice } from '../ui/ColorChoice.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { useCanvasStore } from './canvas-store.ts';

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
      <ColorChoice
        value={noteColor(note)}
        isNeeded
        onChange={(color) => commit('Colour of the note', (draft) => changeNote(draft, note.id, { color }))}
      />
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
