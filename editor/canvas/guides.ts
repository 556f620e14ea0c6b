import { type Snapped, snapped } from '../model/document/align.ts';
import type { Point } from '../model/document/document.ts';
import { flatFlow, idsWithin } from '../model/document/flat.ts';
import { around, drawnBox, hiddenNodes } from '../model/document/frames.ts';
import type { Bounds } from '../model/document/geometry.ts';
import { toFlow } from '../model/drawing/viewport.ts';
import { noteOfKey } from '../model/document/notes.ts';
import type { EditorState } from '../state/editor-store.ts';
import type { UiState } from '../state/ui-store.ts';

/** How near a line must be, in pixels of the screen. */
const REACH = 6;
const NOWHERE: Snapped = { by: { x: 0, y: 0 }, guides: [] };

/** Where dragged nodes come to lie level with other nodes that are in view. Notes lie anywhere. */
export function snapTo(
  { doc, catalog }: EditorState,
  { viewport, canvas }: UiState,
  live: ReadonlyMap<string, Point>,
): Snapped {
  if ([...live.keys()].some((key) => noteOfKey(key) !== undefined)) return NOWHERE;
  const from = toFlow(viewport, { x: 0, y: 0 });
  const to = toFlow(viewport, { x: canvas.width, y: canvas.height });
  const isNear = ({ x, y, width, height }: Bounds): boolean =>
    x < to.x && y < to.y && x + width > from.x && y + height > from.y;
  const { nodes } = flatFlow(doc.flow);
  const moving = new Set([...live.keys()].flatMap((id) => [id, ...idsWithin(nodes[id] ?? {})]));
  const hidden = hiddenNodes(doc);
  const others = Object.keys(nodes).flatMap((id) => {
    const box = moving.has(id) || hidden.has(id) ? undefined : drawnBox(doc, catalog, id);
    return box && isNear(box) ? [box] : [];
  });
  const dragged = around(
    [...live].flatMap(([id, at]) => {
      const box = drawnBox(doc, catalog, id);
      return box ? [{ ...box, ...at }] : [];
    }),
  );
  return dragged ? snapped(dragged, others, REACH / viewport.zoom) : NOWHERE;
}
