import type { FlowEdge } from '#shared/flow.ts';
import type { NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import { startParam } from './extract.ts';
import type { FlowPart } from './graphs.ts';

/** How the nodes around a border change when a node crosses it. */
export interface Change {
  readonly change: (part: FlowPart) => FlowPart;
  readonly notes: readonly string[];
}

/** Whether the node runs its body once, and the start of the body gives the input of the node unchanged. */
export function runsOnce({ node, info }: NodeView): boolean {
  if (!info || info.infer?.item || info.infer?.starts?.repeats || node.each) return false;
  const { name, by } = startParam(info);
  return (node.params?.[name] ?? by) === '{{ input }}';
}

/** Edges that cannot follow. */
export function cutNotes(edges: readonly FlowEdge[]): string[] {
  return edges.map(
    ({ from, to }) =>
      `The edge from \`${from}\` to \`${to}\` would cross the border of a body, so it is removed.`,
  );
}

/** The one output with the result of a node, as edges name it. */
export function outputOf({ id, ports }: NodeView): string {
  return `${id}.${plainOutputs(ports)[0]?.name ?? 'out'}`;
}
