import type { FlowDetail } from '#shared/api.ts';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import { formatFlow, formatLayout } from '#engine/check';
import { type Doc, emptyDoc } from '../model/document/document.ts';
import { NO_CATALOG, placeMissing } from '../model/document/place-missing.ts';

/** The document as the server has it. With the catalog, nodes without a position get one that fits their size. */
export function docOf(detail: FlowDetail, catalog: Catalog = NO_CATALOG): Doc {
  const { flow, layout } = detail;
  if (!flow) return emptyDoc(detail.id);
  return placeMissing({ flow, layout: layout ?? { format: 1, nodes: {} } }, catalog);
}

export function sameFlow(a: Doc, b: Doc): boolean {
  return a.flow === b.flow || formatFlow(unlike(a.flow, b.flow)) === formatFlow(unlike(b.flow, a.flow));
}

/** The flow without the parts that are the same objects in another one: of a large edited flow, little is left to compare. */
function unlike(flow: Flow, other: Flow): Flow {
  const nodes = Object.entries(flow.nodes).filter(([id, node]) => node !== other.nodes[id]);
  const edges = flow.edges === other.edges ? [] : flow.edges;
  return { ...flow, nodes: Object.fromEntries(nodes), edges };
}

export function sameLayout(a: Doc, b: Doc): boolean {
  return a.layout === b.layout || formatLayout(a.layout) === formatLayout(b.layout);
}
