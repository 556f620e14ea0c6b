import type { Connection, FinalConnectionState, Handle, ReactFlowProps } from '@xyflow/react';
import { useReactFlow } from '@xyflow/react';
import { useMemo } from 'react';
import type { Session } from '../commands/command.ts';
import { connect } from '../commands/palette.ts';
import type { EdgeId, Point } from '../model/document/document.ts';
import { addEdge, edgeIn, nodeOf, removeEdges } from '../model/document/edit.ts';
import { holderOf } from '../model/document/flat.ts';
import { frameAt } from '../model/document/frames.ts';
import { inputThatTakes, outputThatFeeds } from '../model/document/insert.ts';
import type { CanvasEdge, CanvasNode } from '../model/drawing/project.ts';
import { useSession } from '../session/session.tsx';
import { type CanvasStore, useCanvasStore, type Wire } from './canvas-store.ts';
import { finishWire, refuse, startWire } from './wire.ts';

type Props = ReactFlowProps<CanvasNode, CanvasEdge>;
type Handlers = Required<
  Pick<
    Props,
    | 'isValidConnection'
    | 'onConnectStart'
    | 'onConnect'
    | 'onConnectEnd'
    | 'onReconnectStart'
    | 'onReconnect'
    | 'onReconnectEnd'
  >
>;
type ToFlow = (screen: { x: number; y: number }) => { x: number; y: number };

const portsOf = (c: Connection | CanvasEdge) => ({
  from: `${c.source}.${c.sourceHandle}`,
  to: `${c.target}.${c.targetHandle}`,
});

/** Connecting by drag: React Flow follows the pointer, the model decides. */
export function useConnecting(): Handlers {
  const session = useSession();
  const canvas = useCanvasStore();
  const { screenToFlowPosition } = useReactFlow();
  return useMemo(
    () => ({ ...drawing(session, canvas, screenToFlowPosition), ...moving(session, canvas) }),
    [session, canvas, screenToFlowPosition],
  );
}

function drawing(session: Session, canvas: CanvasStore, toFlow: ToFlow) {
  const handlers: Pick<Handlers, 'isValidConnection' | 'onConnectStart' | 'onConnect' | 'onConnectEnd'> = {
    isValidConnection: (connection) => {
      const { wire } = canvas.getState();
      const { from, to } = portsOf(connection as Connection);
      return wire !== undefined && wire.judge('from' in wire.end ? to : from).ok;
    },
    onConnectStart: (_event, { nodeId, handleId, handleType }) => {
      const port = `${nodeId}.${handleId}`;
      const moves = canvas.getState().wire?.moves;
      const end = handleType === 'source' ? { from: port } : { to: port };
      startWire(session, canvas, { end, by: 'drag', ...(moves !== undefined && { moves }) });
    },
    onConnect: (connection) => {
      const { from, to } = portsOf(connection);
      connect(session, from, to);
    },
    onConnectEnd: (event, state) => {
      const { wire } = canvas.getState();
      // onReconnectEnd, which comes next, handles the end of an edge that is moved.
      if (!wire || wire.moves !== undefined) return;
      canvas.setState({ wire: undefined });
      if (!state.isValid) dropWire(session, canvas, { wire, state, event, toFlow });
    },
  };
  return handlers;
}

interface Drop {
  wire: Wire;
  state: FinalConnectionState;
  event: MouseEvent | TouchEvent;
  toFlow: ToFlow;
}

/** A wire that ended on no matching port: say why, use the node below it, or offer nodes that fit. */
function dropWire(session: Session, canvas: CanvasStore, { wire, state, event, toFlow }: Drop): void {
  const pointer = 'changedTouches' in event ? event.changedTouches[0] : event;
  if (!pointer) return;
  const at = state.pointer ?? { x: 0, y: 0 };
  if (state.toHandle) {
    refuse(session, canvas, { at, text: reasonAt(wire, state.toHandle) });
    return;
  }
  const below = drawnBelow({ x: pointer.clientX, y: pointer.clientY });
  const node = below?.dataset['id'];
  if (node !== undefined) {
    takeNode(session, canvas, { wire, node, at });
  } else if (below) {
    const place = toFlow({ x: pointer.clientX, y: pointer.clientY });
    const text = acrossFrame(session, wire, place);
    if (text === undefined) session.ui.setState({ overlay: { kind: 'picker', at: place, wire: wire.end } });
    else refuse(session, canvas, { at, text });
  }
}

