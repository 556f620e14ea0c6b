import type { FlowDetail } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import { formatFlow, formatLayout } from '#engine/check';
import { type Doc, emptyDoc, placeMissing } from '../model/document.ts';

/** Documents as the server has them, and whether two say the same there. */
export function docOf(detail: FlowDetail): Doc {
  const { flow, layout } = detail;
  return flow ? placeMissing({ flow, layout: layout ?? { format: 1, nodes: {} } }) : emptyDoc(detail.id);
}

export function sameFlow(a: Doc, b: Doc): boolean {
  return a.flow === b.flow || formatFlow(unlike(a.flow, b.flow)) === formatFlow(unlike(b.flow, a.flow));
}

/** The flow without what is the very same in another one: of a large flow that is being edited little is left to write out. */
function unlike(flow: Flow, other: Flow): Flow {
  const nodes = Object.entries(flow.nodes).filter(([id, node]) => node !== other.nodes[id]);
  const edges = flow.edges === other.edges ? [] : flow.edges;
  return { ...flow, nodes: Object.fromEntries(nodes), edges };
}

export function sameLayout(a: Doc, b: Doc): boolean {
  return a.layout === b.layout || formatLayout(a.layout) === formatLayout(b.layout);
}
