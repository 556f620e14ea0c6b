import type { CanvasEdge, CanvasNode } from '../model/drawing/project.ts';
import { edgeFlow } from './edge-flow.ts';
import { type Box, boxOf, type FarScene, type Pen, type Places } from './far-scene.ts';

interface Where {
  readonly places: Places;
  inView(box: Box): boolean;
}

interface Curve {
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
}

interface Stroke {
  readonly token: string;
  readonly width: number;
  readonly dash: readonly number[];
  readonly alpha: number;
}

/** Edges as `WireEdge` and `canvas.css` draw them; those that look alike are one path. */
export function drawFarEdges(pen: Pen, scene: FarScene, where: Where): void {
  const strokes = new Map<string, { stroke: Stroke; curves: Curve[] }>();
  for (const edge of scene.edges) {
    const curve = curveOf(edge, where.places);
    if (!curve || !where.inView(around(curve))) continue;
    const stroke = strokeOf(edge, scene);
    const key = JSON.stringify(stroke);
    const alike = strokes.get(key) ?? { stroke, curves: [] };
    strokes.set(key, alike);
    alike.curves.push(curve);
  }
  for (const alike of strokes.values()) draw(pen, alike);
  pen.context.setLineDash([]);
  pen.context.globalAlpha = 1;
}

function curveOf(edge: CanvasEdge, places: Places): Curve | undefined {
  const [source, target] = [places.get(edge.source), places.get(edge.target)];
  if (!source || !target) return undefined;
  const from = portOf(source, edge.sourceHandle, 'source');
  const to = portOf(target, edge.targetHandle, 'target');
  return from && to && { from, to };
}

function portOf(
  node: CanvasNode,
  port: string | null | undefined,
  type: 'source' | 'target',
): Curve['from'] | undefined {
  const handle = node.handles?.find((one) => one.id === port && one.type === type);
  const { x, y } = boxOf(node);
  return handle && { x: x + handle.x + (handle.width ?? 0) / 2, y: y + handle.y + (handle.height ?? 0) / 2 };
}

/** How far the curve leaves its ports level, as in the curves of the elements. */
function reachOf({ from, to }: Curve): number {
  const distance = to.x - from.x;
  return distance >= 0 ? distance / 2 : 6.25 * Math.sqrt(-distance);
}

function around(curve: Curve): Box {
  const { from, to } = curve;
  const reach = reachOf(curve);
  const [left, right] = [Math.min(from.x, to.x - reach), Math.max(from.x + reach, to.x)];
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  return { x: left, y: top - 2, width: right - left, height: bottom - top + 4 };
}

const MARKS = {
  added: { token: '--ok', width: 3, dash: [] },
  removed: { token: '--bad', width: 2, dash: [10, 5] },
  changed: { token: '--warn', width: 2.5, dash: [3, 5] },
  untested: { token: '--warn', width: 2.5, dash: [3, 5] },
} as const;

const LOOKS = {
  value: { token: '--line-strong', width: 1.75, dash: [] },
  missing: { token: '--line-strong', width: 1.75, dash: [] },
  stream: { token: '--port-stream', width: 2.25, dash: [8, 4] },
  error: { token: '--port-error', width: 1.75, dash: [2, 4] },
} as const;

function strokeOf(edge: CanvasEdge, { runs, marks }: FarScene): Stroke {
  const mark = marks?.edges[edge.id];
  if (mark) return { ...MARKS[mark], alpha: 1 };
  const look = edge.data?.look ?? 'value';
  const flow = edgeFlow(runs[edge.source], edge.sourceHandle ?? '');
  const token = flow === 'live' && look === 'value' ? '--ok' : LOOKS[look].token;
  return { ...LOOKS[look], token, alpha: flow === 'dead' ? 0.35 : 1 };
}

function draw({ context, color, zoom }: Pen, { stroke, curves }: { stroke: Stroke; curves: Curve[] }): void {
  context.strokeStyle = color(stroke.token);
  context.lineWidth = Math.max(stroke.width, 1 / zoom);
  context.globalAlpha = stroke.alpha;
  context.setLineDash([...stroke.dash]);
  context.beginPath();
  for (const curve of curves) {
    const { from, to } = curve;
    const reach = reachOf(curve);
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(from.x + reach, from.y, to.x - reach, to.y, to.x, to.y);
  }
  context.stroke();
}
