import { AS_IT_WAS, type Session } from '../commands/command.ts';
import { connect } from '../commands/palette.ts';
import { type Verdict, verdictsFor, type WireEnd } from '../model/document/connect.ts';
import { type Doc, type EdgeId, edgeId, type Point } from '../model/document/document.ts';
import { drawnPast } from '../state/drawn.ts';
import type { CanvasStore, Wire } from './canvas-store.ts';
import { changedFlat, flatFlow } from '../model/document/flat.ts';

/** Drawing an edge: by drag, by two clicks, or by Enter on two ports; all use `model/document/connect.ts`. */
export type PortState = 'idle' | 'own' | 'fits' | 'refused';

const REFUSAL_MS = 4000;

export function startWire(
  { editor, ui }: Session,
  canvas: CanvasStore,
  wire: Pick<Wire, 'end' | 'by'> & { moves?: EdgeId },
): void {
  const { doc, catalog } = editor.getState();
  const judge = verdictsFor(wire.moves === undefined ? doc : withoutEdge(doc, wire.moves), catalog, wire.end);
  const judged = new Map<string, Verdict>();
  canvas.setState({
    wire: {
      ...wire,
      judge: (port) => {
        const verdict = judged.get(port) ?? judge(port);
        judged.set(port, verdict);
        return verdict;
      },
    },
    refusal: undefined,
    tip: undefined,
  });
  if (wire.by === 'choice') {
    const kind = 'from' in wire.end ? 'an input' : 'an output';
    ui.setState({ announcement: `Connecting ${endOf(wire.end)}. Choose ${kind}; Escape cancels.` });
  }
}

function withoutEdge(doc: Doc, id: EdgeId): Doc {
  const edges = flatFlow(doc.flow).edges.filter((e) => edgeId(e) !== id);
  return { ...doc, flow: changedFlat(doc.flow, { edges }) };
}

export function endOf(end: WireEnd): string {
  return 'from' in end ? end.from : end.to;
}

export function cancelWire({ ui }: Session, canvas: CanvasStore): void {
  if (!canvas.getState().wire) return;
  canvas.setState({ wire: undefined });
  ui.setState({ announcement: 'Connecting cancelled' });
}

/** Chooses a port by click or Enter: the first one starts a wire, the second one ends it. */
export function choosePort(session: Session, canvas: CanvasStore, port: WireEnd, at: Point): void {
  const { wire } = canvas.getState();
  if (drawnPast(session.runs.getState())) {
    refuse(session, canvas, { at, text: AS_IT_WAS });
    return;
  }
  if (!wire) {
    startWire(session, canvas, { end: port, by: 'choice' });
    return;
  }
  if (endOf(wire.end) === endOf(port) && 'from' in wire.end === 'from' in port) {
    cancelWire(session, canvas);
    return;
  }
  if ('from' in wire.end === 'from' in port) {
    startWire(session, canvas, { end: port, by: 'choice' });
    return;
  }
  const verdict = wire.judge(endOf(port));
  if (!verdict.ok) {
    refuse(session, canvas, { at, text: verdict.reason });
    return;
  }
  finishWire(session, canvas, endOf(port));
}

/** Ends the wire at a port that is known to accept it. */
export function finishWire(session: Session, canvas: CanvasStore, port: string): void {
  const { wire } = canvas.getState();
  canvas.setState({ wire: undefined, refusal: undefined });
  if (!wire) return;
  if ('from' in wire.end) connect(session, wire.end.from, port);
  else connect(session, port, wire.end.to);
}

let refusals = 0;

/** Shows the reason at the port, and reads it out to screen readers. */
export function refuse({ ui }: Session, canvas: CanvasStore, refusal: { at: Point; text: string }): void {
  const mine = ++refusals;
  canvas.setState({ refusal });
  ui.setState({ announcement: `Not connected. ${refusal.text}` });
  setTimeout(() => {
    if (mine === refusals) canvas.setState({ refusal: undefined });
  }, REFUSAL_MS);
}

/** How a port looks while a wire is drawn. */
export function portState(wire: Wire | undefined, port: string, side: 'left' | 'right'): PortState {
  if (!wire) return 'idle';
  const starts = 'from' in wire.end;
  if (starts === (side === 'right')) return endOf(wire.end) === port ? 'own' : 'refused';
  return wire.judge(port).ok ? 'fits' : 'refused';
}
