import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { portsOf } from '#engine/check';
import {
  dissolve,
  type ExtractTo,
  extractFlow,
  inlineFlow,
  moveNode,
  type Reshaped,
  wrapNodes,
} from '#engine/edit';
import type { Doc, Point } from './document.ts';
import { infoOf, nodeOf, snap } from './edit.ts';
import { flatFlow, graphIn, holderOf, idsWithin, nodeIn, outermost } from './flat.ts';
import { boundsOf, drawnBox, firstPlace, freePlace } from './frames.ts';
import { NODE_WIDTH, START_WIDTH } from './geometry.ts';
import { placeMissing } from './place-missing.ts';

/**
 * Changes of the shape of a flow, as whole documents: nodes go into bodies and out of them, bodies become flows. Loaded on demand, since
 * references follow, and that needs the whole language.
 */
export type ReshapedDoc<T extends object = object> = Reshaped<{ readonly doc: Doc } & T>;

/** Moves nodes, which keep their ids, into the body of a container, or out to the flow itself. */
export function moveInto(
  doc: Doc,
  catalog: Catalog,
  ids: Iterable<string>,
  holder: string | undefined,
): ReshapedDoc {
  const notes: string[] = [];
  let { flow } = doc;
  for (const id of outermost(flow, ids)) {
    if (holderOf(flow, id) === holder) continue;
    const wasEmpty = Object.keys(graphIn(flow, holder)?.nodes ?? {}).length === 0;
    const moved = moveNode(flow, id, holder, catalog);
    if (!moved.ok) return moved;
    notes.push(...moved.notes);
    flow = wasEmpty && holder !== undefined ? withStart(moved.flow, catalog, { holder, id }) : moved.flow;
  }
  return { ok: true, notes, doc: placedAnew(doc, flow, catalog) };
}

/** The first node of a body takes what its start gives. */
function withStart(
  flow: Flow,
  catalog: Catalog,
  { holder, id }: { readonly holder: string; readonly id: string },
): Flow {
  const body = nodeIn(flow, holder)?.body;
  const node = body?.nodes[id];
  const info = infoOf(catalog, node);
  const port = node && info && portsOf(node, info).inputs.find(({ kind }) => kind !== 'stream');
  if (!body || !port || body.edges.some(({ to }) => nodeOf(to) === id)) return flow;
  const edge = { from: `${body.start}.out`, to: `${id}.${port.name}` };
  return withBody(flow, holder, { ...body, edges: [...body.edges, edge] });
}

function withBody(flow: Flow, holder: string, body: NonNullable<Flow['nodes'][string]['body']>): Flow {
  const change = (nodes: Flow['nodes']): Flow['nodes'] =>
    Object.fromEntries(
      Object.entries(nodes).map(([id, node]) => {
        if (id === holder) return [id, { ...node, body }];
        return [id, node.body ? { ...node, body: { ...node.body, nodes: change(node.body.nodes) } } : node];
      }),
    );
  return { ...flow, nodes: change(flow.nodes) };
}

/** Puts nodes into a new group, whose id is `container`. */
export function wrap(
  doc: Doc,
  catalog: Catalog,
  ids: Iterable<string>,
): ReshapedDoc<{ readonly container: string }> {
  const chosen = outermost(doc.flow, ids);
  const wrapped = wrapNodes(doc.flow, chosen, {}, catalog);
  if (!wrapped.ok) return wrapped;
  const { flow, container, notes } = wrapped;
  const placed = placedAnew(doc, flow, catalog, container);
  return { ok: true, notes, container, doc: withFrame(placed, catalog, container) };
}

/** Takes the nodes of groups out of them; `freed` are their ids. */
export function unwrap(
  doc: Doc,
  catalog: Catalog,
  ids: readonly string[],
): ReshapedDoc<{ readonly freed: readonly string[] }> {
  const notes: string[] = [];
  const freed: string[] = [];
  let { flow } = doc;
  for (const id of ids) {
    freed.push(...Object.keys(nodeIn(flow, id)?.body?.nodes ?? {}));
    const done = dissolve(flow, id, catalog);
    if (!done.ok) return done;
    notes.push(...done.notes);
    flow = done.flow;
  }
  return { ok: true, notes, freed, doc: placedAnew(doc, flow, catalog) };
}

/** Makes a flow of the body of a node, which then calls it. */
export function extract(
  doc: Doc,
  catalog: Catalog,
  node: string,
  to: ExtractTo,
): ReshapedDoc<{ readonly called: Doc }> {
  const extracted = extractFlow(doc.flow, node, to, catalog);
  if (!extracted.ok) return extracted;
  const { flow, called, notes } = extracted;
  const known = Object.entries(doc.layout.nodes).filter(([id]) => nodeIn(called, id));
  const layout: Layout = { format: 1, nodes: Object.fromEntries(known) };
  return {
    ok: true,
    notes,
    doc: placedAnew(doc, flow, catalog),
    called: placeMissing({ flow: called, layout }, catalog),
  };
}

