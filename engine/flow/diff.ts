import type { FlowChange } from '#shared/api.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';

type Changed = Pick<Extract<FlowChange, { kind: 'flow-changed' }>, 'path' | 'before' | 'after'>;

/**
 * What was changed between two versions, nodes first. Order of nodes, of edges and of keys is no difference, except where edges
 * say their order themselves. Edges of a renamed node are the same edges.
 */
export function diffFlows(before: Flow, after: Flow): FlowChange[] {
  const renamed = renamedNodes(before, after);
  const old = renamed.size === 0 ? before : withNames(before, renamed);
  return [
    ...[...renamed].map(([node, to]) => ({ kind: 'node-renamed' as const, node, to })),
    ...nodeChanges(old, after),
    ...edgeChanges(old, after),
    ...fieldChanges(headOf(before), headOf(after)).map((change) => ({
      kind: 'flow-changed' as const,
      ...change,
    })),
  ];
}

function headOf({ id: _id, nodes: _nodes, edges: _edges, format: _format, ...head }: Flow): object {
  return head;
}

function nodeChanges(before: Flow, after: Flow): FlowChange[] {
  const changes: FlowChange[] = [];
  for (const node of unique(before.nodes, after.nodes)) {
    const [old, now] = [before.nodes[node], after.nodes[node]];
    if (old === undefined && now) changes.push({ kind: 'node-added', node, operator: now.operator });
    else if (now === undefined && old) changes.push({ kind: 'node-removed', node, operator: old.operator });
    else if (old && now)
      changes.push(
        ...fieldChanges(old, now).map((change) => ({ kind: 'node-changed' as const, node, ...change })),
      );
  }
  return changes;
}

function edgeChanges(before: Flow, after: Flow): FlowChange[] {
  const change = (kind: 'edge-added' | 'edge-removed', these: Flow, others: Flow): FlowChange[] => {
    const known = new Set(others.edges.map(edgeKey));
    return these.edges
      .filter((edge) => !known.has(edgeKey(edge)))
      .map(({ from, to }) => ({ kind, from, to }));
  };
  return [...change('edge-removed', before, after), ...change('edge-added', after, before)];
}

function edgeKey({ from, to, order }: Flow['edges'][number]): string {
  return `${from} ${to} ${order ?? ''}`;
}

/** Where two objects differ; inside of arrays no further, since what moved cannot be told from what changed. */
function fieldChanges(before: object, after: object, path = ''): Changed[] {
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return unique(old, now).flatMap((key) => {
    const [a, b] = [old[key], now[key]];
    const at = path === '' ? key : `${path}.${key}`;
    if (isRecord(a) && isRecord(b)) return fieldChanges(a, b, at);
    return textOf(a) === textOf(b) ? [] : [{ path: at, before: a, after: b }];
  });
}

// ------------------------------------------------------------------------------------------------------ renamed nodes

/** Old ids by new ones are guessed only where there is no doubt: one node gone, one come, and both are the same. */
function renamedNodes(before: Flow, after: Flow): Map<string, string> {
  const gone = Object.keys(before.nodes).filter((id) => after.nodes[id] === undefined);
  const come = Object.keys(after.nodes).filter((id) => before.nodes[id] === undefined);
  const renamed = new Map<string, string>();
  for (const id of gone) {
    const same = (other: string | undefined, node: FlowNode | undefined): boolean =>
      other !== undefined && textOf(node) === textOf(before.nodes[id]);
    const targets = come.filter((other) => same(other, after.nodes[other]));
    const rivals = gone.filter((other) => textOf(before.nodes[other]) === textOf(before.nodes[id]));
    const [only] = targets;
    if (only !== undefined && targets.length === 1 && rivals.length === 1) renamed.set(id, only);
  }
  return renamed;
}

function withNames(flow: Flow, names: ReadonlyMap<string, string>): Flow {
  const renamed = (ref: string): string => {
    const dot = ref.indexOf('.');
    return `${names.get(ref.slice(0, dot)) ?? ref.slice(0, dot)}${ref.slice(dot)}`;
  };
  return {
    ...flow,
    nodes: Object.fromEntries(Object.entries(flow.nodes).map(([id, node]) => [names.get(id) ?? id, node])),
    edges: flow.edges.map((edge) => ({ ...edge, from: renamed(edge.from), to: renamed(edge.to) })),
  };
}

// ------------------------------------------------------------------------------------------------------------ helpers

function unique(a: object, b: object): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same for equal values, whatever the order of keys. */
function textOf(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      isRecord(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ''
  );
}
