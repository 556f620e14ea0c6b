import type { ElkNode } from 'elkjs/lib/elk-api.js';

/**
 * Places of the nodes of a large graph in layers from left to right, in the format of elk, which takes five seconds for a thousand nodes. The usual steps: layers by the
 * longest way, a stand-in in each layer that an edge crosses, an order in each layer by the middle of the neighbours, and heights as near to the neighbours as the distances allow.
 */
export function layeredLayout(graph: ElkNode): ElkNode {
  const { items, links } = read(graph);
  let top = 0;
  for (const part of componentsOf(items, links)) {
    const layers = layersOf(part, links);
    for (let sweep = 0; sweep < SWEEPS; sweep++) order(layers, sweep % 2 === 0);
    place(layers);
    const all = layers.flat();
    const shift = top - Math.min(...all.map(({ y }) => y));
    for (const item of all) item.y += shift;
    top = Math.max(...all.map(({ y, height }) => y + height)) + BETWEEN_PARTS;
  }
  return { ...graph, children: items.map(({ id, x, y, width, height }) => ({ id, x, y, width, height })) };
}

/** An odd number: the last one follows the edges, so that a tree ends without a crossing. */
const SWEEPS = 9;
const HEIGHT_PASSES = 8;
const BETWEEN_LAYERS = 100;
const BETWEEN_NODES = 40;
const BETWEEN_PARTS = 60;
/** A longer edge is drawn straight across the layers: its stand-ins would be most of the work. */
const LONGEST = 40;

/** A node, or a stand-in of an edge. */
interface Item {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  layer: number;
  x: number;
  y: number;
  /** Ends of its edges in the layers before and after, with the heights of the ports. */
  readonly before: End[];
  readonly after: End[];
}

interface End {
  readonly item: Item;
  /** The middle of the port there, from the top of that item. */
  readonly theirs: number;
  /** The middle of the port here. */
  readonly ours: number;
}

interface Link {
  readonly from: Item;
  readonly to: Item;
  readonly out: number;
  readonly in: number;
}

function itemOf(id: string, { width = 0, height = 0 }: { width?: number; height?: number } = {}): Item {
  return { id, width, height, layer: 0, x: 0, y: 0, before: [], after: [] };
}

function read({ children = [], edges = [] }: ElkNode): { items: Item[]; links: Link[] } {
  const items = children.map((child) => itemOf(child.id, child));
  const ports = new Map(
    children.flatMap(({ ports: own = [] }, i) =>
      own.map((port) => [port.id, { item: items[i] as Item, y: port.y ?? 0 }] as const),
    ),
  );
  const links = edges.flatMap(({ sources, targets }) => {
    const [from, to] = [ports.get(sources[0] ?? ''), ports.get(targets[0] ?? '')];
    return from && to ? [{ from: from.item, to: to.item, out: from.y, in: to.y }] : [];
  });
  return { items, links };
}

/** The connected parts of the graph, in the order of the first node of each. */
function componentsOf(items: readonly Item[], links: readonly Link[]): Item[][] {
  const near = new Map<Item, Item[]>(items.map((item) => [item, []]));
  for (const { from, to } of links) {
    near.get(from)?.push(to);
    near.get(to)?.push(from);
  }
  const seen = new Set<Item>();
  return items.flatMap((item) => {
    if (seen.has(item)) return [];
    const part = [item];
    seen.add(item);
    for (const one of part)
      for (const next of near.get(one) ?? []) {
        if (!seen.has(next)) part.push(next);
        seen.add(next);
      }
    return [part];
  });
}

/** The items by layer, with the stand-ins of their edges. */
function layersOf(part: readonly Item[], links: readonly Link[]): Item[][] {
  const mine = new Set(part);
  const own = links.filter(({ from }) => mine.has(from));
  number(part, own);
  const layers: Item[][] = [];
  const put = (item: Item): void => {
    (layers[item.layer] ??= []).push(item);
  };
  for (const item of part) put(item);
  for (const link of own) connect(link, put);
  return layers;
}

