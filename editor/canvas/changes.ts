import type { EdgeChange, NodeChange } from '@xyflow/react';
import { type Draft, produce } from 'immer';
import type { Session } from '../commands/command.ts';
import type { Doc, EdgeId, Point } from '../model/document/document.ts';
import { moveNodes, snap } from '../model/document/edit.ts';
import { movedWith, placesFor } from '../model/document/frames.ts';
import { insertNode } from '../model/document/insert.ts';
import { changeNote, noteOfKey } from '../model/document/notes.ts';
import type { CanvasEdge, CanvasNode } from '../model/drawing/project.ts';
import { type CanvasStore, nothingMoved } from './canvas-store.ts';
import { snapTo } from './guides.ts';
import { acrossFrames, moveAcross } from './move-across.ts';

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
  for (const change of resizing ? ofNotes(changes) : changes) {
    if (change.type === 'position' && change.position) {
      (change.dragging || resizing ? live : final).set(change.id, change.position);
    }
    if (change.type === 'dimensions' && change.resizing !== undefined) resize(session, canvas, change);
  }
  if (live.size > 0) showDrag(session, canvas, live);
  if (final.size > 0) commitMove(session, canvas, final);
  select(session, changes);
}

/** A frame is limited by what is in it, which React Flow does not know: `FrameResizer` resizes it. */
function ofNotes(changes: readonly NodeChange<CanvasNode>[]): readonly NodeChange<CanvasNode>[] {
  return changes.filter((change) => 'id' in change && noteOfKey(change.id) !== undefined);
}

/** Shows what is dragged where the pointer holds it, or on a line of what lies near, with all that is in it. */
function showDrag({ editor, ui }: Session, canvas: CanvasStore, live: ReadonlyMap<string, Point>): void {
  const { doc, catalog } = editor.getState();
  const { by, guides } = snapTo(editor.getState(), ui.getState(), live);
  const held = new Map([...live].map(([key, { x, y }]) => [key, { x: x + by.x, y: y + by.y }]));
  const all = movedWith(doc, catalog, held);
  canvas.setState((state) => ({ moved: new Map([...state.moved, ...all]), guides }));
}

function commitMove(session: Session, canvas: CanvasStore, dropped: ReadonlyMap<string, Point>): void {
  const { doc, catalog, commit } = session.editor.getState();
  const { moved, dropEdge } = canvas.getState();
  // Where they were shown last, which may be on a guide.
  const to = new Map([...dropped].map(([key, at]) => [key, moved.get(key) ?? at]));
  const nodes = new Map([...to].filter(([key]) => noteOfKey(key) === undefined));
  const places = placesFor(doc, catalog, movedWith(doc, catalog, nodes));
  const [only] = to.size === 1 ? to.keys() : [];
  const label = only === undefined ? `Move ${to.size} items` : dropEdge ? 'Insert into the edge' : 'Move';
  const move = (draft: Draft<Doc>): void => {
    moveNodes(draft, places);
    for (const [key, at] of to) {
      const note = noteOfKey(key);
      if (note !== undefined) changeNote(draft, note, { x: at.x, y: at.y });
    }
  };
  const insert = (draft: Draft<Doc>): void => {
    if (only !== undefined && dropEdge !== undefined) insertNode(draft, catalog, only, dropEdge as EdgeId);
  };
  canvas.setState({ guides: [], dropEdge: undefined });
  const across = acrossFrames(session, nodes);
  if (across.size === 0) {
    canvas.setState(nothingMoved);
    commit(label, (draft) => {
      move(draft);
      insert(draft);
    });
    return;
  }
  const [first] = [...across.values()].flat();
  const at = nodes.get(first ?? '') ?? { x: 0, y: 0 };
  void moveAcross(session, canvas, { placed: produce(doc, move), across, label, at, insert });
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
