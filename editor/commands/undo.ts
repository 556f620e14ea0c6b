import { Redo2, Undo2 } from 'lucide-react';
import { defineCommand } from './command.ts';

/** The history of edits. */

export const undoCommand = defineCommand({
  id: 'undo',
  label: 'Undo',
  group: 'Edit',
  edits: true,
  keys: ['Mod+Z'],
  icon: Undo2,
  enabled: ({ editor }) => editor.getState().history.past.length > 0 || 'There is nothing to undo.',
  run: ({ editor, ui }) => {
    const label = editor.getState().history.past.at(-1)?.label;
    editor.getState().undo();
    if (label) ui.setState({ announcement: `Undone: ${label}` });
  },
});

export const redoCommand = defineCommand({
  id: 'redo',
  label: 'Redo',
  group: 'Edit',
  edits: true,
  keys: ['Mod+Shift+Z', 'Ctrl+Y'],
  icon: Redo2,
  enabled: ({ editor }) => editor.getState().history.future.length > 0 || 'There is nothing to redo.',
  run: ({ editor }) => editor.getState().redo(),
});
