import { Trash2 } from 'lucide-react';
import { edgeId } from '../model/document/document.ts';
import { removeAndBridge, removeEdges, removeNodes } from '../model/document/edit.ts';
import { removeNotes } from '../model/document/notes.ts';
import { clipboardCommands, hasNodes } from './clipboard.ts';
import { type Command, defineCommand, type Session } from './command.ts';
import { flatFlow, isStart } from '../model/document/flat.ts';
import { redoCommand, undoCommand } from './undo.ts';

/** Undo, deletion, selection. */

const hasSelection = ({ editor }: Session): true | string => {
  const { selectedNodes, selectedEdges, selectedNotes } = editor.getState();
  const count = selectedNodes.size + selectedEdges.size + selectedNotes.size;
  return count > 0 || 'Select a node, an edge or a note first.';
};

/** The start of a body is deleted with its frame. */
const isDeletable = ({ editor }: Session): true | string => {
  const { doc, selectedNodes, selectedEdges, selectedNotes } = editor.getState();
  if (selectedEdges.size + selectedNotes.size > 0) return true;
  const { nodes } = flatFlow(doc.flow);
  return [...selectedNodes].some((id) => !isStart(nodes[id])) || 'The start of a frame goes with its frame.';
};

export const deleteCommand = defineCommand({
  id: 'delete',
  label: 'Delete',
  group: 'Edit',
  edits: true,
  keys: ['Delete', 'Backspace'],
  icon: Trash2,
  menu: ['node', 'edge', 'selection'],
  enabled: (session) => (hasSelection(session) === true ? isDeletable(session) : hasSelection(session)),
  run: ({ editor }) => {
    const { selectedNodes, selectedEdges, selectedNotes, commit } = editor.getState();
    const count = selectedNodes.size + selectedEdges.size + selectedNotes.size;
    commit(count === 1 ? 'Delete' : `Delete ${count} items`, (draft) => {
      removeEdges(draft, selectedEdges);
      removeNodes(draft, selectedNodes);
      removeNotes(draft, selectedNotes);
    });
  },
});

export const deleteAndBridgeCommand = defineCommand({
  id: 'delete-and-bridge',
  label: 'Delete and connect neighbours',
  group: 'Edit',
  edits: true,
  keys: ['Mod+Delete', 'Mod+Backspace'],
  menu: ['node'],
  enabled: hasNodes,
  run: ({ editor }) => {
    const { selectedNodes, commit } = editor.getState();
    commit('Delete and connect neighbours', (draft) => {
      for (const id of selectedNodes) removeAndBridge(draft, id);
    });
  },
});

export const selectAllCommand = defineCommand({
  id: 'select-all',
  label: 'Select all',
  group: 'Edit',
  keys: ['Mod+A'],
  menu: ['canvas'],
  run: ({ editor }) => {
    const { doc, select } = editor.getState();
    const notes = (doc.layout.notes ?? []).map((note) => note.id);
    const { nodes, edges } = flatFlow(doc.flow);
    select(Object.keys(nodes), edges.map(edgeId), notes);
  },
});

export const editCommands: readonly Command[] = [
  undoCommand,
  redoCommand,
  ...clipboardCommands,
  deleteCommand,
  deleteAndBridgeCommand,
  selectAllCommand,
];
