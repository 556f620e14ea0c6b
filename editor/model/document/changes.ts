import { diffFlows } from '#engine/edit';
import type { Flow } from '#shared/flow.ts';
import { type ChangeGroup, groupChanges } from './group-changes.ts';

/** One difference between two states of a flow, in words for the person who must choose. */
export interface Change {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly text: string;
}

/** The changes from one state of a flow to another: one line for each node, each connection and the flow itself. */
export function changesBetween(from: Flow, to: Flow): Change[] {
  const groups = groupChanges(diffFlows(from, to));
  const nameOf = (id: string): string | undefined => (to.nodes[id] ?? from.nodes[id])?.name;
  return groups.map((group) => ({ kind: group.kind, text: textOf(group, nameOf) }));
}

function textOf(group: ChangeGroup, nameOf: (id: string) => string | undefined): string {
  const { node, edge, renamedFrom } = group;
  if (edge) return `${edge.from} → ${edge.to}`;
  const what = node === undefined ? 'The flow' : titleOf(node, nameOf(node));
  const fields = fieldsOf(group);
  const renamed = renamedFrom === undefined ? [] : [`was called ${renamedFrom}`];
  const said = [...renamed, ...fields];
  return said.length === 0 ? what : `${what}: ${said.join(', ')}`;
}

function titleOf(id: string, name: string | undefined): string {
  return name === undefined ? id : `${name} (${id})`;
}

/** Fields of a node or the flow; of a node's params each by itself. */
function fieldsOf({ fields }: ChangeGroup): string[] {
  const names = fields.map(({ path }) => {
    const [first = '', second] = path.split('.');
    return first === 'params' && second !== undefined ? second : first;
  });
  return [...new Set(names)];
}
