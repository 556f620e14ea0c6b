import type { OutputPort } from '#shared/catalog.ts';
import type { DescribedColumn } from '#shared/described.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { CheckContext, NodeView, World } from '../flow/context.ts';
import type { EdgeLabel } from '../flow/graph.ts';
import { ERROR_PORT, itemPort, plainOutputs } from '../flow/ports.ts';
import { applyRule, type RuleFacts } from './apply-rule.ts';
import { calledTypes } from './called-types.ts';
import { withDeclared } from './declared.ts';
import { itemTypes, typeOfItems } from './item-types.ts';
import { edgeType } from './edge-type.ts';
import { ERROR, nodeScope } from './node-scope.ts';
import { type ParamFault, paramTypes, withDefaults } from './param-types.ts';
import { failsTheRun, resultType } from './result-type.ts';
import { fromSchema, typeOfJson } from './schema.ts';
import {
  ABSENT,
  arrayOf,
  mayBeAbsent,
  NULL,
  objectOf,
  type Type,
  union,
  unionOf,
  UNKNOWN,
  withoutAbsent,
} from './type.ts';

/**
 * The types of a flow, node after node in topological order.
 *
 * F1. The output value of a node that ran has the output's type; of a stream output, each item has it.
 * F2. A node on a cycle, or of an unknown operator, can give any value.
 */
export interface FlowTypes {
  /** The type of an output, by `node.port`; of a stream, that of one item. */
  readonly outputs: ReadonlyMap<string, Type>;
  /**
   * The type at an input, by `node.port`; an array for an input with many edges, and possibly nothing if no value may
   * arrive.
   */
  readonly inputs: ReadonlyMap<string, Type>;
  /** Outputs, as `node.port`, that may have no value although their node ran. */
  readonly mayBeLeftOut: ReadonlySet<string>;
  /** The type of `item` in a node that works on items, by node. */
  readonly items: ReadonlyMap<string, Type>;
  /** The types of the params of a node, by node and under the names of `paramTypes`. */
  readonly params: ReadonlyMap<string, ReadonlyMap<string, Type>>;
  /** The input type of the flow that a node calls, by node. */
  readonly starts: ReadonlyMap<string, Type>;
  /** The type of the answer's body, by answering node; of a stream, that of one item. */
  readonly answers: ReadonlyMap<string, Type>;
}

/** Computes the types of all nodes, or of the given ones; `report` is called for faults in the nodes' own params. */
export function flowTypes(
  context: CheckContext,
  report: (view: NodeView, fault: ParamFault) => void = () => {},
  nodes?: ReadonlySet<string>,
): FlowTypes {
  const known = noTypes();
  addTypes(context, { report, nodes, known, start: undefined });
  return known;
}

function noTypes(): Known {
  return {
    inputs: new Map(),
    outputs: new Map(),
    mayBeLeftOut: new Set(),
    items: new Map(),
    params: new Map(),
    starts: new Map(),
    answers: new Map(),
  };
}

interface Adding {
  readonly report: (view: NodeView, fault: ParamFault) => void;
  /** Only these; all if undefined. */
  readonly nodes: ReadonlySet<string> | undefined;
  readonly known: Known;
  /** For a body: the type of its input. */
  readonly start: Type | undefined;
}

/** Adds the types of a flow, or of a body in it. */
function addTypes(context: CheckContext, adding: Adding): void {
  const { report, nodes, known, start } = adding;
  const called = calledTypes(context);
  const rowOf = describedRows(context.world);
  const [first] = context.nodes.keys();
  for (const component of context.components) {
    const [id = ''] = component;
    const view = context.nodes.get(id);
    if (component.length > 1 || !view || (nodes && !nodes.has(id))) continue;
    if (view.incoming.some((edge) => edge.from === id)) continue;
    if (start && id === first) {
      known.outputs.set(`${id}.out`, start);
      continue;
    }
    const around = { context, known, called: called.get(id), rowOf, report };
    addNode(around, view, (fault) => report(view, fault));
  }
}

