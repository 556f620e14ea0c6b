import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import type { Doc } from '../document/document.ts';
import { flatFlow } from '../document/flat.ts';
import { NO_CATALOG, placeMissing } from '../document/place-missing.ts';

const BELOW = 200;

/** A past state of a flow with the current positions; nodes that no longer exist go below, in the order of the flow. */
export function pastDoc(flow: Flow, today: Layout, catalog: Catalog = NO_CATALOG): Doc {
  const ids = Object.keys(flatFlow(flow).nodes);
  const known = ids.flatMap((id) => (today.nodes[id] ? [[id, today.nodes[id]] as const] : []));
  const places = placeMissing({ flow, layout: { ...today, nodes: {} } }, catalog).layout.nodes;
  const ys = known.map(([, place]) => place.y);
  const [left, top] = [Math.min(...known.map(([, place]) => place.x)), Math.max(...ys) + BELOW];
  const gone = ids.flatMap((id) => {
    const place = today.nodes[id] ? undefined : places[id];
    if (!place) return [];
    return [[id, known.length === 0 ? place : { x: left + place.x, y: top + place.y }] as const];
  });
  return { flow, layout: { ...today, nodes: Object.fromEntries([...known, ...gone]) } };
}
