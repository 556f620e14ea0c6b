import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import {
  catalogOfBody,
  ERROR_PORT,
  type FlowKind,
  flowGraph,
  incoming,
  itemPort,
  type KnownTypes,
  outputKinds,
  portsOf,
  reach,
  topologicalOrder,
} from '#engine/check';
import type { Doc } from '../document/document.ts';
import { infoOf } from '../document/edit.ts';
import { flatDoc, holdersOf } from '../document/flat.ts';
import { recordOf } from '../form/schema-shapes.ts';
import { NO_RUN, NOT_REACHED, TOO_LARGE } from './scope-labels.ts';
import type { RunValues, Source } from './source.ts';
import { requestSchema, triggerSource } from './trigger-source.ts';

/** The names that the expressions of a node can read: `input`, `nodes`, `vars` and so on, with what is known of each. */
export type ExpressionScope = ReadonlyMap<string, Source>;

/** The node whose expressions are meant, and what is known about its surroundings. */
export interface ScopeOf {
  readonly doc: Doc;
  readonly catalog: Catalog;
  /** Its id. */
  readonly node: string;
  /** Names of the variables of the server; undefined while they are unknown. */
  readonly variables: readonly string[] | undefined;
  /** Their values, as far as they are known. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** The run on the canvas; undefined if there is none. */
  readonly run: RunValues | undefined;
  /** Computes the types that are known without a run; until it is loaded, only schemas written by an author are known. */
  readonly typesOf?: ((flow: Flow, catalog: Catalog, node: string) => KnownTypes) | undefined;
}

/** All names for the expressions of a node, with their values in the run and their types. */
export function expressionScope(nested: ScopeOf): ExpressionScope {
  const of = { ...nested, doc: flatDoc(nested.doc) };
  const { doc, catalog, run } = of;
  const graph = flowGraph(doc.flow);
  const kinds = outputKinds(doc.flow, graph, topologicalOrder(graph).order, catalogOfBody(catalog));
  const types = of.typesOf?.(nested.doc.flow, catalog, of.node);
  const world: Surroundings = { ...of, graph, kinds, types };
  const roots = new Map<string, Source>();
  const inputs = inputSources(world);
  const [only] = inputs.values();
  if (inputs.size === 1 && only) roots.set('input', { ...only, doc: 'The input.' });
  if (inputs.size > 0) roots.set('inputs', composite(inputs, 'The inputs, by name.'));
  const nodes = nodeSources(world);
  if (nodes.size > 0) roots.set('nodes', composite(nodes, 'The outputs of earlier nodes.'));
  roots.set('trigger', triggerSource(doc.flow, catalog, { upstream: readable(world), run }));
  roots.set('vars', variablesSource(of));
  roots.set('run', runSource(doc.flow.id, run));
  if (hasItems(world)) addItems(roots, world);
  return roots;
}

/** The operator that has an accumulated value while it works on its items. */
const FOLD = 'core.reduce';

function addItems(roots: Map<string, Source>, { doc, node, types }: Surroundings): void {
  const why = 'Known only while the node works on its items.';
  const schema = types?.item(node)?.schema;
  if (doc.flow.nodes[node]?.operator === FOLD) {
    const folded = types?.output(`${node}.out`)?.schema;
    roots.set('acc', {
      value: undefined,
      why,
      schema: folded,
      doc: 'The value accumulated over the items so far.',
    });
  }
  roots.set('item', { value: undefined, why, schema, doc: 'The current item.' });
  roots.set('index', { value: undefined, why, schema: { type: 'integer' }, doc: 'Its index, from 0.' });
}

/** Whether the node evaluates expressions for each item. */
function hasItems(of: Surroundings): boolean {
  const node = of.doc.flow.nodes[of.node];
  const info = infoOf(of.catalog, node);
  if (!info) return false;
  const streams = incoming(of.graph, of.node).some(
    (e) => of.kinds.get(`${e.from}.${e.fromPort}`) === 'stream',
  );
  return info.lazyParams.length > 0 || node?.each !== undefined || (info.lift && streams);
}

interface Surroundings extends ScopeOf {
  readonly graph: ReturnType<typeof flowGraph>;
  readonly kinds: ReadonlyMap<string, FlowKind>;
  /** The types that are known without a run; absent if only values are needed. */
  readonly types?: KnownTypes | undefined;
}

function composite(parts: ReadonlyMap<string, Source>, doc: string): Source {
  const found = [...parts].filter(([, part]) => part.value !== undefined);
  const value =
    found.length > 0 ? Object.fromEntries(found.map(([name, part]) => [name, part.value])) : undefined;
  return { value, why: value === undefined ? [...parts.values()][0]?.why : undefined, parts, doc };
}

/** The value of each input: that of its first live edge, or of all live ones if it takes many. */
export function inputSources(of: Surroundings): ReadonlyMap<string, Source> {
  const node = of.doc.flow.nodes[of.node];
  const info = infoOf(of.catalog, node);
  if (!node || !info) return new Map();
  const edges = incoming(of.graph, of.node);
  return new Map(
    portsOf(node, info).inputs.map((port) => {
      const into = edges.filter((edge) => edge.toPort === port.name);
      const sources = into.map((edge) => outputSource(of, edge.from, edge.fromPort));
      const source = port.many
        ? manySource(sources, of.types?.input(`${of.node}.${port.name}`)?.schema)
        : itemOf(of, port.name, sources.find((s) => s.value !== undefined) ?? sources[0]);
      return [
        port.name,
        source ?? { value: undefined, why: 'Nothing is connected here.', schema: port.schema },
      ];
    }),
  );
}

