import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Doc, Point } from './document.ts';
import { nodeOf, snap } from './edit.ts';
import { boxOfNode, NODE_WIDTH } from './geometry.ts';

/** Without the operator, a node is as large as its edges require. */
export const NO_CATALOG: Catalog = { operators: {} };

const COLUMN = NODE_WIDTH + 100;
const GAP = 40;

/**
 * Positions for nodes without one (in a file written by hand): columns by their distance from the start. Each node is level
 * with its source if there is room, and no node overlaps another.
 */
export function placeMissing(doc: Doc, catalog: Catalog = NO_CATALOG): Doc {
  const missing = Object.keys(doc.flow.nodes).filter((id) => !doc.layout.nodes[id]);
  if (missing.length === 0) return doc;
  const nodes: Record<string, Point> = { ...doc.layout.nodes };
  const sources = sourcesOf(doc.flow);
  const height = (id: string): number => boxOfNode(doc, catalog, id).height;
  const placed = Object.entries(doc.layout.nodes).map(([id, at]) => ({ ...at, height: height(id) }));
  for (const [column, ids] of columnsOf(missing, doc.flow)) {
    const x = column * COLUMN;
    let free = 0;
    const beside = ids.map((id) => ({
      id,
      y: levelOf((sources.get(id) ?? []).flatMap((s) => nodes[s] ?? [])),
    }));
    for (const { id, y: level } of beside.sort((a, b) => a.y - b.y)) {
      const y = below(placed, { x, y: Math.max(free, level), height: height(id) });
      nodes[id] = snap({ x, y });
      free = y + height(id) + GAP;
    }
  }
  return { ...doc, layout: { ...doc.layout, nodes } };
}

function columnsOf(ids: readonly string[], flow: Flow): [number, string[]][] {
  const depth = depths(flow);
  const columns = new Map<number, string[]>();
  for (const id of ids) {
    const column = depth.get(id) ?? 0;
    columns.set(column, [...(columns.get(column) ?? []), id]);
  }
  return [...columns].sort(([a], [b]) => a - b);
}

function sourcesOf({ edges }: Flow): Map<string, string[]> {
  const sources = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const of = sources.get(nodeOf(to)) ?? [];
    of.push(nodeOf(from));
    sources.set(nodeOf(to), of);
  }
  return sources;
}

function levelOf(sources: readonly Point[]): number {
  return sources.length === 0 ? 0 : sources.reduce((sum, { y }) => sum + y, 0) / sources.length;
}

/** The first height from there on at which no placed node is in the way. */
function below(
  placed: readonly (Point & { readonly height: number })[],
  { x, y, height }: Point & { readonly height: number },
): number {
  const inColumn = placed.filter((one) => Math.abs(one.x - x) < NODE_WIDTH).sort((a, b) => a.y - b.y);
  let at = y;
  for (const one of inColumn)
    if (one.y < at + height + GAP && at < one.y + one.height + GAP) at = one.y + one.height + GAP;
  return at;
}

/** Longest way from a start, bounded so that a cycle ends too. */
function depths(flow: Flow): Map<string, number> {
  const ids = Object.keys(flow.nodes);
  const depth = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < Math.min(ids.length, 50); round++) {
    let changed = false;
    for (const edge of flow.edges) {
      const from = depth.get(nodeOf(edge.from));
      const to = nodeOf(edge.to);
      if (from !== undefined && (depth.get(to) ?? Number.POSITIVE_INFINITY) <= from) {
        depth.set(to, from + 1);
        changed = true;
      }
    }
    if (!changed) break;
  }
  return depth;
}