/** The result of the body of a node, whose own types are added. */
function bodyType({ context, known, report }: Around, { id }: NodeView, start: Type): RuleFacts['called'] {
  const body = context.bodies.get(id);
  const [first] = body?.nodes.keys() ?? [];
  if (!body || first === undefined) return undefined;
  const { world } = context;
  addTypes({ ...body, world }, { report, nodes: undefined, known, start });
  return resultType(body, known, first);
}

type Known = { readonly [K in Exclude<keyof FlowTypes, 'mayBeLeftOut' | 'params'>]: Map<string, Type> } & {
  readonly mayBeLeftOut: Set<string>;
  readonly params: Map<string, ReadonlyMap<string, Type>>;
};

interface Around {
  readonly context: CheckContext;
  readonly known: Known;
  readonly called: RuleFacts['called'];
  readonly rowOf: RuleFacts['rowOf'];
  readonly report: (view: NodeView, fault: ParamFault) => void;
}

function addNode(around: Around, view: NodeView, report: (fault: ParamFault) => void): void {
  const { context, known, called, rowOf } = around;
  const { id, info, node } = view;
  const arriving = inputTypes(view, known);
  for (const [name, type] of arriving) known.inputs.set(`${id}.${name}`, type);
  if (!info) return;
  if (node.disabled) return passOn(view, arriving, known);
  const isStreamed = takesItemsOfStream(context, view);
  const inputs = node.each && !isStreamed ? itemTypes(context, view, arriving, known.outputs) : arriving;
  const facts = { inputs, params: withDefaults(node.params, info), called, rowOf };
  const ofParams = typesOfParams(around, view, { facts, isStreamed, report });
  const all = withStart(around, view, { ...facts, paramTypes: ofParams });
  const { answer } = info.infer ?? {};
  if (answer) known.answers.set(id, applyRule(answer, all));
  for (const port of view.ports.outputs) {
    addOutput(view, port, all, known);
    if (node.each) gather(view, port, isStreamed, known);
  }
}

/** The facts of a node that runs a flow or a body, with the result of its body. */
function withStart(around: Around, view: NodeView, facts: RuleFacts): RuleFacts {
  const { starts } = view.info?.infer ?? {};
  if (!starts) return facts;
  const start = applyRule(starts.with, facts);
  around.known.starts.set(view.id, start);
  if (!view.node.body) return facts;
  // A later round starts with what the one before gave.
  return { ...facts, called: bodyType(around, view, starts.repeats ? UNKNOWN : start) };
}

interface Params {
  readonly facts: Omit<RuleFacts, 'paramTypes'>;
  readonly isStreamed: boolean;
  readonly report: (fault: ParamFault) => void;
}

function typesOfParams(
  { context, known }: Around,
  view: NodeView,
  { facts, isStreamed, report }: Params,
): ReadonlyMap<string, Type> {
  const { id, node, info } = view;
  const { inputs } = facts;
  const hasItems = isStreamed || node.each !== undefined;
  const [first] = inputs.values();
  let item = (hasItems ? first : undefined) ?? UNKNOWN;
  const own = node.params ?? {};
  const types = paramTypes(
    {
      info,
      scope: nodeScope({
        view,
        inputs,
        item: () => item,
        views: context.nodes,
        outside: context.outside?.nodes,
        outputs: known.outputs,
      }),
      sure: !hasItems && failsTheRun(view),
      parse: context.parse,
      report: (fault: ParamFault) => Object.hasOwn(own, String(fault.path[1])) && report(fault),
      onValues: (values) => {
        if (info?.infer?.item) item = applyRule(info.infer.item, { ...facts, paramTypes: values });
      },
    },
    facts.params,
  );
  known.items.set(id, item);
  known.params.set(id, types);
  return types;
}

/** The output of all items of a node with `each`. */
function gather({ id, node }: NodeView, { name }: OutputPort, isStreamed: boolean, known: Known): void {
  const place = `${id}.${name}`;
  const one = known.outputs.get(place) ?? UNKNOWN;
  known.outputs.set(place, node.each ? typeOfItems(node.each, one, isStreamed) : one);
  known.mayBeLeftOut.delete(place);
}

