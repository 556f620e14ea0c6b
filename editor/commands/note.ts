import { StickyNote } from 'lucide-react';
import { addNote } from '../model/document/notes.ts';
import { middleOf } from '../model/drawing/viewport.ts';
import { defineCommand } from './command.ts';
import { revealNote } from './view.ts';

export const addNoteCommand = defineCommand({
  id: 'add-note',
  label: 'Add a note',
  group: 'Edit',
  edits: true,
  keys: ['Shift+S'],
  icon: StickyNote,
  menu: ['canvas'],
  run: (session) => {
    const { editor, ui } = session;
    const { pointer, viewport, canvas } = ui.getState();
    let id = '';
    editor.getState().commit('Add a note', (draft) => {
      id = addNote(draft, pointer ?? middleOf(viewport, canvas));
    });
    editor.getState().select([], [], [id]);
    revealNote(session, id);
  },
});
