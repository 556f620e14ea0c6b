import type { OutputPort } from '#shared/catalog.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { CheckContext, NodeView } from '../context.ts';
import type { EdgeLabel } from '../graph.ts';
import { ERROR_PORT, isLifted, plainOutputs } from '../ports.ts';
import { applyRule, type RuleFacts } from './apply-rule.ts';
import { ERROR, nodeScope } from './node-scope.ts';
import { type ParamFault, paramTypes, withDefaults } from './param-types.ts';
import { fromSchema, typeOfJson } from './schema.ts';
import { ABSENT, arrayOf, type Type, union, unionOf, UNKNOWN, withoutAbsent } from './type.ts';

/**
 * The types of a flow, node after node in topological order.
 *
 * F1. What comes out of an output of a node that ran is of the output's type; of a stream output each item is.
 * F2. A node on a cycle, or of an unknown operator, gives anything.
 */
export interface FlowTypes {
  /** What an output gives, by `node.port`; of a stream one item. */
  readonly outputs: ReadonlyMap<string, Type>;
  /** What comes in by an input, by `node.port`; of an input with many edges an array, where nothing may come also nothing. */
  readonly inputs: ReadonlyMap<string, Type>;
}

/** Works out the types of all nodes, or of those named; `report` hears of faults in the params that the nodes themselves hold. */
export function flowTypes(
  context: CheckContext,
  report: (view: NodeView, fault: ParamFault) => void = () => {},
  nodes?: ReadonlySet<string>,
): FlowTypes {
  const types = { inputs: new Map<string, Type>(), outputs: new Map<string, Type>() };
  for (const component of context.components) {
    const [id = ''] = component;
    const view = context.nodes.get(id);
    if (component.length > 1 || !view || (nodes && !nodes.has(id))) continue;
    if (view.incoming.some((edge) => edge.from === id)) continue;
    addNode(context, view, types, (fault) => report(view, fault));
  }
  return types;
}

interface Known extends FlowTypes {
  readonly inputs: Map<string, Type>;
  readonly outputs: Map<string, Type>;
}

function addNode(
  context: CheckContext,
  view: NodeView,
  known: Known,
  report: (fault: ParamFault) => void,
): void {
  const { id, info, node } = view;
  const inputs = inputTypes(view, known);
  for (const [name, type] of inputs) known.inputs.set(`${id}.${name}`, type);
  if (!info) return;
  const [only] = inputs.values();
  if (node.disabled) {
    // A node that is switched off hands on what came, where it can.
    for (const { name } of plainOutputs(view.ports)) known.outputs.set(`${id}.${name}`, only ?? UNKNOWN);
    return;
  }
  const lifted = isLiftedHere(context, view);
  const facts: RuleFacts = { inputs, paramTypes: new Map(), params: withDefaults(node.params, info) };
  const item = info.infer?.item ? applyRule(info.infer.item, facts) : lifted ? only : undefined;
  const scope = nodeScope({
    view,
    inputs,
    item: item ?? UNKNOWN,
    views: context.nodes,
    outputs: known.outputs,
  });
  const sure = !lifted && (node.onError ?? 'fail') === 'fail';
  const own = node.params ?? {};
  const typed = paramTypes(
    {
      info,
      scope,
      sure,
      parse: context.parse,
      report: (fault) => Object.hasOwn(own, String(fault.path[1])) && report(fault),
    },
    facts.params,
  );
  for (const port of view.ports.outputs)
    known.outputs.set(`${id}.${port.name}`, outputType(view, port, { ...facts, paramTypes: typed }));
}

function inputTypes({ ports, incoming }: NodeView, { outputs }: FlowTypes): Map<string, Type> {
  const byPort = Map.groupBy(incoming, (edge) => edge.toPort);
  const typeOf = (edge: EdgeLabel) => outputs.get(`${edge.from}.${edge.fromPort}`) ?? UNKNOWN;
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

function isLiftedHere({ kinds }: CheckContext, { info, ports, incoming }: NodeView): boolean {
  const [port] = ports.inputs;
  if (!info || !isLifted(port, info, ports)) return false;
  return incoming.some((edge) => kinds.get(`${edge.from}.${edge.fromPort}`) === 'stream');
}

function outputType({ node, info, ports }: NodeView, port: OutputPort, facts: RuleFacts): Type {
  if (port.name === ERROR_PORT) return ERROR;
  const isOwn = info?.outputs.some((output) => output.name === port.name) ?? false;
  const rules = info?.infer?.outputs;
  const rule = rules?.[port.name] ?? (isOwn ? undefined : rules?.['*']);
  const ruled = rule ? applyRule(rule, facts) : UNKNOWN;
  const type = withoutAbsent(ruled.any && port.schema ? typeOfPort(port.schema) : ruled);
  const fallback = node.onError === 'continue' ? node.fallback : undefined;
  const isFilled = fallback && plainOutputs(ports).includes(port) && Object.hasOwn(fallback, port.name);
  return isFilled ? union(type, typeOfJson(fallback[port.name])) : type;
}

const portTypes = new WeakMap<JsonSchema, Type>();

/** The type of a port's schema, read once for each. */
export function typeOfPort(schema: JsonSchema): Type {
  const known = portTypes.get(schema);
  if (known) return known;
  const type = fromSchema(schema);
  portTypes.set(schema, type);
  return type;
}
