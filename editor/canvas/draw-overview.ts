import type { Catalog } from '#shared/catalog.ts';
import { purposeOf } from '#shared/purpose.ts';
import type { Doc, Point } from '../model/document/document.ts';
import { infoOf, nodeOf } from '../model/document/edit.ts';
import { type Bounds, boxOfNode, NODE_WIDTH } from '../model/document/geometry.ts';
import { noteBox } from '../model/document/notes.ts';
import type { Size, Viewport } from '../model/drawing/viewport.ts';
import type { NodeRun, NodeStatus } from '../state/run-store.ts';

export interface OverviewScene {
  readonly doc: Doc;
  readonly catalog: Catalog;
  readonly selectedNodes: ReadonlySet<string>;
  readonly statuses: Readonly<Record<string, NodeRun>>;
  readonly viewport: Viewport;
  readonly canvas: Size;
  /** Nodes as filled rectangles without edges, for the minimap. */
  readonly isMap?: boolean;
}

const STATUS_TOKENS: Readonly<Record<NodeStatus, string>> = {
  waiting: '--line-strong',
  running: '--busy',
  ok: '--ok',
  failed: '--bad',
  cancelled: '--line-strong',
  skipped: '--line',
  retrying: '--warn',
  abandoned: '--warn',
};

/** Rectangles, lines and status colours; a thousand nodes take a few milliseconds. */
export function drawOverview(element: HTMLCanvasElement, scene: OverviewScene): void {
  const { viewport, canvas } = scene;
  const ratio = devicePixelRatio || 1;
  const width = Math.round(canvas.width * ratio);
  const height = Math.round(canvas.height * ratio);
  if (element.width !== width) element.width = width;
  if (element.height !== height) element.height = height;
  const context = element.getContext('2d');
  if (!context) return;
  const color = tokensOf(element);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  const zoom = viewport.zoom * ratio;
  context.setTransform(zoom, 0, 0, zoom, viewport.x * ratio, viewport.y * ratio);
  drawNotes(context, scene.doc, color);
  if (!scene.isMap)
    drawEdges(context, scene.doc, { color: color('--line-strong'), width: 1.2 / viewport.zoom });
  drawNodes(context, scene, color);
}

/** The colours of the theme; each is read once, however many nodes have it. */
function tokensOf(element: HTMLElement): (token: string) => string {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return (token) => {
    const value = known.get(token) ?? style.getPropertyValue(token);
    known.set(token, value);
    return value;
  };
}

function drawNotes(context: CanvasRenderingContext2D, doc: Doc, color: (token: string) => string): void {
  context.fillStyle = color('--surface-3');
  for (const note of doc.layout.notes ?? []) {
    const { width, height } = noteBox(note);
    context.fillRect(note.x, note.y, width, height);
  }
}

function drawEdges(context: CanvasRenderingContext2D, doc: Doc, pen: { color: string; width: number }): void {
  context.strokeStyle = pen.color;
  context.lineWidth = pen.width;
  context.beginPath();
  for (const edge of doc.flow.edges) {
    const from = doc.layout.nodes[nodeOf(edge.from)];
    const to = doc.layout.nodes[nodeOf(edge.to)];
    if (!from || !to) continue;
    line(context, { x: from.x + NODE_WIDTH, y: from.y + 36 }, { x: to.x, y: to.y + 36 });
  }
  context.stroke();
}

function line(context: CanvasRenderingContext2D, from: Point, to: Point): void {
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
}

function drawNodes(
  context: CanvasRenderingContext2D,
  { doc, catalog, selectedNodes, statuses, isMap = false }: OverviewScene,
  color: (token: string) => string,
): void {
  const colors = new Map(Object.entries(STATUS_TOKENS).map(([status, token]) => [status, color(token)]));
  const heights = heightsOf(doc, catalog);
  const [frame, accent] = [color('--line-strong'), color('--accent')];
  for (const id of Object.keys(doc.flow.nodes)) {
    const place = doc.layout.nodes[id];
    if (!place) continue;
    const height = heights.get(id) ?? 0;
    const status = statuses[id]?.status;
    const paint = {
      own: color(`--purpose-${purposeOf(infoOf(catalog, doc.flow.nodes[id]))}`),
      state: status && colors.get(status),
      selected: selectedNodes.has(id) ? accent : undefined,
      frame,
    };
    paintNode(context, { ...place, width: NODE_WIDTH, height }, { paint, isMap });
  }
}

interface Paint {
  readonly own: string;
  readonly state: string | undefined;
  readonly selected: string | undefined;
  readonly frame: string;
}

/** In the colour of its purpose, with its state as a frame; in the map there is no room for a frame. */
function paintNode(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: Bounds,
  { paint: { own, state, selected, frame }, isMap }: { paint: Paint; isMap: boolean },
): void {
  context.fillStyle = isMap ? (state ?? own) : own;
  context.fillRect(x, y, width, height);
  if (isMap && selected === undefined) return;
  context.strokeStyle = selected ?? state ?? frame;
  context.lineWidth = selected === undefined && state === undefined ? 5 : 16;
  context.strokeRect(x, y, width, height);
}

const heightsByFlow = new WeakMap<Doc['flow'], ReadonlyMap<string, number>>();

/** Heights of all nodes, computed once per state of the flow: a pan draws many times. */
function heightsOf(doc: Doc, catalog: Catalog): ReadonlyMap<string, number> {
  const known = heightsByFlow.get(doc.flow);
  if (known) return known;
  const heights = new Map(Object.keys(doc.flow.nodes).map((id) => [id, boxOfNode(doc, catalog, id).height]));
  heightsByFlow.set(doc.flow, heights);
  return heights;
}
