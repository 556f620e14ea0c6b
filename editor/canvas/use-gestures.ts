import { type ReactFlowProps, useKeyPress, useReactFlow } from '@xyflow/react';
import { type MouseEvent, type PointerEvent, useEffect, useMemo } from 'react';
import { availability, type Command, type Session } from '../commands/command.ts';
import { openNodeCommand } from '../commands/open-node.ts';
import type { EdgeId, Point } from '../model/document/document.ts';
import { fitsInto } from '../model/document/insert.ts';
import { noteOfKey } from '../model/document/notes.ts';
import type { CanvasEdge, CanvasNode } from '../model/drawing/project.ts';
import { centred } from '../model/drawing/viewport.ts';
import { whenAsked } from '../commands/loaded.ts';
import { useSession } from '../session/session.tsx';
import { drawnPast } from '../state/drawn.ts';
import { applyEdgeChanges, applyNodeChanges } from './changes.ts';
import { type CanvasStore, useCanvasStore } from './canvas-store.ts';
import { cancelWire } from './wire.ts';

type Props = ReactFlowProps<CanvasNode, CanvasEdge>;
type FlowHandlers = Pick<
  Props,
  | 'onNodesChange'
  | 'onEdgesChange'
  | 'onNodeClick'
  | 'onNodeDoubleClick'
  | 'onNodeDrag'
  | 'onPaneClick'
  | 'onEdgeMouseEnter'
  | 'onEdgeMouseLeave'
  | 'onNodeMouseEnter'
  | 'onNodeMouseLeave'
>;

const READABLE = 0.8;
/** Time to get from an edge to its buttons. */
const HOVER_MS = 150;

/** The mouse on nodes, edges and the empty canvas. */
export function useGestures() {
  const session = useSession();
  const canvas = useCanvasStore();
  const { screenToFlowPosition: toFlow, flowToScreenPosition: toScreen } = useReactFlow();
  const spaceHeld = useKeyPress('Space');
  useEffect(() => canvas.setState({ spaceHeld }), [canvas, spaceHeld]);
  return useMemo(
    () => ({
      flowHandlers: {
        ...changes(session, canvas),
        ...drag(session, canvas, toScreen),
        ...clicks(session, canvas, toFlow),
        ...hover(canvas),
      },
      areaHandlers: pointer(session, canvas, toFlow),
    }),
    [session, canvas, toFlow, toScreen],
  );
}

type ToFlow = (at: Point) => Point;

function changes(session: Session, canvas: CanvasStore): FlowHandlers {
  return {
    onNodesChange: (list) => applyNodeChanges(session, canvas, list),
    onEdgesChange: (list) => applyEdgeChanges(session, list),
  };
}

function clicks(session: Session, canvas: CanvasStore, toFlow: ToFlow): FlowHandlers {
  const { editor, runs, ui } = session;
  return {
    // React Flow keeps a selection as it is when one of its elements is clicked.
    onNodeClick: ({ shiftKey, ctrlKey, metaKey }, { id }) => {
      if (shiftKey || ctrlKey || metaKey) return;
      const { selectedNodes, selectedEdges, selectedNotes, select } = editor.getState();
      if (selectedNodes.size + selectedEdges.size + selectedNotes.size < 2) return;
      const note = noteOfKey(id);
      if (note === undefined) select([id]);
      else select([], [], [note]);
    },
    onNodeDoubleClick: (event, node) => {
      const note = noteOfKey(node.id);
      if (note !== undefined) {
        if (!drawnPast(runs.getState())) canvas.setState({ editingNote: note });
        return;
      }
      editor.getState().select([node.id]);
      const open = (command: Command): void => {
        const may = availability(command, session);
        if (may === true) void command.run(session);
        else session.actions.toast(may);
      };
      if (!event.ctrlKey && !event.metaKey) return open(openNodeCommand);
      whenAsked(session, import('../commands/container.ts'), ({ openCalledCommand }) =>
        open(openCalledCommand),
      );
    },
    onPaneClick: (event) => {
      cancelWire(session, canvas);
      if (!canvas.getState().overview) return;
      const at = toFlow({ x: event.clientX, y: event.clientY });
      ui.setState({ viewport: centred(at, ui.getState().canvas, READABLE) });
    },
  };
}

/** A node that is dragged alone, with nothing wired to it, can be dropped into an edge (`changes.ts` does it). */
function drag({ editor }: Session, canvas: CanvasStore, toScreen: ToFlow): FlowHandlers {
  return {
    onNodeDrag: (_event, { id, position, width = 0, height = 0 }, nodes) => {
      const { doc, catalog } = editor.getState();
      const middle = toScreen({ x: position.x + width / 2, y: position.y + height / 2 });
      const below = nodes.length === 1 ? edgeAt(middle) : undefined;
      const dropEdge = below !== undefined && fitsInto(doc, catalog, id, below) ? below : undefined;
      if (canvas.getState().dropEdge !== dropEdge) canvas.setState({ dropEdge });
    },
  };
}

/** Nobody hits a line exactly: how far beside it, in pixels. */
const BESIDE = [0, -14, 14];

/** The edge at a point of the screen, also behind a node. */
function edgeAt({ x, y }: Point): EdgeId | undefined {
  for (const dy of BESIDE)
    for (const element of document.elementsFromPoint(x, y + dy)) {
      const edge = element.closest<SVGElement>('.react-flow__edge')?.dataset['id'];
      if (edge !== undefined) return edge as EdgeId;
    }
  return undefined;
}

function hover(canvas: CanvasStore): FlowHandlers {
  let leaving: ReturnType<typeof setTimeout> | undefined;
  return {
    onNodeMouseEnter: (_event, { id }) => {
      if (canvas.getState().far) canvas.setState({ hoveredNode: id });
    },
    onNodeMouseLeave: (_event, { id }) => {
      if (canvas.getState().hoveredNode === id) canvas.setState({ hoveredNode: undefined });
    },
    onEdgeMouseEnter: (_event, edge) => {
      clearTimeout(leaving);
      if (!canvas.getState().wire) canvas.setState({ hoveredEdge: edge.id });
    },
    onEdgeMouseLeave: (_event, edge) => {
      leaving = setTimeout(() => {
        const { hoveredEdge, onControls } = canvas.getState();
        if (hoveredEdge === edge.id && !onControls) canvas.setState({ hoveredEdge: undefined });
      }, HOVER_MS);
    },
  };
}

function pointer({ runs, ui }: Session, canvas: CanvasStore, toFlow: ToFlow) {
  const onPane = (target: EventTarget) => (target as Element).classList.contains('react-flow__pane');
  return {
    onPointerMove: (event: PointerEvent) =>
      ui.setState({ pointer: toFlow({ x: event.clientX, y: event.clientY }) }),
    onPointerLeave: () => ui.setState({ pointer: undefined }),
    onDoubleClick: (event: MouseEvent) => {
      if (!onPane(event.target) || canvas.getState().overview || drawnPast(runs.getState())) return;
      const at = toFlow({ x: event.clientX, y: event.clientY });
      ui.setState({ overlay: { kind: 'picker', at } });
    },
  };
}
