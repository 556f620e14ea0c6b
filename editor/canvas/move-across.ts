import { type Draft, produce } from 'immer';
import type { Session } from '../commands/command.ts';
import type { Doc, Point } from '../model/document/document.ts';
import { flatFlow, holderOf, holdersOf, idsWithin, isStart, nodeIn } from '../model/document/flat.ts';
import { drawnBox, frameAt } from '../model/document/frames.ts';
import { HEADER_HEIGHT, titleOf } from '../model/document/geometry.ts';
import { loadPatiently } from '../model/when-loaded.ts';
import { type CanvasStore, nothingMoved } from './canvas-store.ts';
import { refuse } from './wire.ts';

/** Nodes that a drag takes into a frame or out of one, by the container that they go into; undefined is the flow itself. */
export type Across = ReadonlyMap<string | undefined, readonly string[]>;

/** A frame is as large as before the drag, so that a node can leave it. The start of a body stays in it. */
export function acrossFrames({ editor }: Session, moved: ReadonlyMap<string, Point>): Across {
  const { doc, catalog } = editor.getState();
  const { nodes } = flatFlow(doc.flow);
  const dragged = new Set([...moved.keys()].flatMap((id) => [id, ...idsWithin(nodes[id] ?? {})]));
  const across = new Map<string | undefined, string[]>();
  for (const [id, at] of moved) {
    const box = drawnBox(doc, catalog, id);
    if (!box || isStart(nodes[id]) || holdersOf(doc.flow, id).some((holder) => moved.has(holder))) continue;
    const middle = { x: at.x + box.width / 2, y: at.y + HEADER_HEIGHT / 2 };
    const holder = frameAt(doc, catalog, middle, dragged);
    if (holder !== holderOf(doc.flow, id)) across.set(holder, [...(across.get(holder) ?? []), id]);
  }
  return across;
}

interface Crossing {
  readonly placed: Doc;
  readonly across: Across;
  readonly label: string;
  readonly at: Point;
  /** Inserts a node that was dropped on an edge, once both are in the same body. */
  insert(this: void, draft: Draft<Doc>): void;
}

/**
 * Moves nodes into other bodies as one step, from a document in which they are at their new places. If one of them cannot go there,
 * nothing is moved, and the reason is shown at that place.
 */
export async function moveAcross(session: Session, canvas: CanvasStore, of: Crossing): Promise<void> {
  const { editor, ui } = session;
  const { placed, across, label, at, insert } = of;
  const loaded = await loadPatiently(() => import('../model/document/reshape.ts')).catch(() => undefined);
  canvas.setState(nothingMoved);
  if (!loaded) {
    session.actions.toast('The server cannot be reached, so nothing was moved. Try again.', 'error');
    return;
  }
  const { catalog, commit } = editor.getState();
  let doc = placed;
  const notes: string[] = [];
  for (const [holder, ids] of across) {
    const moved = loaded.moveInto(doc, catalog, ids, holder);
    if (!moved.ok) {
      const { viewport: view } = ui.getState();
      const pixel = { x: at.x * view.zoom + view.x, y: at.y * view.zoom + view.y };
      refuse(session, canvas, { at: pixel, text: moved.reason });
      return;
    }
    doc = moved.doc;
    notes.push(...moved.notes);
  }
  commit(label, (draft) => {
    const done = produce(doc, insert);
    draft.flow = done.flow;
    draft.layout = done.layout;
  });
  tell(session, across, notes);
}

function tell({ editor, ui, actions }: Session, across: Across, notes: readonly string[]): void {
  const { doc, catalog } = editor.getState();
  const [holder] = across.keys();
  const node = holder === undefined ? undefined : nodeIn(doc.flow, holder);
  const where = node ? `Moved into ${titleOf(node, catalog)}` : 'Moved out of the frame';
  ui.setState({ announcement: [where, ...notes].join('. ') });
  if (notes.length > 0) actions.toast(notes.join(' '));
}
