import { ChevronsDownUp, FileInput, FileOutput, Group, Ungroup } from 'lucide-react';
import type { Flow } from '#shared/flow.ts';
import type { Doc } from '../model/document/document.ts';
import { freshId, infoOf } from '../model/document/edit.ts';
import { flatFlow, nodeIn } from '../model/document/flat.ts';
import { isCollapsed } from '../model/document/frames.ts';
import { titleOf } from '../model/document/geometry.ts';
import type { ReshapedDoc } from '../model/document/reshape.ts';
import { loadPatiently } from '../model/when-loaded.ts';
import { hasNodes } from './clipboard.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Commands on nodes with a body. */
const containers = ({ editor }: Session): string[] => {
  const { doc, selectedNodes } = editor.getState();
  const { nodes } = flatFlow(doc.flow);
  return [...selectedNodes].filter((id) => nodes[id]?.body !== undefined);
};

const hasContainer = (session: Session): true | string =>
  containers(session).length > 0 || 'Select a node that holds other nodes first.';

export const collapseCommand = defineCommand({
  id: 'collapse',
  label: 'Collapse or expand',
  group: 'Node',
  edits: true,
  keys: ['Shift+C'],
  icon: ChevronsDownUp,
  menu: ['node'],
  enabled: hasContainer,
  run: (session) => {
    const { doc, commit } = session.editor.getState();
    const ids = containers(session);
    const expand = ids.every((id) => isCollapsed(doc.layout, id));
    commit(expand ? 'Expand' : 'Collapse', (draft) => {
      for (const id of ids) {
        const place = draft.layout.nodes[id];
        if (!place) continue;
        if (expand) delete place.collapsed;
        else place.collapsed = true;
      }
    });
    session.ui.setState({ announcement: expand ? 'Expanded' : 'Collapsed' });
  },
});

/** The language of expressions is large, and references follow the nodes. */
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
    const { doc, catalog, world, selectedNodes, select } = session.editor.getState();
    const [only, ...others] = selectedNodes;
    const isOne = only !== undefined && others.length === 0 && nodeIn(doc.flow, only)?.body !== undefined;
    const wrapped = isOne
      ? { ok: true as const, doc, container: only, notes: [] }
      : loaded.wrap(doc, catalog, selectedNodes);
    const node = wrapped.ok ? nodeIn(wrapped.doc.flow, wrapped.container) : undefined;
    if (!wrapped.ok || !node) {
      if (!wrapped.ok) session.actions.toast(wrapped.reason, 'error');
      return;
    }
    const taken = Object.fromEntries([...(world.flows ?? []).map(({ id }) => [id, true]), [doc.flow.id, true]]);
    const id = freshId(taken, `${doc.flow.id.slice(0, 30)}_${wrapped.container.slice(0, 24)}`);
    const to = { id, name: titleOf(node, catalog) };
    const extracted = loaded.extract(wrapped.doc, catalog, wrapped.container, to);
    if (extracted.ok && !(await publishNew(session, extracted.called))) return;
    if (!take(session, 'Extract to flow', extracted, `Extracted to the flow ${id}`)) return;
    select([wrapped.container]);
    session.actions.toast(`The nodes are now the flow “${to.name}” (${id}), which is called here.`, 'success');
  },
});

/** The flow that is called must be live, so that a run of this one finds it. */
async function publishNew({ actions }: Session, { flow, layout }: Doc): Promise<boolean> {
  try {
    const [api, { formatFlow }] = await Promise.all([import('../api/flows.ts'), import('#engine/check')]);
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
    if (flow) take(session, 'Inline', loaded.inline(doc, catalog, called.node, flow), `${called.flow} is inlined`);
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
];
