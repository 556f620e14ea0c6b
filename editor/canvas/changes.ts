import type { EdgeChange, NodeChange } from '@xyflow/react';
import type { Session } from '../commands/command.ts';
import type { EdgeId, Point } from '../model/document/document.ts';
import { moveNodes, snap } from '../model/document/edit.ts';
import { flatFlow, holderOf, holdersOf, idsWithin, isStart } from '../model/document/flat.ts';
import { drawnBox, frameAt, movedWith, placesFor } from '../model/document/frames.ts';
import { titleOf } from '../model/document/geometry.ts';
import { moveInto, whyNotInto } from '../model/document/move-into.ts';
import { changeNote, noteOfKey } from '../model/document/notes.ts';
import type { CanvasEdge, CanvasNode } from '../model/drawing/project.ts';
import { type CanvasStore, nothingMoved } from './canvas-store.ts';
import { refuse } from './wire.ts';

/**
 * Handles the changes from React Flow. Selection goes to the editor's store. A drag stays in the canvas until it ends and
 * becomes one commit. Measured sizes are ignored, since they are known already.
 */
export function applyNodeChanges(
  session: Session,
  canvas: CanvasStore,
  changes: readonly NodeChange<CanvasNode>[],
): void {
  const live = new Map<string, Point>();
  const final = new Map<string, Point>();
  const resizing = changes.some((change) => change.type === 'dimensions' && change.resizing);
  for (const change of changes) {
    if (change.type === 'position' && change.position) {
      (change.dragging || resizing ? live : final).set(change.id, change.position);
    }
    if (change.type === 'dimensions' && change.resizing !== undefined) resize(session, canvas, change);
  }
  if (live.size > 0) {
    const { doc, catalog } = session.editor.getState();
    const all = movedWith(doc, catalog, live);
    canvas.setState((state) => ({ moved: new Map([...state.moved, ...all]) }));
  }
  if (final.size > 0) commitMove(session, canvas, final);
  select(session, changes);
}

function commitMove(session: Session, canvas: CanvasStore, to: ReadonlyMap<string, Point>): void {
  const { editor, ui } = session;
  canvas.setState(nothingMoved);
  const { doc, catalog } = editor.getState();
  const nodes = new Map([...to].filter(([key]) => noteOfKey(key) === undefined));
  const { into, refused } = framesBelow(session, nodes);
  const [refusal] = refused;
  if (refusal) {
    const { viewport: view } = ui.getState();
    const at = { x: refusal.at.x * view.zoom + view.x, y: refusal.at.y * view.zoom + view.y };
    refuse(session, canvas, { at, text: refusal.text });
  }
  for (const { id } of refused) nodes.delete(id);
  const places = placesFor(doc, catalog, movedWith(doc, catalog, nodes));
  const label = to.size === 1 ? 'Move' : `Move ${to.size} items`;
  let removed = 0;
  editor.getState().commit(label, (draft) => {
    moveNodes(draft, places);
    for (const [holder, ids] of into) removed += moveInto(draft, catalog, ids, holder);
    for (const [key, at] of to) {
      const note = noteOfKey(key);
      if (note !== undefined) changeNote(draft, note, { x: at.x, y: at.y });
    }
  });
  if (into.size > 0) ui.setState({ announcement: movedText(session, [...into.keys()], removed) });
}

interface Below {
  /** Nodes that change their container, by the one that they go into. */
  readonly into: ReadonlyMap<string | undefined, readonly string[]>;
  readonly refused: readonly { readonly id: string; readonly text: string; readonly at: Point }[];
}

/** The frames in which nodes have been dropped. A frame is as large as before the drag, so that a node can leave it. */
function framesBelow({ editor }: Session, moved: ReadonlyMap<string, Point>): Below {
  const { doc, catalog } = editor.getState();
  const { nodes } = flatFlow(doc.flow);
  const dragged = new Set([...moved.keys()].flatMap((id) => [id, ...idsWithin(nodes[id] ?? {})]));
  const into = new Map<string | undefined, string[]>();
  const refused: Below['refused'][number][] = [];
  for (const [id, at] of moved) {
    const box = drawnBox(doc, catalog, id);
    if (!box || isStart(nodes[id]) || holdersOf(doc.flow, id).some((holder) => moved.has(holder))) continue;
    const middle = { x: at.x + box.width / 2, y: at.y + Math.min(box.height, 72) / 2 };
    const holder = frameAt(doc, catalog, middle, dragged);
    if (holder === holderOf(doc.flow, id)) continue;
    const text = whyNotInto(doc, catalog, id, holder);
    if (text === undefined) into.set(holder, [...(into.get(holder) ?? []), id]);
    else refused.push({ id, text, at });
  }
  return { into, refused };
}

function movedText({ editor }: Session, holders: readonly (string | undefined)[], removed: number): string {
  const { doc, catalog } = editor.getState();
  const [holder] = holders;
  const node = holder === undefined ? undefined : flatFlow(doc.flow).nodes[holder];
  const where = node ? `Moved into ${titleOf(node, catalog)}` : 'Moved out of the frame';
  return removed === 0 ? where : `${where}; ${removed} edge(s) across the frame removed`;
}

function resize(
  { editor }: Session,
  canvas: CanvasStore,
  change: Extract<NodeChange, { type: 'dimensions' }>,
): void {
  const { moved, sized } = canvas.getState();
  if (change.resizing && change.dimensions) {
    canvas.setState({ sized: new Map([...sized, [change.id, change.dimensions]]) });
    return;
  }
  const note = noteOfKey(change.id);
  const size = sized.get(change.id);
  const at = moved.get(change.id);
  canvas.setState(nothingMoved);
  if (note === undefined || !size) return;
  const { x: width, y: height } = snap({ x: size.width, y: size.height });
  editor
    .getState()
    .commit('Resize note', (draft) => changeNote(draft, note, { width, height, ...(at && snap(at)) }));
}

function select({ editor }: Session, changes: readonly NodeChange<CanvasNode>[]): void {
  const selects = changes.filter((change) => change.type === 'select');
  if (selects.length === 0) return;
  const { selectedNodes, selectedEdges, selectedNotes } = editor.getState();
  const nodes = new Set(selectedNodes);
  const notes = new Set(selectedNotes);
  for (const { id, selected } of selects) {
    const note = noteOfKey(id);
    put(note === undefined ? nodes : notes, note ?? id, selected);
  }
  editor.getState().select(nodes, selectedEdges, notes);
}

export function applyEdgeChanges({ editor }: Session, changes: readonly EdgeChange<CanvasEdge>[]): void {
  const selects = changes.filter((change) => change.type === 'select');
  if (selects.length === 0) return;
  const { selectedNodes, selectedEdges, selectedNotes } = editor.getState();
  const edges = new Set(selectedEdges);
  for (const { id, selected } of selects) put(edges, id as EdgeId, selected);
  editor.getState().select(selectedNodes, edges, selectedNotes);
}

function put<T>(set: Set<T>, item: T, isIn: boolean): void {
  if (isIn) set.add(item);
  else set.delete(item);
}
