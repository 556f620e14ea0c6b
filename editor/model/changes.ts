import { formatFlow } from '#engine/check';
import type { Doc } from './document.ts';
import { edgeId } from './document.ts';

/** One difference between two states of a flow, in words for the person who has to choose. */
export interface Change {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly text: string;
}

/** What was done to a flow from one state to another: nodes by id, connections, the flow's own fields. Places do not count. */
export function changesBetween(from: Doc, to: Doc): Change[] {
  if (formatFlow(from.flow) === formatFlow(to.flow)) return [];
  return [...flowChanges(from, to), ...nodeChanges(from, to), ...edgeChanges(from, to)];
}

function flowChanges(from: Doc, to: Doc): Change[] {
  const fields = changedKeys(from.flow, to.flow).filter((key) => key !== 'nodes' && key !== 'edges');
  return fields.map((field) => ({ kind: 'changed', text: `The flow: ${field}` }));
}

function nodeChanges(from: Doc, to: Doc): Change[] {
  const ids = [...new Set([...Object.keys(from.flow.nodes), ...Object.keys(to.flow.nodes)])].sort();
  return ids.flatMap((id): Change[] => {
    const [before, after] = [from.flow.nodes[id], to.flow.nodes[id]];
    if (!before && after) return [{ kind: 'added', text: nameOf(id, after.name) }];
    if (before && !after) return [{ kind: 'removed', text: nameOf(id, before.name) }];
    const fields = before && after ? changedFields(before, after) : [];
    return fields.length > 0
      ? [{ kind: 'changed', text: `${nameOf(id, after?.name)}: ${fields.join(', ')}` }]
      : [];
  });
}

function edgeChanges(from: Doc, to: Doc): Change[] {
  const [before, after] = [from, to].map(({ flow }) => new Map(flow.edges.map((e) => [edgeId(e), e]))) as [
    Map<string, Doc['flow']['edges'][number]>,
    Map<string, Doc['flow']['edges'][number]>,
  ];
  const wire = (e: { from: string; to: string }): string => `${e.from} → ${e.to}`;
  return [
    ...[...after]
      .filter(([id]) => !before.has(id))
      .map(([, e]) => ({ kind: 'added' as const, text: wire(e) })),
    ...[...before]
      .filter(([id]) => !after.has(id))
      .map(([, e]) => ({ kind: 'removed' as const, text: wire(e) })),
    ...[...after]
      .filter(([id, e]) => before.has(id) && !same(before.get(id), e))
      .map(([, e]) => ({ kind: 'changed' as const, text: wire(e) })),
  ];
}

function nameOf(id: string, name: string | undefined): string {
  return name === undefined ? id : `${name} (${id})`;
}

/** Fields of a node; of its params each by itself. */
function changedFields(before: object, after: object): string[] {
  return changedKeys(before, after).flatMap((key) => {
    if (key !== 'params') return [key];
    return changedKeys(field(before, 'params') ?? {}, field(after, 'params') ?? {});
  });
}

function changedKeys(before: object, after: object): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !same(field(before, key), field(after, key)));
}

function field(of: object, key: string): object | undefined {
  return (of as Record<string, object | undefined>)[key];
}

/** Whether two values say the same as JSON. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** The order of keys is no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, v]) => [key, sorted(v)]),
  );
}
