import type { Catalog } from '#shared/catalog.ts';
import { type Flow, FlowEdge, FORMAT } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';
import { type AwelEdge, type AwelFlow, isRecord, ownEntry } from './awel-flow.ts';
import { withChatTrigger } from './import-chat.ts';
import { flowFields } from './import-fields.ts';
import { withAround } from './import-around.ts';
import { type ImportedNode, importNodes } from './import-nodes.ts';
import { isResource, orderOf } from './original.ts';

export interface ImportOptions {
  /** The id that the flow gets. */
  readonly id: string;
  readonly catalog: Catalog;
  /** What is there now, where a flow is written over: it stays where the file does not say otherwise. */
  readonly before?: { readonly flow: Flow | undefined; readonly layout: Layout | undefined } | undefined;
}

export interface Imported {
  readonly flow: Flow;
  readonly layout: Layout;
  /** What could not be taken over; what `check` finds in the flow is not among it. */
  readonly problems: readonly Problem[];
}

/** The original's flow, or one of ours that was exported to its shape, as a flow of ours. Never throws. */
export function importFlow(awel: AwelFlow, { id, catalog, before }: ImportOptions): Imported {
  const { nodes, problems, chat } = importNodes(awel, { id, catalog, before: before?.flow });
  const edges = importEdges(awel, nodes, before?.flow);
  const flow: Flow = {
    format: FORMAT,
    id,
    ...flowFields(awel, id, before?.flow),
    nodes: Object.fromEntries([...nodes.values()].map((one) => [one.id, one.node])),
    edges: edges.edges,
  };
  const layout = importLayout(awel, nodes, before?.layout);
  const drawn = withAround({ flow, layout }, [...nodes.values()]);
  const whole = chat === undefined ? drawn : withChatTrigger(drawn, chat, catalog);
  return { ...whole, problems: [...problems, ...edges.problems] };
}

interface Edges {
  readonly edges: FlowEdge[];
  readonly problems: Problem[];
}

function importEdges(
  { flow_data }: AwelFlow,
  nodes: ReadonlyMap<string, ImportedNode>,
  before: Flow | undefined,
): Edges {
  const kept = new Map(before?.edges.map((edge) => [`${edge.from} ${edge.to}`, edge]));
  const resources = new Set(flow_data.nodes.filter((node) => isResource(node)).map((node) => node.id));
  const edges: FlowEdge[] = [];
  const problems: Problem[] = [];
  for (const edge of flow_data.edges) {
    const source = nodes.get(edge.source);
    const target = nodes.get(edge.target);
    const own = ownEdge(edge);
    if (source && target) {
      const made = importEdge(edge, source, target);
      edges.push({ ...kept.get(`${made.from} ${made.to}`), ...made, ...own.rest });
    } else if (own.whole) edges.push(own.whole);
    else if (!resources.has(edge.source)) problems.push(dangling(edge, resources));
  }
  return { edges, problems };
}

function importEdge(edge: AwelEdge, source: ImportedNode, target: ImportedNode): FlowEdge {
  const out = orderOf(edge, 'source');
  const into = orderOf(edge, 'target');
  const from = `${source.id}.${source.outputs[out] ?? `out_${out}`}`;
  const input = target.many ? target.inputs[0] : target.inputs[into];
  const to = `${target.id}.${input ?? `in_${into}`}`;
  return { from, to, ...(target.many && { order: into }) };
}

/** What an edge of ours carries besides its ends; those of one that leads nowhere stand there too. */
function ownEdge({ weft }: AwelEdge): { rest: object; whole: FlowEdge | undefined } {
  if (!isRecord(weft)) return { rest: {}, whole: undefined };
  const { from: _from, to: _to, ...rest } = weft;
  const isFit = FlowEdge.partial().safeParse(rest).success;
  return { rest: isFit ? rest : {}, whole: FlowEdge.safeParse(weft).data };
}

function dangling({ source, target }: AwelEdge, resources: ReadonlySet<string>): Problem {
  const message = resources.has(target)
    ? `The edge from ${source} ends at the resource ${target}, which takes none; it was left out.`
    : `The edge from ${source} to ${target} has an end that is no node of the file; it was left out.`;
  return { code: 'dangling-edge', severity: 'error', message };
}

/** Positions of the file go before all others. */
function importLayout(
  { flow_data: { viewport }, weft }: AwelFlow,
  nodes: ReadonlyMap<string, ImportedNode>,
  before: Layout | undefined,
): Layout {
  const own = Layout.safeParse(isRecord(weft) ? weft['layout'] : undefined).data;
  const kept: Layout = own ?? before ?? { format: 1, nodes: {} };
  const places = [...nodes.values()].flatMap(({ id, position }) =>
    position ? [[id, { ...ownEntry(kept.nodes, id), x: position.x, y: position.y }] as const] : [],
  );
  const isMoved = viewport && (kept.viewport || viewport.x !== 0 || viewport.y !== 0 || viewport.zoom !== 1);
  return {
    ...kept,
    nodes: Object.fromEntries(places),
    ...(isMoved && { viewport: { ...kept.viewport, x: viewport.x, y: viewport.y, zoom: viewport.zoom } }),
  };
}
