import type { Catalog } from '#shared/catalog.ts';
import { purposeOf } from '#shared/purpose.ts';
import type { Doc, Point } from '../model/document/document.ts';
import { infoOf, nodeOf } from '../model/document/edit.ts';
import { flatFlow } from '../model/document/flat.ts';
import { drawnBox, hiddenNodes, isFrame } from '../model/document/frames.ts';
import type { Bounds } from '../model/document/geometry.ts';
import { noteBox } from '../model/document/notes.ts';
import type { Size, Viewport } from '../model/drawing/viewport.ts';
import type { NodeRun, NodeStatus } from '../state/run-store.ts';

/** The content of the overview or of the minimap. */
export interface OverviewScene {
  readonly doc: Doc;
  readonly catalog: Catalog;
  readonly selectedNodes: ReadonlySet<string>;
  /** Nodes of the run on the canvas, by id. */
  readonly statuses: Readonly<Record<string, NodeRun>>;
  /** The viewport of the canvas; for the minimap, one that fits the whole flow into it. */
  readonly viewport: Viewport;
  /** Size of the drawing in CSS pixels. */
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
  if (!scene.isMap) drawEdges(context, scene, { color: color('--line-strong'), width: 1.2 / viewport.zoom });
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

function drawEdges(
  context: CanvasRenderingContext2D,
  { doc, catalog }: OverviewScene,
  pen: { color: string; width: number },
): void {
  context.strokeStyle = pen.color;
  context.lineWidth = pen.width;
  context.beginPath();
  const boxes = boxesOf(doc, catalog);
  for (const edge of flatFlow(doc.flow).edges) {
    const from = boxes.get(nodeOf(edge.from));
    const to = boxes.get(nodeOf(edge.to));
    if (!from || !to) continue;
    line(context, { x: from.x + from.width, y: from.y + 36 }, { x: to.x, y: to.y + 36 });
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
  const { nodes } = flatFlow(doc.flow);
  const [frame, accent] = [color('--line-strong'), color('--accent')];
  for (const [id, box] of boxesOf(doc, catalog)) {
    const status = statuses[id]?.status;
    const paint = {
      own: color(`--purpose-${purposeOf(infoOf(catalog, nodes[id]))}`),
      state: status && colors.get(status),
      selected: selectedNodes.has(id) ? accent : undefined,
      frame,
    };
    paintNode(context, box, { paint, isMap, isFrame: isFrame(doc, id) });
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
  {
    paint: { own, state, selected, frame },
    isMap,
    isFrame,
  }: { paint: Paint; isMap: boolean; isFrame: boolean },
): void {
  context.fillStyle = isMap ? (state ?? own) : own;
  context.globalAlpha = isFrame ? 0.15 : 1;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  if (isMap && selected === undefined) return;
  context.strokeStyle = selected ?? state ?? frame;
  context.lineWidth = selected === undefined && state === undefined ? 5 : 16;
  context.strokeRect(x, y, width, height);
}

interface Boxes {
  readonly flow: Doc['flow'];
  readonly boxes: ReadonlyMap<string, Bounds>;
}

const boxesByLayout = new WeakMap<Doc['layout'], Boxes>();

/** The boxes of all nodes that are drawn, those around others first; computed once per state of the flow: a pan draws many times. */
function boxesOf(doc: Doc, catalog: Catalog): ReadonlyMap<string, Bounds> {
  const known = boxesByLayout.get(doc.layout);
  if (known?.flow === doc.flow) return known.boxes;
  const hidden = hiddenNodes(doc);
  const boxes = new Map(
    Object.keys(flatFlow(doc.flow).nodes).flatMap((id): [string, Bounds][] => {
      const box = hidden.has(id) ? undefined : drawnBox(doc, catalog, id);
      return box ? [[id, box]] : [];
    }),
  );
  boxesByLayout.set(doc.layout, { flow: doc.flow, boxes });
  return boxes;
}
