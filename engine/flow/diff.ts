import type { FlowChange } from '#shared/api.ts';
import { type Flow, type FlowNode, splitPortRef } from '#shared/flow.ts';
import { isRecord, sortedJson } from '#shared/json.ts';
import { renameNodes } from './rename-node.ts';

type Changed = Pick<Extract<FlowChange, { kind: 'flow-changed' }>, 'path' | 'before' | 'after'>;

/**
 * The changes between two versions, nodes first. The order of nodes, edges and keys is no difference, except for edges with an
 * explicit order. Edges of a renamed node are the same edges, and expressions that read it the same expressions.
 */
export function diffFlows(before: Flow, after: Flow): FlowChange[] {
  const { renamed, flow: old } = withNewNames(before, after);
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
    const [old, now] = [own(before.nodes, node), own(after.nodes, node)];
    if (old === undefined && now) changes.push({ kind: 'node-added', node, operator: now.operator });
    else if (now === undefined && old) changes.push({ kind: 'node-removed', node, operator: old.operator });
    else if (old && now && !sameJson(old, now))
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
      .map(({ from, to, pick }) => ({ kind, from, to, ...(pick !== undefined && { pick }) }));
  };
  return [...change('edge-removed', before, after), ...change('edge-added', after, before)];
}

function edgeKey({ from, to, order, pick }: Flow['edges'][number]): string {
  return `${from} ${to} ${order ?? ''} ${pick ?? ''}`;
}

/** The paths at which two objects differ. Arrays are compared as a whole, since moved and changed elements look alike. */
function fieldChanges(before: object, after: object, path = ''): Changed[] {
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return unique(old, now).flatMap((key) => {
    const [a, b] = [own(old, key), own(now, key)];
    const at = path === '' ? key : `${path}.${key}`;
    if (isRecord(a) && isRecord(b)) return fieldChanges(a, b, at);
    return sameJson(a, b) ? [] : [{ path: at, before: a, after: b }];
  });
}

// ------------------------------------------------------------------------------------------------------ renamed nodes

/** The older flow with the new ids of its nodes, and the new ids by the old ones. */
function withNewNames(before: Flow, after: Flow): { renamed: ReadonlyMap<string, string>; flow: Flow } {
  const renamed = new Map<string, string>();
  let flow = before;
  // A node that reads a renamed one is the same as before only with the new name in it.
  for (let found = newNames(flow, after); found.size > 0; found = newNames(flow, after)) {
    for (const [from, to] of found) renamed.set(from, to);
    flow = withNames(flow, found, after);
  }
  return { renamed, flow };
}

/** New ids by old ones. A rename is assumed only if there is no doubt: one node gone, one added, and both are the same. */
function newNames(before: Flow, after: Flow): Map<string, string> {
  const gone = idsByText(before, after);
  const come = gone.size === 0 ? gone : idsByText(after, before);
  const names = new Map<string, string>();
  for (const [text, [from, rival]] of gone) {
    const [to, other] = come.get(text) ?? [];
    if (from !== undefined && rival === undefined && to !== undefined && other === undefined)
      names.set(from, to);
  }
  return names;
}

/** Nodes that the other flow does not have, by what they say. */
function idsByText(flow: Flow, other: Flow): Map<string, string[]> {
  const ids = Object.keys(flow.nodes).filter((id) => !Object.hasOwn(other.nodes, id));
  return Map.groupBy(ids, (id) => sortedJson(flow.nodes[id]));
}

function withNames(flow: Flow, names: ReadonlyMap<string, string>, after: Flow): Flow {
  const renamed = (ref: string): string => {
    const { node, port } = splitPortRef(ref);
    return names.has(node) ? `${names.get(node)}.${port}` : ref;
  };
  const old = Object.values(flow.nodes);
  const nodes = Object.entries(renameNodes(flow.nodes, names)).map(([id, node], at): [string, FlowNode] => {
    const asItWas = old[at] as FlowNode;
    // What still says the old name has not changed.
    return [id, sameJson(asItWas, own(after.nodes, id)) ? asItWas : node];
  });
  const edges = flow.edges.map((edge) => ({ ...edge, from: renamed(edge.from), to: renamed(edge.to) }));
  return { ...flow, nodes: Object.fromEntries(nodes), edges };
}

// ------------------------------------------------------------------------------------------------------------ helpers

function unique(a: object, b: object): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Whether two values are equal as JSON, whatever the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  // Two texts of one flow mostly have their keys in the same order.
  return a === b || JSON.stringify(a) === JSON.stringify(b) || sortedJson(a) === sortedJson(b);
}
