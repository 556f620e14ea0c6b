import { flowGraph, incoming, placedNodes, topologicalOrder } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { summaryOf } from '#shared/summary.ts';
import { printable } from '../io.ts';

const MAX_LINES = 200;
const MAX_INDENT = 12;

/**
 * The graph as lines: each node once, with what it does, below its sources, indented by its level (the longest path from a start). The
 * sources of its inputs follow the arrow: `source`, `source.port` for an output other than `out`, `port=source` for an
 * input other than `in`.
 */
export function graphText(flow: Flow, catalog: Catalog): string[] {
  const { levels, sources } = levelsOf(flow);
  const ids = [...levels.keys()];
  const rows = ids.slice(0, MAX_LINES).map((id) => {
    const indent = '  '.repeat(Math.min(levels.get(id) as number, MAX_INDENT));
    return { name: `${indent}${id}`, id };
  });
  const nameWidth = widest(rows.map(({ name }) => name));
  const operatorWidth = widest(rows.map(({ id }) => operatorOf(flow, id)));
  const lines = rows.map(({ name, id }) => {
    const operator = operatorOf(flow, id).padEnd(operatorWidth);
    return `${name.padEnd(nameWidth)}  ${operator}  ${remarks(flow, id, sources.get(id) ?? [], catalog)}`.trimEnd();
  });
  const left = ids.length - rows.length;
  return left > 0 ? [...lines, `… and ${left} more nodes`] : lines;
}

/** Nodes by level, then in the order in which they can run; nodes on a cycle come last. */
function levelsOf(flow: Flow): { levels: Map<string, number>; sources: Map<string, string[]> } {
  const graph = flowGraph(flow);
  const { order, rest } = topologicalOrder(graph);
  const level = new Map<string, number>();
  const sources = new Map<string, string[]>();
  for (const id of [...order, ...rest]) {
    const edges = incoming(graph, id);
    level.set(
      id,
      edges.reduce((most, { from }) => Math.max(most, (level.get(from) ?? -1) + 1), 0),
    );
    sources.set(
      id,
      edges.map(({ from, fromPort, toPort }) => {
        const source = fromPort === 'out' ? from : `${from}.${fromPort}`;
        return toPort === 'in' ? source : `${toPort}=${source}`;
      }),
    );
  }
  return { levels: new Map([...level].sort(([, a], [, b]) => a - b)), sources };
}

function operatorOf(flow: Flow, id: string): string {
  return printable(flow.nodes[id]?.operator ?? '');
}

/** What the node does, as on its card in the editor, and its sources. */
function remarks(flow: Flow, id: string, sources: readonly string[], catalog: Catalog): string {
  const node = flow.nodes[id];
  const info = node && Object.hasOwn(catalog.operators, node.operator) && catalog.operators[node.operator];
  const does = info ? [printable(summaryOf(node, info))] : [];
  const from = sources.length > 0 ? [`← ${sources.join(', ')}`] : [];
  return [...does, ...from, ...(node ? notesOn(node) : [])].join('  ');
}

function notesOn({ each, body, disabled }: FlowNode): string[] {
  const held = body === undefined ? 0 : [...placedNodes(body.nodes)].length;
  return [
    ...(each ? ['(for each item)'] : []),
    ...(body ? [`(a body of ${held} ${held === 1 ? 'node' : 'nodes'})`] : []),
    ...(disabled ? ['(disabled)'] : []),
  ];
}

function widest(texts: readonly string[]): number {
  return Math.min(
    60,
    texts.reduce((most, text) => Math.max(most, text.length), 0),
  );
}
