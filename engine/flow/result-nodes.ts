import { type CheckContext, isTrigger, type NodeView } from './context.ts';
import { runScope } from './graph.ts';
import { plainOutputs } from './ports.ts';

/** The nodes of a run that starts at a trigger. */
export function scopeOf({ graph, nodes }: CheckContext, trigger: string): ReadonlySet<string> {
  return runScope(graph, trigger, (id) => isTrigger(nodes.get(id) as NodeView));
}

/** The nodes that can give a run its result. */
export interface ResultNodes {
  /** The nodes that answer; if there are any, the others do not count. */
  readonly responds: readonly NodeView[];
  readonly leaves: readonly NodeView[];
}

/** Undefined if an operator is unknown. */
export function resultNodes({ nodes }: CheckContext, scope: ReadonlySet<string>): ResultNodes | undefined {
  const views = [...scope].map((id) => nodes.get(id) as NodeView);
  if (views.some((view) => !view.info)) return undefined;
  const ends = views.filter((view) => !view.outgoing.some((edge) => scope.has(edge.to)));
  return {
    responds: views.filter((view) => view.info?.respond && !view.node.disabled),
    leaves: ends.filter((view) => !view.info?.sink && plainOutputs(view.ports).length > 0),
  };
}
