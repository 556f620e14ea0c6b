import type { Catalog } from '#shared/catalog.ts';
import type { Doc, Point } from '../document/document.ts';
import { flatFlow } from '../document/flat.ts';
import { around, boundsOf } from '../document/frames.ts';
import { type Bounds, viewportFor } from '../document/geometry.ts';
import { noteBox, noteKey } from '../document/notes.ts';

/** The visible part of the drawing: `screen = flow * zoom + (x, y)`. */
export interface Viewport extends Point {
  readonly zoom: number;
}

/** A size in pixels of the screen. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The zoom of the canvas stays between these; 1 is 100 %. */
export const MIN_ZOOM = 0.05;
export const MAX_ZOOM = 2;
/** Below the first zoom the overview starts, above the second it ends; they differ, so that it does not flicker. */
export const OVERVIEW_ENTER = 0.28;
export const OVERVIEW_LEAVE = 0.34;
/** In the same way: below and above them the cards of a large flow are drawn on one canvas. */
export const FAR_ENTER = 0.5;
export const FAR_LEAVE = 0.54;
/** The minimap shows a small flow no larger than this. */
const MAP_ZOOM = 0.12;
/** Margin around the whole flow, in pixels. */
const MARGIN = 32;
/** The zoom from which on the texts of a node are readable. */
const READABLE = 0.4;
/** From this number of nodes on, only visible nodes are mounted, and there is an overview. */
export const LARGE_FLOW = 150;

/** How much of a card is shown, and how large. */
export interface Detail {
  /** All of a card; its icon and name; a block with its icon. */
  readonly level: 'full' | 'names' | 'blocks';
  /** How much larger icon and name are drawn, so that they look as large as before. */
  readonly grow: number;
}

/** From the largest zoom on, each with the lowest zoom at which it holds. */
const DETAILS: readonly (Detail & { readonly from: number })[] = [
  { from: 0.7, level: 'full', grow: 1 },
  { from: 0.6, level: 'names', grow: 1.5 },
  { from: 0.5, level: 'names', grow: 1.75 },
  { from: 0.42, level: 'names', grow: 2.1 },
  { from: 0.35, level: 'names', grow: 2.5 },
  { from: 0, level: 'blocks', grow: 1 },
];

/** The parts of a card that are shown at a zoom: texts that nobody can read make room for larger ones. */
export function detailAt(zoom: number): Detail {
  return DETAILS.find(({ from }) => zoom >= from) as Detail;
}

/** Converts a point of the screen, in pixels from the corner of the canvas, to flow coordinates. */
export function toFlow(viewport: Viewport, screen: Point): Point {
  return { x: (screen.x - viewport.x) / viewport.zoom, y: (screen.y - viewport.y) / viewport.zoom };
}

/** The point of the flow at the middle of the canvas. */
export function middleOf(viewport: Viewport, canvas: Size): Point {
  return toFlow(viewport, { x: canvas.width / 2, y: canvas.height / 2 });
}

/** Zooms while a point of the flow stays where it is on the screen. */
export function zoomAround(viewport: Viewport, at: Point, zoom: number): Viewport {
  const to = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom));
  return {
    zoom: to,
    x: viewport.x + at.x * (viewport.zoom - to),
    y: viewport.y + at.y * (viewport.zoom - to),
  };
}

/** Moves a point of the flow to the middle of the canvas. */
export function centred(at: Point, canvas: Size, zoom: number): Viewport {
  return { zoom, x: canvas.width / 2 - at.x * zoom, y: canvas.height / 2 - at.y * zoom };
}

/** The viewport in which everything drawn is visible; undefined for an empty flow. */
export function fitAll(doc: Doc, catalog: Catalog, canvas: Size): Viewport | undefined {
  const all = boundsOfAll(doc, catalog);
  return all && viewportFor(all, canvas, MARGIN);
}

/**
 * The viewport after the canvas has another size: a flow that was in view as a whole stays so, and one that had been fitted is fitted
 * again. Undefined if the current viewport stays.
 */
