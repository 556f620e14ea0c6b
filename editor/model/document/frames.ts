import type { Draft } from 'immer';
import type { Catalog } from '#shared/catalog.ts';
import type { Layout } from '#shared/layout.ts';
import type { Doc, Point } from './document.ts';
import { snap } from './edit.ts';
import { flatFlow, hasFrames, holderOf, holdersOf, idsWithin } from './flat.ts';
import {
  type Bounds,
  boxOf,
  boxOfNode,
  HEADER_HEIGHT,
  NODE_WIDTH,
  type NodeBox,
  PORT_ROW,
  portRows,
  portsOfNode,
} from './geometry.ts';

/**
 * A node with a body is drawn as a frame around the nodes in it, or collapsed as a card. All places are those on the canvas, not
 * within the frame, so a node stays where it is when it is moved into a body or out of it. A frame has a place and a size of its own in
 * the layout, and is as much larger as the nodes in it need.
 */
const PADDING = 30;
/** The counter of rounds, below the name. */
const BAR = 32;
/** The size of a new frame. */
export const NEW_FRAME = { width: 520, height: 220 };
/** How small and how large somebody can make a frame; its bar of rounds has room. */
export const FRAME_MIN = { width: 440, height: 150 };
export const FRAME_MAX = { width: 20_000, height: 20_000 };

/** Whether a node is drawn as a frame. */
export function isFrame({ flow, layout }: Doc, id: string): boolean {
  return flatFlow(flow).nodes[id]?.body !== undefined && !isCollapsed(layout, id);
}

export function isCollapsed(layout: Pick<Layout, 'nodes'>, id: string): boolean {
  return layout.nodes[id]?.collapsed === true;
}

/** The nodes that are not drawn: those within what is collapsed. */
export function hiddenNodes({ flow, layout }: Doc): ReadonlySet<string> {
  const { nodes } = flatFlow(flow);
  return new Set(collapsedIn(layout.nodes).flatMap((id) => (nodes[id] ? idsWithin(nodes[id]) : [])));
}

const collapsedOf = new WeakMap<Layout['nodes'], readonly string[]>();

/** Looked up once for each layout, which typing into a setting does not change. */
function collapsedIn(places: Layout['nodes']): readonly string[] {
  const before = collapsedOf.get(places);
  if (before) return before;
  const ids = Object.keys(places).filter((id) => places[id]?.collapsed === true);
  collapsedOf.set(places, ids);
  return ids;
}

const known = new WeakMap<
  Layout['nodes'],
  { flow: Doc['flow']; catalog: Catalog; frames: ReadonlyMap<string, Bounds> }
>();

const NO_FRAMES: ReadonlyMap<string, Bounds> = new Map();

/** The frames of a document, by the id of their node. */
export function framesOf(doc: Doc, catalog: Catalog): ReadonlyMap<string, Bounds> {
  if (!hasFrames(doc.flow)) return NO_FRAMES;
  const before = known.get(doc.layout.nodes);
  if (before && before.flow === doc.flow && before.catalog === catalog) return before.frames;
  const frames = new Map<string, Bounds>();
  for (const [id, { body }] of Object.entries(flatFlow(doc.flow).nodes))
    if (body && !isCollapsed(doc.layout, id)) frameOf(doc, catalog, id, frames);
  known.set(doc.layout.nodes, { flow: doc.flow, catalog, frames });
  return frames;
}

function frameOf(doc: Doc, catalog: Catalog, id: string, frames: Map<string, Bounds>): Bounds {
  const done = frames.get(id);
  if (done) return done;
  const place = doc.layout.nodes[id] ?? { x: 0, y: 0 };
  const own = {
    x: place.x,
    y: place.y,
    width: place.width ?? NEW_FRAME.width,
    height: place.height ?? NEW_FRAME.height,
  };
  const bounds = around([own, ...heldIn(doc, catalog, id, frames)]) ?? own;
  frames.set(id, bounds);
  return bounds;
}

/** The room that each node of a body needs in its frame. */
function heldIn(doc: Doc, catalog: Catalog, id: string, frames: Map<string, Bounds>): Bounds[] {
  const { body } = flatFlow(doc.flow).nodes[id] ?? {};
  const inner = body ? [body.start, ...Object.keys(body.nodes)] : [];
  const top = topOf(doc, catalog, id);
  return inner.flatMap((one): Bounds[] => {
    if (!doc.layout.nodes[one]) return [];
    const { x, y, width, height } = isFrame(doc, one)
      ? frameOf(doc, catalog, one, frames)
      : { ...doc.layout.nodes[one], ...sizeOf(boxOfNode(doc, catalog, one)) };
    return [
      {
        x: x - PADDING,
        y: y - top,
        width: width + 2 * PADDING,
        height: height + top + PADDING,
      },
    ];
  });
}

/** The frame that somebody gets who wants it like this: never smaller than what is in it, and the nodes stay where they are. */
export function frameFor(doc: Doc, catalog: Catalog, id: string, wanted: Bounds): Bounds {
  const limited = (size: number, side: 'width' | 'height'): number =>
    Math.min(Math.max(Number.isFinite(size) ? size : NEW_FRAME[side], FRAME_MIN[side]), FRAME_MAX[side]);
  const own = {
    ...snap(wanted),
    width: snap({ x: limited(wanted.width, 'width'), y: 0 }).x,
    height: snap({ x: 0, y: limited(wanted.height, 'height') }).y,
  };
  return around([own, ...heldIn(doc, catalog, id, new Map(framesOf(doc, catalog)))]) ?? own;
}

