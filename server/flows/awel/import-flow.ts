import type { Catalog } from '#shared/catalog.ts';
import { type Flow, FlowEdge, FORMAT } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';
import { isRecord } from '#shared/json.ts';
import { type AwelEdge, type AwelFlow, ownEntry } from './awel-flow.ts';
import { withChatTrigger } from './import-chat.ts';
import { flowFields } from './import-fields.ts';
import { withAround } from './import-around.ts';
import { withTexts } from './import-streams.ts';
import { type ImportedNode, importNodes } from './import-nodes.ts';
import { isResource, orderOf } from './original.ts';

export interface ImportOptions {
  /** The id of the new flow. */
  readonly id: string;
  readonly catalog: Catalog;
  /** The current flow, when one is overwritten: fields that the file omits stay. */
  readonly before?: { readonly flow: Flow | undefined; readonly layout: Layout | undefined } | undefined;
}

export interface Imported {
  readonly flow: Flow;
  readonly layout: Layout;
  /** The parts that could not be imported; problems that `check` finds in the flow are not included. */
  readonly problems: readonly Problem[];
}

/** Converts a flow of DB-GPT, or one of ours exported to its format, to a flow of ours. Never throws. */
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
  const drawn = withTexts(withAround({ flow, layout }, [...nodes.values()]), catalog);
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

/** The extra data of one of our edges besides its ends; edges that lead nowhere keep theirs here too. */
function ownEdge({ weft }: AwelEdge): { rest: object; whole: FlowEdge | undefined } {
  if (!isRecord(weft)) return { rest: {}, whole: undefined };
  const { from: _from, to: _to, ...rest } = weft;
  const isFit = FlowEdge.partial().safeParse(rest).success;
  return { rest: isFit ? rest : {}, whole: FlowEdge.safeParse(weft).data };
}

function dangling({ source, target }: AwelEdge, resources: ReadonlySet<string>): Problem {
  const message = resources.has(target)
    ? `The edge from ${source} ends at the resource ${target}, which accepts no edge; it was left out.`
    : `The edge from ${source} to ${target} has an end that is not a node of the file; it was left out.`;
  return { code: 'dangling-edge', severity: 'error', message };
}

/** Positions of the file take precedence over all others. */
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
