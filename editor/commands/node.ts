import { Link, PencilLine, Power } from 'lucide-react';
import { moveNodes } from '../model/document/edit.ts';
import {
  type Direction,
  firstNode,
  neighbourOf,
  STEPS,
  withDownstream,
  withUpstream,
} from '../model/document/neighbours.ts';
import { changeNote } from '../model/document/notes.ts';
import { type Command, defineCommand, type Session } from './command.ts';
import { addNoteCommand } from './note.ts';
import { hasOneNode, openNodeCommand } from './open-node.ts';
import { swapCommand } from './swap.ts';
import { revealNodes } from './view.ts';
import { flatFlow, graphOf, idsWithin, nodeIn, outermost } from '../model/document/flat.ts';
import { watchCommand } from './watch.ts';

/** Commands on selected nodes: move, walk, disable, rename, connect, open. */

/** In units of the flow. */
const NUDGE = 10;
const FAR = 50;

const hasNodes = ({ editor }: Session): true | string =>
  editor.getState().selectedNodes.size > 0 || 'Select a node first.';

const hasMovable = ({ editor }: Session): true | string => {
  const { selectedNodes, selectedNotes } = editor.getState();
  return selectedNodes.size + selectedNotes.size > 0 || 'Select a node first.';
};

/** Moves the selection; presses in quick succession are one step. */
function nudge({ editor }: Session, direction: Direction, distance: number): void {
  const { doc, selectedNodes, selectedNotes, commit } = editor.getState();
  const step = STEPS[direction];
  const moved = (at: { x: number; y: number }) => ({
    x: at.x + step.x * distance,
    y: at.y + step.y * distance,
  });
  const { nodes } = flatFlow(doc.flow);
  const all = new Set(
    outermost(doc.flow, selectedNodes).flatMap((id) => [id, ...idsWithin(nodes[id] ?? {})]),
  );
  const places = [...all].map((id) => [id, moved(doc.layout.nodes[id] ?? { x: 0, y: 0 })] as const);
  const notes = (doc.layout.notes ?? []).filter((note) => selectedNotes.has(note.id));
  commit(
    'Move',
    (draft) => {
      moveNodes(draft, Object.fromEntries(places));
      for (const note of notes) changeNote(draft, note.id, moved(note));
    },
    `nudge ${[...selectedNodes, ...selectedNotes].join(' ')}`,
  );
}

const ARROWS: Readonly<Record<Direction, string>> = {
  left: 'ArrowLeft',
  right: 'ArrowRight',
  up: 'ArrowUp',
  down: 'ArrowDown',
};
const DIRECTIONS = Object.keys(ARROWS) as Direction[];

const nudgeCommands = DIRECTIONS.map((direction) =>
  defineCommand({
    id: `nudge-${direction}`,
    label: `Move ${direction}`,
    group: 'Node',
    edits: true,
    keys: [ARROWS[direction]],
    hidden: true,
    enabled: hasMovable,
    run: (session) => nudge(session, direction, NUDGE),
  }),
);

/** Shift+Left and Shift+Right select along the edges, so the long step sideways uses Mod. */
const nudgeFarCommands = DIRECTIONS.map((direction) =>
  defineCommand({
    id: `nudge-far-${direction}`,
    label: `Move far ${direction}`,
    group: 'Node',
    edits: true,
    keys: [
      `Mod+${ARROWS[direction]}`,
      ...(direction === 'up' || direction === 'down' ? [`Shift+${ARROWS[direction]}`] : []),
    ],
    hidden: true,
    enabled: hasMovable,
    run: (session) => nudge(session, direction, FAR),
  }),
);

const goCommands = DIRECTIONS.map((direction) =>
  defineCommand({
    id: `go-${direction}`,
    label: `Go to the node ${direction === 'up' || direction === 'down' ? `further ${direction}` : `to the ${direction}`}`,
    group: 'Node',
    keys: [`Alt+${ARROWS[direction]}`],
    hidden: true,
    run: (session) => {
      const { doc, selectedNodes, select } = session.editor.getState();
      const from = [...selectedNodes].at(-1);
      const to = from === undefined ? firstNode(doc) : neighbourOf(doc, from, direction);
      if (to === undefined) {
        session.ui.setState({ announcement: 'There is no node in this direction' });
        return;
      }
      select([to]);
      revealNodes(session, [to]);
    },
  }),
);

