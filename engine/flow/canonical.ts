import { Flow, type FlowBody, FlowEdge, formatOf, FlowNode, FlowSettings, Retry } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';

/**
 * The canonical form of a flow: two-space JSON, keys in the order of the schema (unknown ones after them, as given), nodes by id,
 * one edge per line, LF and a final newline. Parsing such a text and writing it again produces the same bytes. A flow of format 1
 * that needs format 2 is written in format 2.
 */
export function formatFlow(flow: Flow): string {
  const members = inOrder(flow, Flow).map(([key, value]) => {
    if (key === 'format') return member(key, String(Math.max(flow.format, formatOf(flow))));
    if (key === 'nodes') return member(key, block(flowNodes(flow)));
    if (key === 'edges')
      return member(
        key,
        lines(sortedEdges(flow.edges).map((e) => inline(Object.fromEntries(inOrder(e, FlowEdge))))),
      );
    if (key === 'settings')
      return member(key, block(Object.fromEntries(inOrder(flow.settings ?? {}, FlowSettings))));
    return member(key, block(value));
  });
  return document(members);
}

/** The same flow with its nodes and edges in the order of the canonical form, so that its text corresponds to the flow. */
export function inCanonicalOrder(flow: Flow): Flow {
  return { ...flow, ...partsInOrder(flow) };
}

function partsInOrder({ nodes, edges }: Pick<Flow, 'nodes' | 'edges'>): Pick<Flow, 'nodes' | 'edges'> {
  const ids = Object.keys(nodes).sort();
  const sorted = ids.map((id): [string, FlowNode] => {
    const node = nodes[id] as FlowNode;
    return [id, node.body ? { ...node, body: { ...node.body, ...partsInOrder(node.body) } } : node];
  });
  return { nodes: Object.fromEntries(sorted), edges: sortedEdges(edges) };
}

/** The canonical form of the layout file: like a flow's, with one node, note or group per line. */
export function formatLayout(layout: Layout): string {
  const members = inOrder(layout, Layout).map(([key, value]) => {
    if (key === 'nodes') return member(key, nodeLines(layout.nodes));
    if (key === 'notes' || key === 'groups') return member(key, lines((value as unknown[]).map(inline)));
    return member(key, key === 'viewport' ? inline(value) : block(value));
  });
  return document(members);
}

function flowNodes({ nodes }: Pick<Flow, 'nodes'>): Record<string, unknown> {
  const ids = Object.keys(nodes).sort();
  return Object.fromEntries(ids.map((id) => [id, canonicalNode(nodes[id] as FlowNode)]));
}

function canonicalNode(node: FlowNode): Record<string, unknown> {
  const entries = inOrder(node, FlowNode);
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (key === 'retry') return [key, canonicalRetry(node)];
      return [key, key === 'body' && node.body ? canonicalBody(node.body) : value];
    }),
  );
}

function canonicalBody({ start, nodes, edges, ...more }: FlowBody): unknown {
  const sorted = sortedEdges(edges).map((edge) => Object.fromEntries(inOrder(edge, FlowEdge)));
  return { start, nodes: flowNodes({ nodes }), edges: sorted, ...more };
}

/** `parse` fills in the defaults, so they are written too: a text stays the same when it is read and written again. */
function canonicalRetry(node: FlowNode): unknown {
  const result = Retry.safeParse(node.retry);
  return result.success ? Object.fromEntries(inOrder(result.data, Retry)) : node.retry;
}

function sortedEdges(edges: readonly FlowEdge[]): FlowEdge[] {
  return edges.toSorted(
    (a, b) => compare(a.to, b.to) || compareOrder(a.order, b.order) || compare(a.from, b.from),
  );
}

function compareOrder(a: number | undefined, b: number | undefined): number {
  return a === b ? 0 : a === undefined ? 1 : b === undefined ? -1 : a - b;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The entries of an object: those of the schema first, in schema order; `undefined` counts as absent. */
function inOrder(value: object, schema: { shape: Readonly<Record<string, unknown>> }): [string, unknown][] {
  const given = Object.entries(value).filter(([, v]) => v !== undefined);
  const known = Object.keys(schema.shape).filter((key) => Object.hasOwn(value, key));
  const entries = new Map(given);
  const first = known
    .filter((key) => entries.has(key))
    .map((key): [string, unknown] => [key, entries.get(key)]);
  return [...first, ...given.filter(([key]) => !Object.hasOwn(schema.shape, key))];
}

function document(members: readonly string[]): string {
  return `{\n${members.map((m) => `  ${m}`).join(',\n')}\n}\n`;
}

function member(key: string, value: string): string {
  return `${JSON.stringify(key)}: ${value}`;
}

/** A value over several lines, one level in. Strings hold no raw line breaks, so every line break is between members. */
function block(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}

/** An array with one element per line. */
function lines(items: readonly string[]): string {
  return items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${item}`).join(',\n')}\n  ]`;
}

function nodeLines(nodes: Layout['nodes']): string {
  const entries = Object.keys(nodes)
    .sort()
    .map((id) => `    ${member(id, inline(nodes[id]))}`);
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n  }`;
}

/** A value on one line: `{ "from": "a.out", "to": "b.in" }`. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, v]) => v !== undefined);
  if (members.length === 0) return '{}';
  return `{ ${members.map(([key, v]) => member(key, inline(v))).join(', ')} }`;
}
