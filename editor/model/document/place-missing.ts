import type { Catalog } from '#shared/catalog.ts';
import type { FlowEdge } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import type { Doc, Point } from './document.ts';
import { nodeOf, snap } from './edit.ts';
import { flatFlow, idsWithin } from './flat.ts';
import { firstPlace, framesOf, isFrame } from './frames.ts';
import { boxOfNode, NODE_WIDTH } from './geometry.ts';

/** Without the operator, a node is as large as its edges require. */
export const NO_CATALOG: Catalog = { operators: {} };

const BETWEEN = 100;
const GAP = 40;

/**
 * Positions for nodes without one (in a file written by hand): columns by their distance from the start. Each node is level
 * with its source if there is room, and no node overlaps another. Bodies are placed from the innermost, so that the frame around
 * one is known when it gets its own place.
 */
export function placeMissing(doc: Doc, catalog: Catalog = NO_CATALOG): Doc {
  const isPlaced = Object.keys(flatFlow(doc.flow).nodes).every((id) => doc.layout.nodes[id]);
  if (isPlaced) return doc;
  return placeGraph(doc, catalog, { ids: Object.keys(doc.flow.nodes), edges: doc.flow.edges, from: ORIGIN });
}

const ORIGIN: Point = { x: 0, y: 0 };

interface Level {
  /** The nodes of the flow itself, or of a body with its start. */
  readonly ids: readonly string[];
  readonly edges: readonly FlowEdge[];
  readonly from: Point;
}

function placeGraph(doc: Doc, catalog: Catalog, level: Level): Doc {
  const missing = level.ids.filter((id) => !doc.layout.nodes[id]);
  const inner = level.ids.reduce((done, id) => placeBody(done, catalog, id), doc);
  return missing.length === 0 ? inner : placeLevel(inner, catalog, { ...level, missing });
}

/** The nodes in a frame; while it has no place itself, from the middle of the canvas. */
function placeBody(doc: Doc, catalog: Catalog, id: string): Doc {
  const { body } = flatFlow(doc.flow).nodes[id] ?? {};
  if (!body) return doc;
  const first = firstPlace(doc, catalog, id);
  const { x, y } = doc.layout.nodes[id] ?? ORIGIN;
  const from = { x: x + first.x, y: y + first.y };
  return placeGraph(doc, catalog, { ids: [body.start, ...Object.keys(body.nodes)], edges: body.edges, from });
}

function placeLevel(doc: Doc, catalog: Catalog, of: Level & { readonly missing: readonly string[] }): Doc {
  const { from, missing } = of;
  const nodes: Record<string, Layout['nodes'][string]> = { ...doc.layout.nodes };
  const sources = sourcesOf(of.edges);
  const size = (id: string) => sizeOf(doc, catalog, id);
  const placed = of.ids.flatMap((id) => {
    const place = doc.layout.nodes[id];
    return place ? [{ x: place.x, y: place.y, height: size(id).height }] : [];
  });
  let [x, column] = [from.x, 0];
  for (const [at, ids] of columnsOf(missing, of)) {
    x += (at - column) * (NODE_WIDTH + BETWEEN);
    let free = from.y;
    const beside = ids.map((id) => ({
      id,
      y: levelOf(
        (sources.get(id) ?? []).flatMap((s) => nodes[s] ?? []),
        from.y,
      ),
    }));
    for (const { id, y: level } of beside.sort((a, b) => a.y - b.y)) {
      const y = below(placed, { x, y: Math.max(free, level), height: size(id).height });
      place(doc, nodes, id, snap({ x, y }));
      free = y + size(id).height + GAP;
    }
    x += Math.max(...ids.map((id) => size(id).width)) + BETWEEN;
    column = at + 1;
  }
  return { ...doc, layout: { ...doc.layout, nodes } };
}

/** A node that had no place, with all that is in it. */
function place(doc: Doc, nodes: Record<string, Layout['nodes'][string]>, id: string, at: Point): void {
  nodes[id] = at;
  for (const inner of idsWithin(flatFlow(doc.flow).nodes[id] ?? {})) {
    const before = nodes[inner];
    if (before) nodes[inner] = { ...before, x: before.x + at.x, y: before.y + at.y };
  }
}

function sizeOf(doc: Doc, catalog: Catalog, id: string): { width: number; height: number } {
  if (!isFrame(doc, id)) return boxOfNode(doc, catalog, id);
  return framesOf(doc, catalog).get(id) ?? boxOfNode(doc, catalog, id);
}

function columnsOf(ids: readonly string[], level: Level): [number, string[]][] {
  const depth = depths(level);
  const columns = new Map<number, string[]>();
  for (const id of ids) {
    const column = depth.get(id) ?? 0;
    columns.set(column, [...(columns.get(column) ?? []), id]);
  }
  return [...columns].sort(([a], [b]) => a - b);
}

function sourcesOf(edges: readonly FlowEdge[]): Map<string, string[]> {
  const sources = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const of = sources.get(nodeOf(to)) ?? [];
    of.push(nodeOf(from));
    sources.set(nodeOf(to), of);
  }
  return sources;
}

function levelOf(sources: readonly Point[], top: number): number {
  return sources.length === 0 ? top : sources.reduce((sum, { y }) => sum + y, 0) / sources.length;
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
function depths({ ids, edges }: Level): Map<string, number> {
  const depth = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < Math.min(ids.length, 50); round++) {
    let changed = false;
    for (const edge of edges) {
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