export function refit(
  doc: Doc,
  catalog: Catalog,
  { viewport, before, canvas }: { viewport: Viewport; before: Size; canvas: Size },
): Viewport | undefined {
  const all = boundsOfAll(doc, catalog);
  if (!all || !isInView(all, viewport, before)) return undefined;
  const fitted = viewportFor(all, before, MARGIN);
  const wasFitted = Math.abs(fitted.x - viewport.x) + Math.abs(fitted.y - viewport.y) < 2;
  return wasFitted || !isInView(all, viewport, canvas) ? viewportFor(all, canvas, MARGIN) : undefined;
}

function isInView({ x, y, width, height }: Bounds, viewport: Viewport, canvas: Size): boolean {
  const from = toFlow(viewport, { x: 0, y: 0 });
  const to = toFlow(viewport, { x: canvas.width, y: canvas.height });
  return x >= from.x && y >= from.y && x + width <= to.x && y + height <= to.y;
}

/** The transform that draws everything in a minimap of this size; undefined for an empty flow. */
export function mapView(doc: Doc, catalog: Catalog, map: Size): Viewport | undefined {
  const all = boundsOfAll(doc, catalog);
  if (!all) return undefined;
  const zoom = Math.min(MAP_ZOOM, (map.width - 16) / all.width, (map.height - 16) / all.height);
  return centred({ x: all.x + all.width / 2, y: all.y + all.height / 2 }, map, zoom);
}

function boundsOfAll(doc: Doc, catalog: Catalog): Bounds | undefined {
  const nodes = boundsOf(doc, catalog, Object.keys(flatFlow(doc.flow).nodes));
  const notes = (doc.layout.notes ?? []).map((note) => ({ x: note.x, y: note.y, ...noteBox(note) }));
  return around(nodes ? [nodes, ...notes] : notes);
}

/** A flow that is readable as a whole is shown as a whole, a larger one with its last view. */
export function firstView(doc: Doc, catalog: Catalog, canvas: Size): Viewport {
  const all = fitAll(doc, catalog, canvas) ?? { x: 0, y: 0, zoom: 1 };
  return all.zoom < READABLE && doc.layout.viewport ? doc.layout.viewport : all;
}

/** The rectangle around nodes and notes, by their canvas ids. */
export function boundsOfKeys(doc: Doc, catalog: Catalog, keys: readonly string[]): Bounds | undefined {
  const nodes = boundsOf(doc, catalog, keys);
  const notes = (doc.layout.notes ?? [])
    .filter((note) => keys.includes(noteKey(note.id)))
    .map((note) => ({ x: note.x, y: note.y, ...noteBox(note) }));
  return around(nodes ? [nodes, ...notes] : notes);
}

/** Margin around what was brought into view, in pixels. */
const EDGE = 40;

/**
 * The viewport that shows these bounds: the current one if they are visible at a readable size, moved as little as possible
 * if they are close, otherwise one with them in the middle.
 */
export function reveal(bounds: Bounds, viewport: Viewport, canvas: Size): Viewport {
  const { zoom } = viewport;
  const left = bounds.x * zoom + viewport.x;
  const top = bounds.y * zoom + viewport.y;
  const dx = shift(left, left + bounds.width * zoom, canvas.width);
  const dy = shift(top, top + bounds.height * zoom, canvas.height);
  if (zoom >= READABLE && dx === 0 && dy === 0) return viewport;
  const isClose = Math.abs(dx) <= canvas.width / 2 && Math.abs(dy) <= canvas.height / 2;
  const fits = bounds.width * zoom <= canvas.width && bounds.height * zoom <= canvas.height;
  if (zoom >= READABLE && isClose && fits) return { zoom, x: viewport.x + dx, y: viewport.y + dy };
  const fitting = viewportFor(bounds, canvas);
  const near = Math.min(fitting.zoom, Math.max(zoom, 0.8));
  return centred({ x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 }, canvas, near);
}

/** How far a range must move to lie within a length, with some margin if there is room. */
function shift(from: number, to: number, length: number): number {
  if (from >= 0 && to <= length) return 0;
  const room = Math.max(0, Math.min(EDGE, (length - (to - from)) / 2));
  return from < 0 ? room - from : length - room - to;
}
