import type { InputPort } from '#shared/catalog.ts';
import type { CheckContext, NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import { failsTheRun, type FlowTypes } from './flow-types.ts';

/** Answers whether a node runs, and all its outputs have a value, in every run that starts at a trigger and does not fail. */
export function certainly(
  context: CheckContext,
  trigger: string,
  scope: ReadonlySet<string>,
  types: FlowTypes,
): (view: NodeView) => boolean {
  const certain = new Set([trigger]);
  const live = (edge: { from: string; fromPort: string }) =>
    certain.has(edge.from) && isAlwaysLive(context.nodes.get(edge.from) as NodeView, edge.fromPort, types);
  for (const id of context.components.flat()) {
    const view = context.nodes.get(id);
    if (!view || !scope.has(id) || view.node.disabled) continue;
    const { incoming, ports } = view;
    const isFed = ({ name, required, many }: InputPort) => {
      const edges = incoming.filter((edge) => edge.toPort === name);
      return !required || (many === 'all' ? edges.length > 0 && edges.every(live) : edges.some(live));
    };
    if ((incoming.length === 0 || incoming.some(live)) && ports.inputs.every(isFed)) certain.add(id);
  }
  return (view) =>
    certain.has(view.id) &&
    failsTheRun(view) &&
    plainOutputs(view.ports).every((port) => isAlwaysLive(view, port.name, types));
}

/** Whether the output of a node that runs always has a value. */
function isAlwaysLive(view: NodeView, port: string, { mayBeLeftOut }: FlowTypes): boolean {
  return (
    plainOutputs(view.ports).length === 1 && failsTheRun(view) && !mayBeLeftOut.has(`${view.id}.${port}`)
  );
}
