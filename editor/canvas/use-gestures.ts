import { type ReactFlowProps, useKeyPress, useReactFlow } from '@xyflow/react';
import { type MouseEvent, type PointerEvent, useEffect, useMemo } from 'react';
import type { Session } from '../commands/command.ts';
import { availability } from '../commands/command.ts';
import { openCalledCommand } from '../commands/container.ts';
import { openNodeCommand } from '../commands/node.ts';
import { noteOfKey } from '../model/document/notes.ts';
import type { CanvasEdge, CanvasNode } from '../model/drawing/project.ts';
import { centred } from '../model/drawing/viewport.ts';
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
  const { screenToFlowPosition: toFlow } = useReactFlow();
  const spaceHeld = useKeyPress('Space');
  useEffect(() => canvas.setState({ spaceHeld }), [canvas, spaceHeld]);
  return useMemo(
    () => ({
      flowHandlers: { ...changes(session, canvas), ...clicks(session, canvas, toFlow), ...hover(canvas) },
      areaHandlers: pointer(session, canvas, toFlow),
    }),
    [session, canvas, toFlow],
  );
}

type ToFlow = (screen: { x: number; y: number }) => { x: number; y: number };

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
      const opens = event.ctrlKey || event.metaKey ? openCalledCommand : openNodeCommand;
      const may = availability(opens, session);
      if (may === true) void opens.run(session);
      else session.actions.toast(may);
    },
    onPaneClick: (event) => {
      cancelWire(session, canvas);
      if (!canvas.getState().overview) return;
      const at = toFlow({ x: event.clientX, y: event.clientY });
      ui.setState({ viewport: centred(at, ui.getState().canvas, READABLE) });
    },
  };
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
