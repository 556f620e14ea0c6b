import type { SpanWait } from '#shared/run-timeline.ts';
import type { NodeTimes } from './node-times.ts';

/** Node to node, along the flow's edges. */
export type NodeEdge = readonly [from: string, to: string];

/** The clock counts whole milliseconds. */
const CLOCK_MS = 1;

/** How long each node had to wait for a free slot: from the end of the last node that it depends on to its own start. */
export function waitsForTurn(
  nodes: readonly NodeTimes[],
  edges: readonly NodeEdge[],
): ReadonlyMap<string, SpanWait> {
  const times = new Map(nodes.map((node) => [node.node, node]));
  const ready = new Map<string, number>();
  for (const [from, to] of edges) {
    const source = times.get(from);
    if (source !== undefined) ready.set(to, Math.max(source.end, ready.get(to) ?? source.end));
  }
  const waits = new Map<string, SpanWait>();
  for (const { node, start } of nodes) {
    const from = ready.get(node);
    if (from !== undefined && start - from > CLOCK_MS)
      waits.set(node, { kind: 'turn', start: from, ms: start - from });
  }
  return waits;
}
