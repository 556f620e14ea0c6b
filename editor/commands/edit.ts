import { edgeId } from '../model/document.ts';
import { copyNodes, pasteNodes, readClip } from '../model/clipboard.ts';
import { removeAndBridge, removeEdges, removeNodes } from '../model/edit.ts';
import { removeNotes } from '../model/notes.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Undo, clipboard, deletion, selection. */
const hasSelection = ({ editor }: Session): true | string => {
  const { selectedNodes, selectedEdges, selectedNotes } = editor.getState();
  const count = selectedNodes.size + selectedEdges.size + selectedNotes.size;
  return count > 0 || 'Select a node, an edge or a note first.';
};

const hasNodes = ({ editor }: Session): true | string =>
  editor.getState().selectedNodes.size > 0 || 'Select a node first.';

export const undoCommand = defineCommand({
  id: 'undo',
  label: 'Undo',
  group: 'Edit',
  edits: true,
  keys: ['Mod+Z'],
  icon: 'undo-2',
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
  icon: 'redo-2',
  enabled: ({ editor }) => editor.getState().history.future.length > 0 || 'There is nothing to redo.',
  run: ({ editor }) => editor.getState().redo(),
});

async function copy({ editor, actions }: Session): Promise<number> {
  const { doc, selectedNodes } = editor.getState();
  await actions.writeClipboard(JSON.stringify(copyNodes(doc, selectedNodes), null, 2));
  return selectedNodes.size;
}

export const copyCommand = defineCommand({
  id: 'copy',
  label: 'Copy',
  group: 'Edit',
  keys: ['Mod+C'],
  icon: 'copy',
  menu: ['node', 'selection'],
  enabled: hasNodes,
  run: async (session) => {
    const count = await copy(session);
    session.ui.setState({ announcement: `${count} node(s) copied` });
  },
});

export const cutCommand = defineCommand({
  id: 'cut',
  label: 'Cut',
  group: 'Edit',
  edits: true,
  keys: ['Mod+X'],
  icon: 'scissors',
  menu: ['node', 'selection'],
  enabled: hasNodes,
  run: async (session) => {
    const chosen = [...session.editor.getState().selectedNodes];
    await copy(session);
    session.editor.getState().commit('Cut', (draft) => removeNodes(draft, chosen));
  },
});

/** Pastes JSON text; also called by the paste event, which brings the text without asking for permission. */
export function pasteText(session: Session, text: string): boolean {
  const clip = readClip(text);
  if (!clip) return false;
  const { editor, ui } = session;
  const { pointer, viewport, canvas } = ui.getState();
  const middle = {
    x: (canvas.width / 2 - viewport.x) / viewport.zoom,
    y: (canvas.height / 2 - viewport.y) / viewport.zoom,
  };
  let ids: string[] = [];
  editor.getState().commit('Paste', (draft) => {
    ids = pasteNodes(draft, clip, pointer ?? middle);
  });
  editor.getState().select(ids);
  return true;
}

export const pasteCommand = defineCommand({
  id: 'paste',
  label: 'Paste',
  group: 'Edit',
  edits: true,
  keys: ['Mod+V'],
  icon: 'clipboard-paste',
  menu: ['canvas'],
  run: async (session) => {
    if (!pasteText(session, await session.actions.readClipboard())) {
      session.actions.toast('The clipboard holds no nodes of a flow.', 'error');
    }
  },
});

export const duplicateCommand = defineCommand({
  id: 'duplicate',
  label: 'Duplicate',
  group: 'Edit',
  edits: true,
  keys: ['Mod+D'],
  icon: 'copy-plus',
  menu: ['node', 'selection'],
  enabled: hasNodes,
  run: ({ editor }) => {
    const { doc, selectedNodes, commit } = editor.getState();
    const clip = copyNodes(doc, selectedNodes);
    const places = Object.values(clip.places);
    const middle = {
      x: (Math.min(...places.map((p) => p.x)) + Math.max(...places.map((p) => p.x))) / 2 + 30,
      y: (Math.min(...places.map((p) => p.y)) + Math.max(...places.map((p) => p.y))) / 2 + 30,
    };
    let ids: string[] = [];
    commit('Duplicate', (draft) => {
      ids = pasteNodes(draft, clip, middle);
    });
    editor.getState().select(ids);
  },
});

export const deleteCommand = defineCommand({
  id: 'delete',
  label: 'Delete',
  group: 'Edit',
  edits: true,
  keys: ['Delete', 'Backspace'],
  icon: 'trash-2',
  menu: ['node', 'edge', 'selection'],
  enabled: hasSelection,
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
    select(Object.keys(doc.flow.nodes), doc.flow.edges.map(edgeId), notes);
  },
});

export const editCommands: readonly Command[] = [
  undoCommand,
  redoCommand,
  copyCommand,
  cutCommand,
  pasteCommand,
  duplicateCommand,
  deleteCommand,
  deleteAndBridgeCommand,
  selectAllCommand,
];