/** The item that a node with `each` takes of its first input: the first one stands for all. */
function itemOf(of: Surroundings, port: string, source: Source | undefined): Source | undefined {
  const node = of.doc.flow.nodes[of.node];
  const info = infoOf(of.catalog, node);
  if (!source || !node?.each || !info || itemPort(node, info, portsOf(node, info))?.name !== port)
    return source;
  const schema = of.types?.item(of.node)?.schema;
  const items = node.each.items === undefined ? source.value : undefined;
  if (Array.isArray(items) && items.length > 0) return { value: items[0], items, schema };
  return { value: undefined, why: 'Known only while the node works on its items.', schema };
}

function manySource(sources: readonly Source[], known: JsonSchema | undefined): Source | undefined {
  const [first] = sources;
  if (!first) return undefined;
  const live = sources.filter((source) => source.value !== undefined).map((source) => source.value);
  const schema: JsonSchema = known ?? { type: 'array', ...(first.schema && { items: first.schema }) };
  return live.length > 0 ? { value: live, schema } : { value: undefined, why: first.why, schema };
}

/** The inputs of a node in the run on the canvas. */
export function inputValues(nested: ScopeOf): ReadonlyMap<string, Source> {
  const of = { ...nested, doc: flatDoc(nested.doc) };
  const graph = flowGraph(of.doc.flow);
  const { order } = topologicalOrder(graph);
  const kinds = outputKinds(of.doc.flow, graph, order, catalogOfBody(of.catalog));
  return inputSources({ ...of, graph, kinds });
}

/** The node and all before it: in its body, and before each container around it. */
function readable({ doc, graph, node }: Pick<Surroundings, 'doc' | 'graph' | 'node'>): Set<string> {
  const around = holdersOf(doc.flow, node);
  const before = new Set([node, ...around].flatMap((id) => [...reach(graph, [id], true)]));
  for (const id of around) before.delete(id);
  return before;
}

function nodeSources(of: Surroundings): ReadonlyMap<string, Source> {
  const upstream = [...readable(of)].filter((id) => id !== of.node);
  return new Map(upstream.sort().map((id) => [id, nodeSource(of, id)]));
}

/** The value of its only output; with several outputs, an object of the live ones. */
function nodeSource(of: Surroundings, id: string): Source {
  const node = of.doc.flow.nodes[id] as FlowNode;
  const info = infoOf(of.catalog, node);
  const doc = node.name ?? info?.title ?? node.operator;
  if (!info) return { value: undefined, why: `The operator of \`${id}\` is unknown.`, doc };
  const outputs = portsOf(node, info).outputs;
  const plain = outputs.filter((port) => port.name !== ERROR_PORT);
  const [only] = plain;
  if (only && plain.length === 1) return { ...outputSource(of, id, only.name), doc };
  return {
    ...composite(new Map(outputs.map((port) => [port.name, outputSource(of, id, port.name)])), doc),
    doc,
  };
}

function outputSource(of: Surroundings, id: string, portName: string): Source {
  const node = of.doc.flow.nodes[id] as FlowNode;
  const info = infoOf(of.catalog, node);
  const port = info && portsOf(node, info).outputs.find((output) => output.name === portName);
  // A schema written by an author describes its fields in words, so it wins over a derived one.
  const schema = requestSchema(node) ?? of.types?.output(`${id}.${portName}`)?.schema ?? port?.schema;
  if (of.kinds.get(`${id}.${portName}`) === 'stream') {
    return { value: undefined, why: 'A stream has no value to read; collect it first.', schema };
  }
  return { ...lastValue(of.run, id, portName), schema };
}

function lastValue(run: RunValues | undefined, id: string, port: string): Source {
  if (!run) return { value: undefined, why: NO_RUN };
  const last = run.nodes[id];
  const value = last?.outputs[port];
  if (recordOf(value)?.['$large'] !== undefined) return { value: undefined, why: TOO_LARGE };
  if (value !== undefined) return { value };
  const skipped = last !== undefined && ['ok', 'skipped'].includes(last.status);
  return { value: undefined, why: NOT_REACHED, ...(skipped && { skipped }) };
}

function variablesSource({ variables = [], values = {} }: ScopeOf): Source {
  const why = 'The server did not send the value of this variable.';
  const parts = new Map(
    variables.map((name) => [name, { value: Object.hasOwn(values, name) ? values[name] : undefined, why }]),
  );
  return composite(parts, 'Variables of this server.');
}

function runSource(flow: string, run: RunValues | undefined): Source {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      flow: { type: 'string' },
      version: { type: 'string' },
      trigger: { type: 'string' },
      startedAt: { type: 'number', description: 'Unix time in milliseconds.' },
    },
  };
  const value = run && { id: run.id, flow, version: run.version, startedAt: run.startedAt };
  return { value, why: NO_RUN, schema, doc: 'The run itself.' };
}
