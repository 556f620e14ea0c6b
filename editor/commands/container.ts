import { ChevronsDownUp, Group, Ungroup } from 'lucide-react';
import { flatFlow, nodeIn } from '../model/document/flat.ts';
import { isCollapsed } from '../model/document/frames.ts';
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
  const loaded = await loadPatiently(() => import('../model/document/group.ts')).catch(() => undefined);
  if (!loaded) actions.toast('The server cannot be reached, so nothing was changed. Try again.', 'error');
  return loaded;
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
    if (!loaded) return;
    const { doc, catalog, selectedNodes, commit, select } = session.editor.getState();
    const grouping = loaded.groupingOf(doc, catalog, selectedNodes);
    if (typeof grouping === 'string') {
      session.actions.toast(grouping, 'error');
      return;
    }
    let id = '';
    commit('Group', (draft) => {
      id = loaded.group(draft, catalog, grouping);
    });
    select([id]);
    session.ui.setState({ announcement: `${grouping.ids.length} node(s) grouped` });
  },
});

export const ungroupCommand = defineCommand({
  id: 'ungroup',
  label: 'Ungroup',
  group: 'Node',
  edits: true,
  keys: ['Mod+Shift+G'],
  icon: Ungroup,
  menu: ['node'],
  enabled: (session) =>
    containers(session).some(
      (id) => nodeIn(session.editor.getState().doc.flow, id)?.operator === 'core.group',
    ) || 'Select a group first.',
  run: async (session) => {
    const loaded = await load(session);
    if (!loaded) return;
    const { doc, catalog, commit, select } = session.editor.getState();
    const ids = containers(session);
    const reason = ids
      .map((id) => loaded.whyNotDissolve(doc, catalog, id))
      .find((text) => text !== undefined);
    if (reason !== undefined) {
      session.actions.toast(reason, 'error');
      return;
    }
    const freed: string[] = [];
    commit('Ungroup', (draft) => {
      for (const id of ids) freed.push(...loaded.dissolve(draft, catalog, id));
    });
    select(freed);
    session.ui.setState({ announcement: `Ungrouped: ${freed.length} node(s)` });
  },
});

export const containerCommands: readonly Command[] = [collapseCommand, groupCommand, ungroupCommand];