/** Why a wire cannot go to a place: an edge stays within its frame. */
function acrossFrame({ editor }: Session, { end }: Wire, at: { x: number; y: number }): string | undefined {
  const { doc, catalog } = editor.getState();
  const own = nodeOf('from' in end ? end.from : end.to);
  if (holderOf(doc.flow, own) === frameAt(doc, catalog, at)) return undefined;
  return `An edge stays within its frame; nodes in a frame read {{ nodes.${own} }}.`;
}

/** The node at a point of the screen, or the empty canvas, also behind the map and the buttons that lie over it; undefined beside it. */
function drawnBelow({ x, y }: Point): HTMLElement | undefined {
  for (const element of document.elementsFromPoint(x, y)) {
    const drawn = element.closest<HTMLElement>('.react-flow__node-operator, .react-flow__pane');
    if (drawn) return drawn;
  }
  return undefined;
}

/** Why a wire may not end at a port. */
function reasonAt(wire: Wire, handle: Handle): string {
  const starts = 'from' in wire.end;
  if (handle.type === (starts ? 'source' : 'target')) {
    return starts ? 'An output goes to an input.' : 'An input takes an output.';
  }
  const verdict = wire.judge(`${handle.nodeId}.${handle.id}`);
  return verdict.ok ? '' : verdict.reason;
}

function takeNode(
  session: Session,
  canvas: CanvasStore,
  { wire, node, at }: { wire: Wire; node: string; at: { x: number; y: number } },
): void {
  const { doc, catalog } = session.editor.getState();
  const port =
    'from' in wire.end
      ? inputThatTakes(doc, catalog, wire.end.from, node)
      : outputThatFeeds(doc, catalog, wire.end.to, node);
  if (port === undefined) {
    const what =
      'from' in wire.end ? 'No input of this node takes the wire.' : 'No output of this node fits.';
    refuse(session, canvas, { at, text: what });
    return;
  }
  canvas.setState({ wire });
  finishWire(session, canvas, port);
}

/** Moving one end of an edge; dropped on nothing, the edge is removed. */
function moving(session: Session, canvas: CanvasStore) {
  const { editor, ui } = session;
  const handlers: Pick<Handlers, 'onReconnectStart' | 'onReconnect' | 'onReconnectEnd'> = {
    onReconnectStart: (_event, edge, fixed) => {
      const { from, to } = portsOf(edge);
      const end = fixed === 'source' ? { from } : { to };
      startWire(session, canvas, { end, by: 'drag', moves: edge.id as EdgeId });
    },
    onReconnect: (edge, connection) => {
      editor.getState().commit('Move edge', (draft) => {
        const before = edgeIn(draft.flow, edge.id as EdgeId);
        removeEdges(draft, [edge.id as EdgeId]);
        addEdge(draft, { ...before, ...portsOf(connection) });
      });
      ui.setState({ announcement: 'Edge moved' });
    },
    onReconnectEnd: (_event, edge, _type, state) => {
      const { wire } = canvas.getState();
      canvas.setState({ wire: undefined });
      if (state.isValid || !wire) return;
      if (state.toHandle) {
        const at = state.pointer ?? { x: 0, y: 0 };
        refuse(session, canvas, { at, text: reasonAt(wire, state.toHandle) });
        return;
      }
      editor.getState().commit('Delete edge', (draft) => removeEdges(draft, [edge.id as EdgeId]));
      ui.setState({ announcement: 'Edge removed' });
    },
  };
  return handlers;
}
