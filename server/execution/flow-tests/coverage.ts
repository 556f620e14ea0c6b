import { placedNodes } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';

/**
 * How much of a flow its tests cover. Parts are named as in the flow: a node by its id, an edge and a branch by
 * `node.port`.
 */
export interface Coverage {
  readonly nodes: Covered;
  readonly edges: Covered;
  /** Output ports of nodes with several ports in use, such as the branches of a switch. */
  readonly branches: Covered;
}

/** How many parts of a flow its tests reach. */
export interface Covered {
  readonly hit: number;
  readonly of: number;
  readonly missed: readonly string[];
}

/** A node with a substituted output counts as covered: the flow went through it. */
export function coverageOf(flow: Flow, runs: Iterable<readonly RunEvent[]>): Coverage {
  const nodes = new Set<string>();
  const ports = new Set<string>();
  for (const events of runs) for (const event of events) note(event, nodes, ports);
  const placed = [...placedNodes(flow.nodes)];
  const all = [...flow.edges, ...placed.flatMap(({ node }) => node.body?.edges ?? [])];
  return {
    nodes: covered(
      placed.filter(({ node }) => node.disabled !== true).map(({ id }) => id),
      (id) => nodes.has(id),
    ),
    edges: covered(
      all.map(({ from, to }) => `${from} > ${to}`),
      (edge) => ports.has(edge.slice(0, edge.indexOf(' '))),
    ),
    branches: covered(branchesOf(all), (port) => ports.has(port)),
  };
}

function note(event: RunEvent, nodes: Set<string>, ports: Set<string>): void {
  if (event.kind === 'node-started') nodes.add(event.node);
  else if (event.kind === 'node-output' || event.kind === 'node-chunk')
    ports.add(`${event.node}.${event.port}`);
}

function branchesOf(edges: Flow['edges']): string[] {
  const used = new Map<string, Set<string>>();
  for (const { from } of edges) {
    const node = from.slice(0, from.indexOf('.'));
    const ports = used.get(node) ?? new Set();
    used.set(node, ports.add(from));
  }
  return [...used.values()].flatMap((ports) => (ports.size > 1 ? [...ports] : []));
}

function covered(all: readonly string[], isHit: (part: string) => boolean): Covered {
  const missed = all.filter((part) => !isHit(part));
  return { hit: all.length - missed.length, of: all.length, missed };
}
