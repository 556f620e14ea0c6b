import type { FlowDetail } from '#shared/api.ts';
import { formatFlow, formatLayout } from '#engine/check';
import { type Doc, emptyDoc, placeMissing } from '../model/document.ts';

/** Documents as the server has them, and whether two say the same there. */
export function docOf(detail: FlowDetail): Doc {
  const { flow, layout } = detail;
  return flow ? placeMissing({ flow, layout: layout ?? { format: 1, nodes: {} } }) : emptyDoc(detail.id);
}

export function sameFlow(a: Doc, b: Doc): boolean {
  return a.flow === b.flow || formatFlow(a.flow) === formatFlow(b.flow);
}

export function sameLayout(a: Doc, b: Doc): boolean {
  return a.layout === b.layout || formatLayout(a.layout) === formatLayout(b.layout);
}
