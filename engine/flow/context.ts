import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import type { Flow, FlowBody, FlowNode } from '#shared/flow.ts';
import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { DescribedStatement } from '#shared/described.ts';
import type { Fix, ProblemCode } from '#shared/problem.ts';
import type { ConnectionGrants, ConnectionKindName } from '#shared/connection.ts';
import type { SecretGrants } from '#shared/secret.ts';
import { parseTemplate } from '../expr/index.ts';
import { nearestName } from '../expr/names.ts';
import { catalogOfBody, flowOfBody } from './bodies.ts';
import { components } from './cycles.ts';
import { formatPath, parsePath, type Path } from './field-path.ts';
import { type EdgeLabel, type FlowGraph, flowGraph, incoming, outgoing, reach } from './graph.ts';
import { type FlowKind, operatorInfo, outputKinds, type Ports, portsOf } from './ports.ts';

/** What a flow is checked against besides the operators, as plain data. Undefined parts are unknown and not checked. */
export interface World {
  /** What live flows serve; those of the checked flow itself are ignored. Paths as by `normalisePath`, methods in upper case. */
  readonly routes: readonly {
    readonly flow: string;
    readonly path: string;
    readonly methods: readonly string[];
  }[];
  readonly variables: readonly string[] | undefined;
  readonly secrets: readonly string[] | undefined;
  /** Grants of secrets by name; secrets that are left out are not checked. */
  readonly grants?: Readonly<Record<string, SecretGrants>>;
  /** Grants and kinds of connections by name; undefined if the existing ones are unknown. */
  readonly connections?: Readonly<Record<string, KnownConnection>> | undefined;
  /** Live flows: all of them, or at least those that the checked flow leads to. */
  readonly flows?: readonly FlowSignature[] | undefined;
  /** What databases say of the flow's SQL statements; the rows of one that is left out have no known types. */
  readonly statements?: readonly DescribedStatement[] | undefined;
}

/** What callers of a flow may know about it. */
export interface FlowSignature {
  readonly id: string;
  /** Ids of its triggers; undefined when they are not known. */
  readonly triggers?: readonly string[] | undefined;
  /** Ids of the flows that it calls itself. */
  readonly calls?: readonly string[] | undefined;
  /** What it takes and gives, by trigger; undefined, as a whole or in part, if unknown. */
  readonly schemas?: Readonly<Record<string, FlowSchemas>> | undefined;
}

/** A problem as a rule reports it; `path` starts at the node if there is one, otherwise at the flow. */
export interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  /** What the setting is called that the message begins with, as in `Address: write …`. */
  readonly label?: string;
  /** `error` when absent. */
  readonly severity?: 'warning';
  readonly node?: string;
  readonly path?: Path;
  readonly offset?: number;
  readonly nodes?: readonly string[];
  readonly fix?: Fix | undefined;
  /** Several ways to repair it, of which somebody has to choose. */
  readonly fixes?: readonly Fix[] | undefined;
  /** The name of a variable that is not set. */
  readonly lacks?: string;
}

/** A node with everything that rules need about it. */
export interface NodeView {
  readonly id: string;
  readonly node: FlowNode;
  /** Undefined for an unknown operator, whose ports are unknown too. */
  readonly info: OperatorInfo | undefined;
  readonly ports: Ports;
  /** Edges from and to nodes that exist, each once, in edge order. */
  readonly incoming: readonly EdgeLabel[];
  readonly outgoing: readonly EdgeLabel[];
}

/** What checks know of a connection. */
export type KnownConnection = ConnectionGrants & { readonly kind?: ConnectionKindName | undefined };

/** What all rules share; a rule reads it and reports. */
export interface CheckContext {
  readonly flow: Flow;
  readonly catalog: Catalog;
  readonly world: World;
  readonly graph: FlowGraph;
  readonly nodes: ReadonlyMap<string, NodeView>;
  /** Strongly connected components in topological order. */
  readonly components: readonly (readonly string[])[];
  /** What outputs carry, by `node.port`; those of unknown operators are absent. */
  readonly kinds: ReadonlyMap<string, FlowKind>;
  /** For a body: what is around it. */
  readonly outside?: Outside | undefined;
  /** The contexts of the bodies of its nodes, by node. */
  readonly bodies: ReadonlyMap<string, CheckContext>;
  report(finding: Finding): void;
  /** `parseTemplate`, but each text is parsed only once. */
  readonly parse: typeof parseTemplate;
  /** The candidate that was probably meant. */
  nearest(name: string, candidates: Iterable<string>): string | undefined;
}

/** What a body sees of the flow around it. */
export interface Outside {
  readonly context: CheckContext;
  /** The node whose body it is. */
  readonly node: string;
  /** Nodes that come before that node, by id. */
  readonly nodes: ReadonlyMap<string, NodeView>;
  /** Where the body stands in the flow. */
  readonly place: Path;
}

/** A check of a flow, which adds its findings to the context. */
export type Rule = (context: CheckContext) => void;

/** Comparing names costs far more than a check, and no one reads that many suggestions. */
const MAX_SUGGESTIONS = 200;

const NO_PORTS: Ports = { inputs: [], outputs: [] };

/** The context of a flow, with those of its bodies; `report` gets what the rules find. */
export function checkContext(
  flow: Flow,
  catalog: Catalog,
  world: World,
  report: (f: Finding) => void,
): CheckContext {
  let suggestions = 0;
  const nearest = (name: string, candidates: Iterable<string>) =>
    suggestions++ < MAX_SUGGESTIONS ? nearestName(name, candidates) : undefined;
  const parse = remembered(parseTemplate);
  return contextOf(flow, { catalog, world, nearest, parse, root: report });
}

