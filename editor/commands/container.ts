import { formatFlow } from '#engine/check';
import { FileInput, FileOutput, Group, Ungroup, Workflow } from 'lucide-react';
import type { Flow } from '#shared/flow.ts';
import type { Doc } from '../model/document/document.ts';
import { freshId, infoOf } from '../model/document/edit.ts';
import { nodeIn } from '../model/document/flat.ts';
import { titleOf } from '../model/document/geometry.ts';
import type * as Reshaping from '../model/document/reshape.ts';
import type { ReshapedDoc } from '../model/document/reshape.ts';
import { loadPatiently } from '../model/when-loaded.ts';
import { hasNodes } from './clipboard.ts';
import { collapseCommand, containers } from './collapse.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Commands on nodes with a body. */

/** References follow the nodes, which takes the language of expressions; it is large, so it is loaded only when needed. */
async function load({ actions }: Session) {
  const loaded = await loadPatiently(() => import('../model/document/reshape.ts')).catch(() => undefined);
  if (!loaded) actions.toast('The server cannot be reached, so nothing was changed. Try again.', 'error');
  return loaded;
}

/** Takes over a document of another shape as one step, and says what may differ, or why it cannot be. */
function take<T extends object>(
  { editor, ui, actions }: Session,
  label: string,
  reshaped: ReshapedDoc<T>,
  said: string,
): reshaped is Extract<ReshapedDoc<T>, { ok: true }> {
  if (!reshaped.ok) {
    actions.toast(reshaped.reason, 'error');
    return false;
  }
  const { doc, notes } = reshaped;
  editor.getState().commit(label, (draft) => {
    draft.flow = doc.flow;
    draft.layout = doc.layout;
  });
  ui.setState({ announcement: [said, ...notes].join('. ') });
  if (notes.length > 0) actions.toast(notes.join(' '));
  return true;
}

export const groupCommand = defineCommand({
  id: 'group',
  label: 'Group',
  words: ['container', 'frame', 'scope', 'try catch'],
  group: 'Node',
  edits: true,
  keys: ['Mod+G'],
  icon: Group,
  menu: ['node', 'selection'],
  enabled: hasNodes,
  run: async (session) => {
    const loaded = await load(session);
    const { doc, catalog, selectedNodes, select } = session.editor.getState();
    const wrapped = loaded?.wrap(doc, catalog, selectedNodes);
    if (wrapped && take(session, 'Group', wrapped, 'Grouped')) select([wrapped.container]);
  },
});

const isGroup = ({ editor }: Session, id: string): boolean =>
  nodeIn(editor.getState().doc.flow, id)?.operator === 'core.group';

export const ungroupCommand = defineCommand({
  id: 'ungroup',
  label: 'Ungroup',
  group: 'Node',
  edits: true,
  keys: ['Mod+Shift+G'],
  icon: Ungroup,
  menu: ['node'],
  enabled: (session) =>
    containers(session).some((id) => isGroup(session, id)) || 'Select a group first; loops have none.',
  run: async (session) => {
    const loaded = await load(session);
    const { doc, catalog, select } = session.editor.getState();
    const groups = containers(session).filter((id) => isGroup(session, id));
    const unwrapped = loaded?.unwrap(doc, catalog, groups);
    if (unwrapped && take(session, 'Ungroup', unwrapped, 'Ungrouped')) select(unwrapped.freed);
  },
});

/** The body of the selected node becomes a flow; other nodes are put into a group first, which then calls it. */
export const extractCommand = defineCommand({
  id: 'extract-flow',
  label: 'Extract to flow',
  words: ['subflow', 'sub-workflow', 'call a flow'],
  group: 'Node',
  edits: true,
  icon: FileOutput,
  menu: ['node', 'selection'],
  enabled: hasNodes,
  run: async (session) => {
    const loaded = await load(session);
    if (!loaded) return;
    const { catalog, select } = session.editor.getState();
    const body = bodyOf(session, loaded);
    const node = body.ok ? nodeIn(body.doc.flow, body.container) : undefined;
    if (!body.ok || !node) {
      session.actions.toast(body.ok ? 'There is no such node.' : body.reason, 'error');
      return;
    }
    const to = { id: newFlowId(session, body.container), name: titleOf(node, catalog) };
    const extracted = loaded.extract(body.doc, catalog, body.container, to);
    if (extracted.ok && !(await publishNew(session, extracted.called))) return;
    if (!take(session, 'Extract to flow', extracted, `Extracted to the flow ${to.id}`)) return;
    select([body.container]);
    session.actions.toast(
      `The nodes are now the flow “${to.name}” (${to.id}), which is called here.`,
      'success',
    );
  },
});

