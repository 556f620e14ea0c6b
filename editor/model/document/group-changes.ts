import type { FlowChange } from '#shared/api.ts';

/** All changes of one node, one edge, or the flow itself. */
export interface ChangeGroup {
  readonly key: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Its id afterwards. */
  readonly node?: string;
  readonly edge?: { readonly from: string; readonly to: string };
  readonly renamedFrom?: string;
  readonly fields: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[];
}

/** Groups single changes by the thing that was changed, in order. */
export function groupChanges(changes: readonly FlowChange[]): ChangeGroup[] {
  const groups = new Map<string, ChangeGroup>();
  for (const change of changes) {
    const begun = groupOf(change);
    const known = groups.get(begun.key);
    groups.set(begun.key, known ? together(known, begun) : begun);
  }
  return [...groups.values()];
}

/** What went and came is still there, in another way. */
function together(known: ChangeGroup, begun: ChangeGroup): ChangeGroup {
  const kind = known.kind === begun.kind ? known.kind : 'changed';
  return { ...known, kind, fields: [...known.fields, ...begun.fields] };
}

const KINDS = ['added', 'changed', 'removed'] as const;

/** `1 node added, 2 changed`; edges and settings are told only where no node was changed. */
export function changeWords(groups: readonly ChangeGroup[]): string {
  const nodes = groups.filter(({ node }) => node !== undefined);
  if (nodes.length > 0) return countsOf(nodes, 'node');
  const edges = groups.filter(({ edge }) => edge !== undefined);
  if (edges.length > 0) return countsOf(edges, 'edge');
  return groups.length > 0 ? 'settings of the flow changed' : 'nothing changed';
}

function countsOf(groups: readonly ChangeGroup[], one: string): string {
  const counts = KINDS.map((kind) => ({ kind, n: groups.filter((group) => group.kind === kind).length }));
  return counts
    .filter(({ n }) => n > 0)
    .map(({ kind, n }, i) => (i === 0 ? `${n} ${n === 1 ? one : `${one}s`} ${kind}` : `${n} ${kind}`))
    .join(', ');
}

function groupOf(change: FlowChange): ChangeGroup {
  switch (change.kind) {
    case 'node-added':
    case 'node-removed': {
      const kind = change.kind === 'node-added' ? 'added' : 'removed';
      return { key: `node ${change.node}`, kind, node: change.node, fields: [] };
    }
    case 'node-renamed':
      return {
        key: `node ${change.to}`,
        kind: 'changed',
        node: change.to,
        renamedFrom: change.node,
        fields: [],
      };
    case 'node-changed':
      return { key: `node ${change.node}`, kind: 'changed', node: change.node, fields: [fieldOf(change)] };
    case 'edge-added':
    case 'edge-removed': {
      const kind = change.kind === 'edge-added' ? 'added' : 'removed';
      const { from, to } = change;
      return { key: `edge ${from} ${to}`, kind, edge: { from, to }, fields: [] };
    }
    case 'flow-changed':
      return { key: 'flow', kind: 'changed', fields: [fieldOf(change)] };
  }
}

function fieldOf({ path, before, after }: { path: string; before?: unknown; after?: unknown }) {
  return { path, before, after };
}
