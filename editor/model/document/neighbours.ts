import { flowGraph, reach } from '#engine/check';
import type { Doc, Point } from './document.ts';
import { nodeOf } from './edit.ts';
import { flatFlow, holderOf } from './flat.ts';
import { hiddenNodes } from './frames.ts';

/** Ways from node to node: along the edges, or to the nearest node on the canvas. */
export type Direction = 'left' | 'right' | 'up' | 'down';

export const STEPS: Readonly<Record<Direction, Point>> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
};

/** The nodes and everything that runs before (`upstream`) or after them. */
export function withUpstream(doc: Doc, ids: Iterable<string>): Set<string> {
  return reach(flowGraph(flatFlow(doc.flow)), ids, true);
}

export function withDownstream(doc: Doc, ids: Iterable<string>): Set<string> {
  return reach(flowGraph(flatFlow(doc.flow)), ids);
}

/**
 * The expected node in a direction: left and right follow an edge if there is one. Otherwise, and for up and down, it is the
 * nearest node in that direction; a sideways distance counts double.
 */
export function neighbourOf(doc: Doc, id: string, direction: Direction): string | undefined {
  const from = doc.layout.nodes[id];
  if (!from) return undefined;
  const linked = linkedNodes(doc, id, direction);
  return nearest(doc, from, linked) ?? nearest(doc, from, ahead(doc, id, direction), direction);
}

function linkedNodes(doc: Doc, id: string, direction: Direction): string[] {
  const { edges } = flatFlow(doc.flow);
  if (direction === 'right') return edges.filter((e) => nodeOf(e.from) === id).map((e) => nodeOf(e.to));
  if (direction === 'left') return edges.filter((e) => nodeOf(e.to) === id).map((e) => nodeOf(e.from));
  return [];
}

function ahead(doc: Doc, id: string, direction: Direction): string[] {
  const from = doc.layout.nodes[id];
  const step = STEPS[direction];
  if (!from) return [];
  const hidden = hiddenNodes(doc);
  return Object.keys(flatFlow(doc.flow).nodes).filter((other) => {
    if (hidden.has(other) || isAround(doc, other, id)) return false;
    const to = doc.layout.nodes[other];
    return to && other !== id && (to.x - from.x) * step.x + (to.y - from.y) * step.y > 0;
  });
}

/** A frame around a node is in no direction from it. */
function isAround({ flow }: Doc, frame: string, id: string): boolean {
  return holderOf(flow, id) === frame;
}

function nearest(doc: Doc, from: Point, ids: readonly string[], direction?: Direction): string | undefined {
  let best: { id: string; distance: number } | undefined;
  const sideways = direction === 'up' || direction === 'down' ? { x: 2, y: 1 } : { x: 1, y: 2 };
  for (const id of ids) {
    const to = doc.layout.nodes[id];
    if (!to) continue;
    const distance = Math.abs(to.x - from.x) * sideways.x + Math.abs(to.y - from.y) * sideways.y;
    if (!best || distance < best.distance) best = { id, distance };
  }
  return best?.id;
}

/** Nodes in reading order, for keyboard users who have nothing selected. */
export function firstNode(doc: Doc): string | undefined {
  const places = Object.keys(doc.flow.nodes).map((id) => ({
    id,
    ...(doc.layout.nodes[id] ?? { x: 0, y: 0 }),
  }));
  return places.sort((a, b) => a.x - b.x || a.y - b.y)[0]?.id;
}
