import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { ownEntry } from './awel-flow.ts';
import { idSource } from './names.ts';

export interface Drawn {
  readonly flow: Flow;
  readonly layout: Layout;
}

export type Drawing = ReturnType<typeof createDrawing>;

/** Adds nodes and edges to the flow of a file. */
export function createDrawing({ flow, layout }: Drawn) {
  const idOf = idSource(Object.keys(flow.nodes));
  const nodes = new Map(Object.entries(flow.nodes));
  const places = new Map(Object.entries(layout.nodes));
  const added = new Set<FlowEdge>();
  let edges = [...flow.edges];
  return {
    /** The nodes that add extras to a request, by the node that they are for. */
    merges: new Map<string, string>(),
    add(name: string, node: FlowNode, beside: string, off: { x: number; y: number }): string {
      const id = idOf(name);
      nodes.set(id, node);
      const at = ownEntry(layout.nodes, beside);
      if (at) places.set(id, { x: at.x + off.x, y: at.y + off.y });
      return id;
    },
    connect(from: string, to: string): void {
      const edge = { from, to };
      added.add(edge);
      edges.push(edge);
    },
    /** Moves an end of the file's own edges. */
    redirect(end: 'from' | 'to', old: string, now: string): void {
      edges = edges.map((edge) => (edge[end] === old && !added.has(edge) ? { ...edge, [end]: now } : edge));
    },
    replace(old: FlowEdge, now: FlowEdge): void {
      edges = edges.map((edge) => (edge === old ? now : edge));
    },
    leaves: (port: string): boolean => edges.some(({ from }) => from === port),
    /** The origins of the edges of an input. */
    sourcesOf: (port: string): string[] => edges.filter(({ to }) => to === port).map(({ from }) => from),
    portsTo(id: string): string[] {
      const to = edges.filter((edge) => edge.to.startsWith(`${id}.`)).map((edge) => edge.to);
      return [...new Set(to)].map((port) => port.slice(id.length + 1)).sort();
    },
    done: (): Drawn => ({
      flow: { ...flow, nodes: Object.fromEntries(nodes), edges },
      layout: { ...layout, nodes: Object.fromEntries(places) },
    }),
  };
}
