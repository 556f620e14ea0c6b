import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { purposeOf } from '#shared/purpose.ts';

/** The size of a node in the layout, as the canvas draws it. */
const WIDTH = 240;
const HEIGHT = 84;
const MARGIN = 40;
/** Of a picture. */
const USUAL_ASPECT = 3;
const MOST_STRETCH = 2.5;

interface Box {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly purpose: string;
  readonly isFrame: boolean;
}

/** A small picture of a flow, drawn from its layout: a card for each node in the colour of its purpose, and the wires. */
export function FlowPicture({ flow, layout, label }: { flow: Flow; layout: Layout; label: string }) {
  const boxes = stretched(boxesOf(flow, layout));
  if (boxes.length === 0) return null;
  const at = new Map(boxes.map((box) => [box.id, box]));
  const left = Math.min(...boxes.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...boxes.map(({ y }) => y)) - MARGIN;
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + MARGIN;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + MARGIN;
  const wires = edgesOf(flow).flatMap(({ from, to }) => {
    const [a, b] = [at.get(nodeOf(from)), at.get(nodeOf(to))];
    return a && b ? [{ key: `${from} ${to}`, path: wire(a, b) }] : [];
  });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${left} ${top} ${right - left} ${bottom - top}`}
      preserveAspectRatio="xMidYMid meet"
      className="size-full"
    >
      {boxes.filter(({ isFrame }) => isFrame).map(card)}
      {wires.map(({ key, path }) => (
        <path key={key} d={path} fill="none" strokeWidth={6} className="stroke-line-strong" />
      ))}
      {boxes.filter(({ isFrame }) => !isFrame).map(card)}
    </svg>
  );
}

/** A long row of cards would be a thin line: they are drawn higher, the longer it is. */
function stretched(boxes: readonly Box[]): Box[] {
  const span = (from: (box: Box) => number, to: (box: Box) => number): number =>
    Math.max(...boxes.map(to)) - Math.min(...boxes.map(from));
  const width = span(
    ({ x }) => x,
    (box) => box.x + box.width,
  );
  const height = span(
    ({ y }) => y,
    (box) => box.y + box.height,
  );
  const by = Math.min(MOST_STRETCH, Math.max(1, width / height / USUAL_ASPECT));
  return boxes.map((box) => ({ ...box, y: box.y * by, height: box.height * by }));
}

function card({ id, x, y, width, height, purpose, isFrame }: Box) {
  return (
    <g key={id} data-purpose={purpose}>
      <rect
        x={x}
        y={y}
        width={width}
        height={height}
        rx={16}
        strokeWidth={5}
        fillOpacity={isFrame ? 0.08 : 1}
        fill={isFrame ? 'var(--purpose)' : undefined}
        className={isFrame ? 'stroke-line-strong' : 'fill-surface stroke-line-strong'}
      />
      <rect x={x} y={y} width={width} height={isFrame ? 14 : 20} rx={10} fill="var(--purpose)" />
      {!isFrame && (
        <>
          <rect x={x + 22} y={y + 38} width={width * 0.55} height={10} rx={5} className="fill-line-strong" />
          <rect x={x + 22} y={y + 58} width={width * 0.75} height={8} rx={4} className="fill-line" />
        </>
      )}
    </g>
  );
}

type Nodes = Flow['nodes'];

function boxesOf(flow: Flow, { nodes: places }: Layout): Box[] {
  return nodesOf(flow.nodes).flatMap(([id, node]) => {
    const place = places[id];
    if (!place) return [];
    const [group = ''] = node.operator.split('.');
    const purpose = purposeOf({ group, trigger: group === 'trigger', effects: 'pure' });
    const { width = WIDTH, height = HEIGHT } = place;
    return [{ id, x: place.x, y: place.y, width, height, purpose, isFrame: node.body !== undefined }];
  });
}

/** With those in bodies. */
function nodesOf(nodes: Nodes): (readonly [string, Nodes[string]])[] {
  return Object.entries(nodes).flatMap(([id, node]) => [
    [id, node] as const,
    ...(node.body ? nodesOf(node.body.nodes) : []),
  ]);
}

function edgesOf(flow: Pick<Flow, 'nodes' | 'edges'>): { readonly from: string; readonly to: string }[] {
  const inner = Object.values(flow.nodes).flatMap(({ body }) => (body ? edgesOf(body) : []));
  return [...flow.edges, ...inner];
}

const nodeOf = (end: string): string => end.slice(0, end.indexOf('.'));

function wire(from: Box, to: Box): string {
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2];
  const [x2, y2] = [to.x, to.y + to.height / 2];
  const bend = Math.max(40, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
