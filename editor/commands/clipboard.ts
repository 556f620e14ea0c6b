import { ClipboardPaste, Copy, CopyPlus, Scissors } from 'lucide-react';
import { MAX_BODY_DEPTH } from '#shared/flow.ts';
import { type Clip, copyNodes, readClip } from '../model/document/clipboard.ts';
import type { Point } from '../model/document/document.ts';
import { infoOf, removeNodes } from '../model/document/edit.ts';
import { depthOf, holderOf, holdersOf } from '../model/document/flat.ts';
import { frameAt } from '../model/document/frames.ts';
import { loadPatiently } from '../model/when-loaded.ts';
import { type Command, defineCommand, type Session } from './command.ts';

export { readClip };

/** Copying, cutting, pasting, duplicating. */

/** True if a node is selected; otherwise a text says so. */
export const hasNodes = ({ editor }: Session): true | string =>
  editor.getState().selectedNodes.size > 0 || 'Select a node first.';

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
  icon: Copy,
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
  icon: Scissors,
  menu: ['node', 'selection'],
  enabled: hasNodes,
  run: async (session) => {
    const chosen = [...session.editor.getState().selectedNodes];
    await copy(session);
    session.editor.getState().commit('Cut', (draft) => removeNodes(draft, chosen));
  },
});

/** Puts copied nodes at the pointer, or in the middle of the view, and selects them. */
export function pasteClip(session: Session, clip: Clip): Promise<void> {
  const { pointer, viewport, canvas } = session.ui.getState();
  const middle = {
    x: (canvas.width / 2 - viewport.x) / viewport.zoom,
    y: (canvas.height / 2 - viewport.y) / viewport.zoom,
  };
  const at = pointer ?? middle;
  return place(session, 'Paste', { clip, at, holder: holderFor(session, clip, at) });
}

/** What is put into a frame belongs to its body, except for what only a whole flow has. */
function holderFor({ editor }: Session, { nodes }: Clip, at: Point): string | undefined {
  const { doc, catalog } = editor.getState();
  const isOfFlow = Object.values(nodes).some((node) => {
    const info = infoOf(catalog, node);
    return info?.trigger === true || info?.respond === true;
  });
  const holder = isOfFlow ? undefined : frameAt(doc, catalog, at);
  if (holder === undefined) return undefined;
  const levels = holdersOf(doc.flow, holder).length + 1 + depthOf(nodes);
  return levels > MAX_BODY_DEPTH ? undefined : holder;
}

/** Pastes copied nodes, or what another text becomes; says why it becomes nothing. */
export async function pasteText(session: Session, text: string): Promise<void> {
  const clip = readClip(text);
  if (clip) return pasteClip(session, clip);
  if (text.includes('"connections"') && (await pasteForeign(session, text))) return;
  const { actions, editor, ui } = session;
  const loaded = await loadPatiently(() => import('../model/document/paste-text.ts')).catch(() => undefined);
  const read = loaded?.readText(text, editor.getState().catalog) ?? AWAY;
  if (typeof read === 'string') return actions.toast(read, 'error');
  await pasteClip(session, read.clip);
  ui.setState({ announcement: `Pasted ${read.what}` });
  if (read.notes.length > 0) actions.toast(`Pasted ${read.what}. ${read.notes.join(' ')}`);
}

/** Nodes of another product, such as those that n8n copies, as what they become here; false if the text is no such thing. */
async function pasteForeign(session: Session, text: string): Promise<boolean> {
  const { isForeign, importFilesOf } = await import('../api/imports.ts');
  const file = { name: 'pasted.json', text };
  if (!isForeign(file)) return false;
  try {
    const { imports } = await importFilesOf([file], { save: false, open: false });
    const [first] = imports;
    const draft = first?.drafts[0];
    if (!first || !draft) return false;
    const { product, counts, changes } = first.report;
    await pasteClip(session, copyNodes(draft, new Set(Object.keys(draft.flow.nodes))));
    const lost = changes.filter(({ effect }) => effect === 'lost').length + (counts.placeholder ?? 0);
    const notes = lost === 0 ? '' : ` ${lost} of its parts have to be done by hand.`;
    session.actions.toast(`Pasted nodes of ${product}.${notes}`);
  } catch (error) {
    session.actions.toast(error instanceof Error ? error.message : AWAY, 'error');
  }
  return true;
}

const AWAY = 'The server cannot be reached, so nothing could be pasted. Try again.';

async function place(
  { editor, actions }: Session,
  label: string,
  { clip, at, holder }: { clip: Clip; at: Point; holder: string | undefined },
): Promise<void> {
  const loaded = await loadPatiently(() => import('../model/document/paste.ts')).catch(() => undefined);
  if (!loaded) {
    actions.toast(AWAY, 'error');
    return;
  }
  let ids: string[] = [];
  editor.getState().commit(label, (draft) => {
    ids = loaded.pasteNodes(draft, clip, at, holder);
  });
  editor.getState().select(ids);
}

export const pasteCommand = defineCommand({
  id: 'paste',
  label: 'Paste',
  group: 'Edit',
  edits: true,
  keys: ['Mod+V'],
  icon: ClipboardPaste,
  menu: ['canvas'],
  run: async (session) => pasteText(session, await session.actions.readClipboard()),
});

export const duplicateCommand = defineCommand({
  id: 'duplicate',
  label: 'Duplicate',
  group: 'Edit',
  edits: true,
  keys: ['Mod+D'],
  icon: CopyPlus,
  menu: ['node', 'selection'],
  enabled: hasNodes,
  run: (session) => {
    const { doc, selectedNodes } = session.editor.getState();
    const clip = copyNodes(doc, selectedNodes);
    const places = Object.keys(clip.nodes).flatMap((id) => clip.places[id] ?? []);
    const at = {
      x: (Math.min(...places.map((p) => p.x)) + Math.max(...places.map((p) => p.x))) / 2 + 30,
      y: (Math.min(...places.map((p) => p.y)) + Math.max(...places.map((p) => p.y))) / 2 + 30,
    };
    const holders = new Set(Object.keys(clip.nodes).map((id) => holderOf(doc.flow, id)));
    const [holder] = holders;
    return place(session, 'Duplicate', { clip, at, holder: holders.size === 1 ? holder : undefined });
  },
});

export const clipboardCommands: readonly Command[] = [
  copyCommand,
  cutCommand,
  pasteCommand,
  duplicateCommand,
];