type Shared = Pick<CheckContext, 'catalog' | 'world' | 'nearest' | 'parse'> & {
  /** The report of the whole flow. */
  readonly root: CheckContext['report'];
};

function contextOf(flow: Flow, shared: Shared, outside?: Outside): CheckContext {
  const { catalog } = shared;
  const graph = flowGraph(flow);
  const nodes = new Map(
    Object.entries(flow.nodes).map(([id, node]) => [id, nodeView(id, node, graph, catalog)]),
  );
  const order = components([...nodes.keys()].sort(), (id) => nextNodes(nodes, id));
  const kinds = outputKinds(flow, graph, order.flat(), catalog);
  const bodies = new Map<string, CheckContext>();
  const { world, nearest, parse, root } = shared;
  const report = (finding: Finding): void => root(inBody(inNames(finding, nodes), outside));
  const own = { flow, graph, nodes, components: order, kinds, outside, bodies };
  const context: CheckContext = { catalog, world, nearest, parse, report, ...own };
  for (const { id, node } of nodes.values())
    if (node.body) bodies.set(id, contextOfBody(context, { id, body: node.body }, shared.root));
  return context;
}

function contextOfBody(
  around: CheckContext,
  { id, body }: { readonly id: string; readonly body: FlowBody },
  root: CheckContext['report'],
): CheckContext {
  const before = reach(around.graph, [id], true);
  before.delete(id);
  const own = [...before].flatMap((name) => {
    const view = around.nodes.get(name);
    return view ? [[name, view] as const] : [];
  });
  const place: Path = [...(around.outside?.place ?? []), 'nodes', id, 'body'];
  const nodes = new Map([...(around.outside?.nodes ?? []), ...own]);
  const { world, nearest, parse } = around;
  const shared = { world, nearest, parse, root, catalog: catalogOfBody(around.catalog) };
  return contextOf(flowOfBody(around.flow, body), shared, { context: around, node: id, nodes, place });
}

/** What people call a node in a sentence: its name, or else its id. */
export function nodeWords(nodes: ReadonlyMap<string, NodeView>, id: string): string {
  const name = nodes.get(id)?.node.name;
  return name === undefined ? `\`${id}\`` : `“${name}”`;
}

/** Calls the nodes that the finding is about by their names. */
function inNames(finding: Finding, nodes: ReadonlyMap<string, NodeView>): Finding {
  let { message } = finding;
  for (const id of [finding.node, ...(finding.nodes ?? [])])
    if (id !== undefined) message = message.replaceAll(`\`${id}\``, () => nodeWords(nodes, id));
  return message === finding.message ? finding : { ...finding, message };
}

/** A finding without a node stands at a place of the body; other repairs of edges would look for them outside. */
export function inBody(finding: Finding, outside: Outside | undefined): Finding {
  if (outside === undefined || finding.node !== undefined) return finding;
  const { fix, fixes: _fixes, path = [], ...rest } = finding;
  const placed = { ...rest, path: [...outside.place, ...path] };
  const field = fix?.kind === 'set-field' && fix.node === undefined ? parsePath(fix.field) : undefined;
  if (!fix || !field) return placed;
  return { ...placed, fix: { ...fix, field: formatPath([...outside.place, ...field]) } as Fix };
}

/** The context with those of all bodies in it. */
export function* contextsOf(context: CheckContext): Generator<CheckContext> {
  yield context;
  for (const body of context.bodies.values()) yield* contextsOf(body);
}

function remembered<T>(fn: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const result = fn(text);
    known.set(text, result);
    return result;
  };
}

function nodeView(id: string, node: FlowNode, graph: FlowGraph, catalog: Catalog): NodeView {
  const info = operatorInfo(catalog, node.operator);
  const ports = info ? portsOf(node, info) : NO_PORTS;
  return { id, node, info, ports, incoming: incoming(graph, id), outgoing: outgoing(graph, id) };
}

/** The nodes at the ends of the edges out of a node, each once. */
export function nextNodes(nodes: ReadonlyMap<string, NodeView>, id: string): string[] {
  return [...new Set(nodes.get(id)?.outgoing.map((edge) => edge.to))];
}

/** Also true for an unknown operator whose type starts with `trigger.`, so that its misspelt type is the only problem. */
export function isTrigger(view: NodeView): boolean {
  return view.info ? view.info.trigger : view.node.operator.startsWith('trigger.');
}

/** Suggests the word that was probably meant, for the end of a message; empty if there is none. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean \`${name}\`?`;
}

/** A short list of names can stand in a message. */
const FEW_NAMES = 8;

/** Says what to write in place of an unknown name, for the end of a message: the one that was probably meant, or all if they are few. */
export function namesInstead(
  { nearest }: Pick<CheckContext, 'nearest'>,
  name: string,
  known: readonly string[],
): string {
  const meant = nearest(name, known);
  if (meant !== undefined || known.length === 0 || known.length > FEW_NAMES) return didYouMean(meant);
  return ` The names are ${known.map((one) => `\`${one}\``).join(', ')}.`;
}

/** A fix replaces the first match of its text, so the text includes as much before the word as it takes to be unique. */
export function replaceWord(
  { id, path, text, offset }: { id: string; path: Path; text: string; offset: number },
  wrong: string,
  meant: string,
): Fix {
  const before = text.indexOf(wrong) === offset ? '' : text.slice(0, offset);
  const place = { node: id, field: formatPath(path), find: before + wrong, replace: before + meant };
  return { kind: 'replace-text', title: `Write ${meant}`, ...place };
}
