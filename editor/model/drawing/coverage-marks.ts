import type { FlowCoverage } from '#shared/flow-test-api.ts';
import type { Mark, Marks } from './marks.ts';

/** Untested parts of the flow, as marks on the canvas. */
export function coverageMarks({ nodes, edges }: FlowCoverage): Marks {
  return {
    nodes: untested(nodes.missed),
    edges: untested(edges.missed.map((edge) => edge.replace(' > ', '>'))),
  };
}

function untested(ids: readonly string[]): Record<string, Mark> {
  return Object.fromEntries(ids.map((id) => [id, 'untested']));
}