export const selectUpstreamCommand = defineCommand({
  id: 'select-upstream',
  label: 'Select everything before',
  group: 'Node',
  keys: ['Shift+ArrowLeft'],
  menu: ['node'],
  enabled: hasNodes,
  run: ({ editor, ui }) => {
    const { doc, selectedNodes, select } = editor.getState();
    const all = withUpstream(doc, selectedNodes);
    select(all);
    ui.setState({ announcement: `${all.size} nodes selected` });
  },
});

export const selectDownstreamCommand = defineCommand({
  id: 'select-downstream',
  label: 'Select everything after',
  group: 'Node',
  keys: ['Shift+ArrowRight'],
  menu: ['node'],
  enabled: hasNodes,
  run: ({ editor, ui }) => {
    const { doc, selectedNodes, select } = editor.getState();
    const all = withDownstream(doc, selectedNodes);
    select(all);
    ui.setState({ announcement: `${all.size} nodes selected` });
  },
});

export const clearSelectionCommand = defineCommand({
  id: 'clear-selection',
  label: 'Clear the selection',
  group: 'Edit',
  keys: ['Escape'],
  hidden: true,
  enabled: ({ editor }) => {
    const { selectedNodes, selectedEdges, selectedNotes } = editor.getState();
    return selectedNodes.size + selectedEdges.size + selectedNotes.size > 0 || 'Nothing is selected.';
  },
  run: ({ editor }) => editor.getState().select([]),
});

export const renameNodeCommand = defineCommand({
  id: 'rename-node',
  label: 'Rename…',
  group: 'Node',
  edits: true,
  keys: ['F2'],
  icon: PencilLine,
  menu: ['node'],
  enabled: hasOneNode,
  run: ({ editor, ui }) => {
    const [node = ''] = editor.getState().selectedNodes;
    ui.setState({ overlay: { kind: 'rename', node } });
  },
});

/** Disables all selected nodes, or enables them if all are disabled. */
export const toggleDisabledCommand = defineCommand({
  id: 'toggle-disabled',
  label: 'Disable or enable',
  group: 'Node',
  edits: true,
  keys: ['D', 'Mod+M'],
  icon: Power,
  menu: ['node', 'selection'],
  enabled: hasNodes,
  run: ({ editor, ui }) => {
    const { doc, selectedNodes, commit } = editor.getState();
    const enable = [...selectedNodes].every((id) => nodeIn(doc.flow, id)?.disabled);
    commit(enable ? 'Enable' : 'Disable', (draft) => {
      for (const id of selectedNodes) {
        const node = graphOf(draft.flow, id)?.nodes[id];
        if (!node) continue;
        if (enable) delete node.disabled;
        else node.disabled = true;
      }
    });
    ui.setState({ announcement: `${selectedNodes.size} node(s) ${enable ? 'enabled' : 'disabled'}` });
  },
});

export const connectNodeCommand = defineCommand({
  id: 'connect-node',
  label: 'Connect…',
  group: 'Node',
  edits: true,
  keys: ['C'],
  icon: Link,
  menu: ['node'],
  enabled: hasOneNode,
  run: ({ editor, ui }) => {
    const [node = ''] = editor.getState().selectedNodes;
    ui.setState({ overlay: { kind: 'connect', node } });
  },
});

export const nodeCommands: readonly Command[] = [
  ...nudgeCommands,
  ...nudgeFarCommands,
  ...goCommands,
  selectUpstreamCommand,
  selectDownstreamCommand,
  clearSelectionCommand,
  openNodeCommand,
  renameNodeCommand,
  toggleDisabledCommand,
  connectNodeCommand,
  swapCommand,
  watchCommand,
  addNoteCommand,
];