/** Each layer is one more than the largest of the items before it; an item without a predecessor stands close to its followers. */
function number(part: readonly Item[], links: readonly Link[]): void {
  const out = Map.groupBy(links, ({ from }) => from);
  const missing = new Map<Item, number>();
  for (const { to } of links) missing.set(to, (missing.get(to) ?? 0) + 1);
  const ready = part.filter((item) => !missing.has(item));
  const starts = new Set(ready);
  for (const item of ready)
    for (const { to } of out.get(item) ?? []) {
      to.layer = Math.max(to.layer, item.layer + 1);
      const left = (missing.get(to) ?? 0) - 1;
      missing.set(to, left);
      if (left === 0) ready.push(to);
    }
  for (const start of starts) {
    const next = (out.get(start) ?? []).map(({ to }) => to.layer);
    if (next.length > 0) start.layer = Math.max(0, Math.min(...next) - 1);
  }
}

function connect({ from, to, out, in: into }: Link, put: (item: Item) => void): void {
  const length = to.layer - from.layer;
  // A cycle, which no flow can have for long, stays without an influence.
  if (length < 1) return;
  let last = { item: from, y: out };
  for (let step = 1; step < length && length <= LONGEST; step++) {
    const item = itemOf('');
    item.layer = from.layer + step;
    put(item);
    join(last, { item, y: 0 });
    last = { item, y: 0 };
  }
  join(last, { item: to, y: into });
}

interface Port {
  readonly item: Item;
  readonly y: number;
}

function join(from: Port, to: Port): void {
  from.item.after.push({ item: to.item, theirs: to.y, ours: from.y });
  to.item.before.push({ item: from.item, theirs: from.y, ours: to.y });
}

/** Orders each layer by the middle of the places of its neighbours in the layer before it, or after it. */
function order(layers: Item[][], isForward: boolean): void {
  for (const layer of layers) rank(layer);
  for (const layer of isForward ? layers : layers.toReversed()) {
    const middles = new Map(
      layer.map((item, i) => {
        const ends = isForward ? item.before : item.after;
        // The port decides between edges of one neighbour.
        const places = ends.map((end) => end.item.y + end.theirs / 10_000);
        return [item, places.length === 0 ? i : places.reduce((a, b) => a + b, 0) / places.length];
      }),
    );
    layer.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0));
    rank(layer);
  }
}

/** While they are ordered, the height of an item is its rank. */
function rank(layer: readonly Item[]): void {
  for (const [i, item] of layer.entries()) item.y = i;
}

function place(layers: readonly Item[][]): void {
  let x = 0;
  for (const layer of layers) {
    const width = Math.max(...layer.map((item) => item.width));
    let y = 0;
    for (const item of layer) {
      item.x = x;
      item.y = y;
      y += item.height + gapOf(item);
    }
    x += width + BETWEEN_LAYERS;
  }
  for (let pass = 0; pass < HEIGHT_PASSES; pass++) {
    const isForward = pass % 2 === 0;
    for (const layer of isForward ? layers : layers.toReversed()) settle(layer, isForward);
  }
}

const gapOf = ({ id }: Item): number => (id === '' ? BETWEEN_NODES / 2 : BETWEEN_NODES);

/** Items whose heights depend on each other, since they would overlap otherwise. */
interface Block {
  items: Item[];
  /** The sum of the heights that its items want for its first one. */
  wanted: number;
  y: number;
  size: number;
}

/** Moves each item of a layer to where its edges are level; those that would overlap meet in the middle. */
function settle(layer: readonly Item[], isForward: boolean): void {
  const blocks: Block[] = [];
  for (const item of layer) {
    const y = wantedOf(item, isForward);
    let block: Block = { items: [item], wanted: y, y, size: item.height + gapOf(item) };
    for (let last = blocks.at(-1); last && last.y + last.size > block.y; last = blocks.at(-1)) {
      blocks.pop();
      const wanted = last.wanted + block.wanted - last.size * block.items.length;
      const items = [...last.items, ...block.items];
      block = { items, wanted, y: wanted / items.length, size: last.size + block.size };
    }
    blocks.push(block);
  }
  for (const { items, y } of blocks) {
    let at = y;
    for (const item of items) {
      item.y = at;
      at += item.height + gapOf(item);
    }
  }
}

function wantedOf(item: Item, isForward: boolean): number {
  const ends = isForward ? item.before : item.after;
  if (ends.length === 0) return item.y;
  return ends.reduce((sum, end) => sum + end.item.y + end.theirs - end.ours, 0) / ends.length;
}