/** Gives a frame its place and size; see `frameFor`. One that is gone meanwhile stays gone. */
export function resizeFrame(draft: Draft<Doc>, id: string, { x, y, width, height }: Bounds): void {
  const place = draft.layout.nodes[id];
  if (place) Object.assign(place, { x, y, width, height });
}

function sizeOf({ width, height }: NodeBox): { width: number; height: number } {
  return { width, height };
}

/** How far below the upper edge of a frame the nodes in it begin; on the grid. */
function topOf(doc: Doc, catalog: Catalog, id: string): number {
  const rows = portRows(portsOfNode(doc, catalog, id));
  return Math.ceil((HEADER_HEIGHT + rows * PORT_ROW + BAR + 12) / 10) * 10;
}

/** Where the first node of a body belongs, from the corner of its frame. */
export function firstPlace(doc: Doc, catalog: Catalog, id: string): Point {
  return { x: PADDING, y: topOf(doc, catalog, id) };
}

/** The drawn box of a node: its place and size, with its ports. Undefined for one without a place. */
export function drawnBox(doc: Doc, catalog: Catalog, id: string): (Bounds & NodeBox) | undefined {
  const frame = framesOf(doc, catalog).get(id);
  if (frame) return { ...boxOf(portsOfNode(doc, catalog, id), frame.width), ...frame };
  const place = doc.layout.nodes[id];
  return place && { ...boxOfNode(doc, catalog, id), x: place.x, y: place.y };
}

/** The innermost frame at a point, by the id of its node; `without` are frames that do not count, such as what is dragged. */
export function frameAt(
  doc: Doc,
  catalog: Catalog,
  at: Point,
  without: ReadonlySet<string> = new Set(),
): string | undefined {
  const hidden = hiddenNodes(doc);
  let found: string | undefined;
  let depth = -1;
  for (const [id, { x, y, width, height }] of framesOf(doc, catalog)) {
    if (hidden.has(id) || without.has(id)) continue;
    if (at.x < x || at.y < y || at.x > x + width || at.y > y + height) continue;
    const levels = holdersOf(doc.flow, id).length;
    if (levels > depth) [found, depth] = [id, levels];
  }
  return found;
}

/** The rectangle around nodes; undefined for none. */
export function boundsOf(doc: Doc, catalog: Catalog, ids: Iterable<string>): Bounds | undefined {
  const hidden = hiddenNodes(doc);
  return around([...ids].flatMap((id) => (hidden.has(id) ? [] : (drawnBox(doc, catalog, id) ?? []))));
}

export function around(rects: readonly Bounds[]): Bounds | undefined {
  if (rects.length === 0) return undefined;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const rect of rects) {
    left = Math.min(left, rect.x);
    top = Math.min(top, rect.y);
    right = Math.max(right, rect.x + rect.width);
    bottom = Math.max(bottom, rect.y + rect.height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * Where everything is when these nodes are there: what is in a frame moves with it. Places are of what is drawn, which for a frame is
 * its corner. Nodes that are named themselves go where it is said.
 */
export function movedWith(
  doc: Doc,
  catalog: Catalog,
  to: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> {
  const { nodes } = flatFlow(doc.flow);
  const moved = new Map(to);
  for (const [id, at] of to) {
    const node = nodes[id];
    const from = node?.body && drawnBox(doc, catalog, id);
    if (!node || !from) continue;
    for (const inner of idsWithin(node)) {
      const place = drawnBox(doc, catalog, inner);
      if (place && !to.has(inner))
        moved.set(inner, { x: place.x + at.x - from.x, y: place.y + at.y - from.y });
    }
  }
  return moved;
}

/** The places for the layout that correspond to places of what is drawn: a frame may begin before its own place. */
export function placesFor(
  doc: Doc,
  catalog: Catalog,
  drawn: ReadonlyMap<string, Point>,
): Record<string, Point> {
  const frames = framesOf(doc, catalog);
  return Object.fromEntries(
    [...drawn].map(([id, at]) => {
      const [frame, own] = [frames.get(id), doc.layout.nodes[id]];
      if (!frame || !own) return [id, at];
      return [id, { x: own.x + at.x - frame.x, y: own.y + at.y - frame.y }];
    }),
  );
}

/** A position near `at` where a node overlaps no other of the same body. */
export function freePlace(
  doc: Doc,
  at: Point,
  { holder, size = { width: NODE_WIDTH, height: 90 } }: FreeFor = {},
): Point {
  const frames = framesOf(doc, { operators: {} });
  const taken = Object.entries(doc.layout.nodes).flatMap(([id, place]): Bounds[] => {
    if (holderOf(doc.flow, id) !== holder) return [];
    return [frames.get(id) ?? { x: place.x, y: place.y, width: NODE_WIDTH, height: 90 }];
  });
  let { x, y } = at;
  for (let tries = 0; tries < 200; tries++) {
    if (!taken.some((one) => overlap(one, { x, y, ...size }))) break;
    y += 30;
    if (tries % 10 === 9) {
      x += 40;
      y = at.y;
    }
  }
  return { x, y };
}

interface FreeFor {
  /** The container whose body it is in. */
  readonly holder?: string | undefined;
  readonly size?: { readonly width: number; readonly height: number };
}

function overlap(a: Bounds, b: Bounds): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
