import { ChevronsDownUp } from 'lucide-react';
import { flatFlow } from '../model/document/flat.ts';
import { isCollapsed } from '../model/document/frames.ts';
import { defineCommand, type Session } from './command.ts';

/** The selected nodes with a body. */
export const containers = ({ editor }: Session): string[] => {
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