/** Puts a called flow into the body of the node that calls it. */
export function inline(doc: Doc, catalog: Catalog, node: string, called: Flow): ReshapedDoc {
  const inlined = inlineFlow(doc.flow, node, called, catalog);
  if (!inlined.ok) return inlined;
  return { ok: true, notes: inlined.notes, doc: placedAnew(doc, inlined.flow, catalog) };
}

/** The document with another flow: what is gone has no place any more, and what is new gets one. */
function placedAnew({ flow: before, layout }: Doc, flow: Flow, catalog: Catalog, without?: string): Doc {
  const known = flatFlow(flow).nodes;
  const kept = Object.entries(layout.nodes).filter(([id]) => Object.hasOwn(known, id));
  let doc: Doc = { flow, layout: { ...layout, nodes: Object.fromEntries(kept) } };
  const fresh = Object.keys(known).filter((id) => !doc.layout.nodes[id] && id !== without);
  for (const id of fresh) {
    const at = besideOf(doc, catalog, id);
    if (at) doc = { ...doc, layout: { ...doc.layout, nodes: { ...doc.layout.nodes, [id]: snap(at) } } };
  }
  return without === undefined && before !== flow ? placeMissing(doc, catalog) : doc;
}

const GAP = 60;

/** Before the node that a new one feeds; undefined if that has no place either. */
function besideOf(doc: Doc, catalog: Catalog, id: string): Point | undefined {
  const { nodes, edges } = flatFlow(doc.flow);
  if (nodes[id]?.body) return undefined;
  const after = edges.find(({ from }) => nodeOf(from) === id)?.to;
  const box = after && drawnBox(doc, catalog, nodeOf(after));
  if (!box) return undefined;
  return freePlace(doc, { x: box.x - NODE_WIDTH - GAP, y: box.y }, { holder: holderOf(doc.flow, id) });
}

/** The frame of a new container around its nodes, with the start before them; what stands behind moves until there is room. */
function withFrame(doc: Doc, catalog: Catalog, id: string): Doc {
  const body = nodeIn(doc.flow, id)?.body;
  const bounds = boundsOf(doc, catalog, Object.keys(body?.nodes ?? {}));
  if (!body || !bounds) return placeMissing(doc, catalog);
  const corner = firstPlace(doc, catalog, id);
  const first = body.edges.find(({ from }) => nodeOf(from) === body.start)?.to;
  const level = (first && doc.layout.nodes[nodeOf(first)]?.y) || bounds.y;
  const begin = { x: bounds.x - START_WIDTH - GAP, y: level };
  const frame = { x: begin.x - corner.x, y: Math.min(begin.y, bounds.y) - corner.y };
  const width = bounds.x + bounds.width + corner.x - frame.x;
  const height = bounds.y + bounds.height + corner.x - frame.y;
  const nodes = {
    ...doc.layout.nodes,
    [body.start]: snap(begin),
    [id]: { ...snap(frame), width: Math.max(1, width), height: Math.max(1, height) },
  };
  const placed = placeMissing({ ...doc, layout: { ...doc.layout, nodes } }, catalog);
  return shifted(placed, catalog, id, bounds.x);
}

/** Moves a frame, and what stands right of its first node, away from what the frame follows. */
function shifted(doc: Doc, catalog: Catalog, id: string, from: number): Doc {
  const { nodes, edges } = flatFlow(doc.flow);
  const holder = holderOf(doc.flow, id);
  const ends = edges
    .filter(({ to }) => nodeOf(to) === id)
    .map((edge) => drawnBox(doc, catalog, nodeOf(edge.from)))
    .map((box) => (box ? box.x + box.width : -Infinity));
  const by = Math.max(0, Math.max(...ends, -Infinity) + GAP - (doc.layout.nodes[id]?.x ?? 0));
  if (by === 0 || !Number.isFinite(by)) return doc;
  const beside = Object.keys(nodes).filter(
    (one) =>
      one === id || (holderOf(doc.flow, one) === holder && (doc.layout.nodes[one]?.x ?? -Infinity) >= from),
  );
  const moved = new Set(beside.flatMap((one) => [one, ...idsWithin(nodes[one] ?? {})]));
  const places = Object.entries(doc.layout.nodes).map(([one, at]) => [
    one,
    moved.has(one) ? { ...at, ...snap({ x: at.x + by, y: at.y }) } : at,
  ]);
  return { ...doc, layout: { ...doc.layout, nodes: Object.fromEntries(places) } };
}