/** A disabled node passes its input on if it can. */
function passOn({ id, ports }: NodeView, inputs: ReadonlyMap<string, Type>, known: Known): void {
  const [only] = inputs.values();
  for (const { name } of plainOutputs(ports)) known.outputs.set(`${id}.${name}`, only ?? UNKNOWN);
}

function inputTypes({ ports, incoming }: NodeView, { outputs }: FlowTypes): Map<string, Type> {
  const byPort = Map.groupBy(incoming, (edge) => edge.toPort);
  const typeOf = (edge: EdgeLabel) => edgeType(outputs, edge);
  return new Map(
    ports.inputs.map((port) => {
      const edges = byPort.get(port.name) ?? [];
      const type = unionOf(edges.map(typeOf));
      if (port.many) return [port.name, arrayOf(edges.length > 0 ? type : UNKNOWN)];
      if (edges.length === 0) return [port.name, port.required ? UNKNOWN : ABSENT];
      return [port.name, port.required ? type : union(type, ABSENT)];
    }),
  );
}

function takesItemsOfStream({ kinds }: CheckContext, { info, node, ports, incoming }: NodeView): boolean {
  const port = info && itemPort(node, info, ports);
  if (!port) return false;
  return incoming.some((e) => e.toPort === port.name && kinds.get(`${e.from}.${e.fromPort}`) === 'stream');
}

function addOutput(view: NodeView, port: OutputPort, facts: RuleFacts, known: Known): void {
  const place = `${view.id}.${port.name}`;
  if (port.name === ERROR_PORT) return void known.outputs.set(place, ERROR);
  const type = ruledType(view, port, facts);
  if (mayBeAbsent(type)) known.mayBeLeftOut.add(place);
  const { onError, fallback } = view.node;
  const isFilled = onError === 'continue' && fallback && Object.hasOwn(fallback, port.name);
  const there = withoutAbsent(type);
  known.outputs.set(place, isFilled ? union(there, typeOfJson(fallback[port.name])) : there);
}

/** The type by the operator's rule for the output, otherwise by the schema of the output. */
function ruledType({ id, node, info }: NodeView, port: OutputPort, facts: RuleFacts): Type {
  const rules = info?.infer?.outputs ?? {};
  const isOwn = info?.outputs.some((output) => output.name === port.name);
  const rule = isOwn ? rules[port.name] : rules['*'];
  const ruled = rule ? applyRule(rule, facts) : UNKNOWN;
  const type = info?.trigger ? withDeclared(ruled, { id, node }, rule) : ruled;
  return type.any && port.schema ? typeOfPort(port.schema) : type;
}

const portTypes = new WeakMap<JsonSchema, Type>();

/** The type of a port's schema, read once per schema. */
export function typeOfPort(schema: JsonSchema): Type {
  const known = portTypes.get(schema);
  if (known) return known;
  const type = fromSchema(schema);
  portTypes.set(schema, type);
  return type;
}

/** The types of rows by connection and statement; undefined if no statement was described. */
function describedRows({ statements = [] }: Pick<World, 'statements'>): RuleFacts['rowOf'] {
  const known = new Map(
    statements.flatMap(({ connection, sql, described }) =>
      described.is === 'rows' ? [[JSON.stringify([connection, sql]), described.columns] as const] : [],
    ),
  );
  if (known.size === 0) return undefined;
  return (connection, sql) => {
    const columns = known.get(JSON.stringify([connection, sql]));
    return columns && rowType(columns);
  };
}

const rowTypes = new WeakMap<readonly DescribedColumn[], Type>();

function rowType(columns: readonly DescribedColumn[]): Type {
  const before = rowTypes.get(columns);
  if (before) return before;
  const fields = new Map<string, Type>();
  for (const { name, nullable, schema } of columns) {
    const own = fromSchema(schema);
    const type = nullable ? union(own, NULL) : own;
    const other = fields.get(name);
    // A row has only one of two columns with the same name.
    fields.set(name, other ? union(other, type) : type);
  }
  const row = objectOf(fields);
  rowTypes.set(columns, row);
  return row;
}