/** The container that becomes a flow: the selected one, or a group around the selected nodes. */
function bodyOf(
  { editor }: Session,
  { wrap }: typeof Reshaping,
): ReshapedDoc<{ readonly container: string }> {
  const { doc, catalog, selectedNodes } = editor.getState();
  const [only = ''] = selectedNodes;
  const isContainer = selectedNodes.size === 1 && nodeIn(doc.flow, only)?.body !== undefined;
  return isContainer ? { ok: true, doc, container: only, notes: [] } : wrap(doc, catalog, selectedNodes);
}

function newFlowId({ editor }: Session, container: string): string {
  const { doc, world } = editor.getState();
  const ids = [doc.flow.id, ...(world.flows ?? []).map(({ id }) => id)];
  const taken = Object.fromEntries(ids.map((id) => [id, true]));
  return freshId(taken, `${doc.flow.id.slice(0, 30)}_${container.slice(0, 24)}`);
}

/** The flow that is called must be live, so that a run of this one finds it. */
async function publishNew({ actions }: Session, { flow, layout }: Doc): Promise<boolean> {
  try {
    const api = await import('../api/flows.ts');
    const { revision } = await api.createFlow(flow.id, formatFlow(flow));
    await api.saveLayout(flow.id, layout);
    await api.publishFlow(flow.id, revision);
    return true;
  } catch (error) {
    actions.toast(`The flow could not be made: ${error instanceof Error ? error.message : ''}`, 'error');
    return false;
  }
}

/** The flow that the selected node calls; undefined if it calls none. */
function calledBy({ editor }: Session): { readonly node: string; readonly flow: string } | undefined {
  const { doc, catalog, selectedNodes } = editor.getState();
  const [node = ''] = selectedNodes;
  const found = selectedNodes.size === 1 ? nodeIn(doc.flow, node) : undefined;
  const flow = found && infoOf(catalog, found)?.body !== undefined ? found.params?.['flow'] : undefined;
  return typeof flow === 'string' && !flow.includes('{{') ? { node, flow } : undefined;
}

export const inlineCommand = defineCommand({
  id: 'inline-flow',
  label: 'Inline the called flow',
  group: 'Node',
  edits: true,
  icon: FileInput,
  menu: ['node'],
  enabled: (session) => calledBy(session) !== undefined || 'Select a node that calls a flow first.',
  run: async (session) => {
    const loaded = await load(session);
    const called = calledBy(session);
    if (!loaded || !called) return;
    const flow = await liveFlow(session, called.flow);
    const { doc, catalog } = session.editor.getState();
    if (flow)
      take(session, 'Inline', loaded.inline(doc, catalog, called.node, flow), `${called.flow} is inlined`);
  },
});

/** Opens the called flow on this canvas; the way back stands in the bar. */
export const openCalledCommand = defineCommand({
  id: 'open-called',
  label: 'Open the called flow',
  words: ['subflow', 'sub-workflow'],
  group: 'Node',
  icon: Workflow,
  menu: ['node'],
  enabled: (session) => calledBy(session) !== undefined || 'Select a node that calls a flow first.',
  run: (session) => {
    const called = calledBy(session);
    const within = new URLSearchParams(globalThis.location.search).get('within');
    const { id } = session.editor.getState().doc.flow;
    const way = within === null ? id : `${within},${id}`;
    if (called) session.actions.goTo(`/flows/${called.flow}?within=${way}`);
  },
});

/** A called flow as it runs: its live version. */
async function liveFlow({ actions }: Session, id: string): Promise<Flow | undefined> {
  try {
    const api = await import('../api/flows.ts');
    const { flow, version, hasDraft } = await api.getFlow(id);
    if (!hasDraft || version === undefined) return flow;
    return JSON.parse(await api.getVersionText(id, version)) as Flow;
  } catch (error) {
    actions.toast(`The flow could not be loaded: ${error instanceof Error ? error.message : ''}`, 'error');
    return undefined;
  }
}

export const containerCommands: readonly Command[] = [
  collapseCommand,
  groupCommand,
  ungroupCommand,
  extractCommand,
  inlineCommand,
  openCalledCommand,
];
