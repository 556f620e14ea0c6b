import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { type Flow, type FlowBody, type FlowNode, formatOf, ID_PATTERN } from '#shared/flow.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { allNodes, mapNodes } from '../flow/bodies.ts';
import type { NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import { checkRequestSchema } from '../flow/request-dialect.ts';
import { usedConnections } from '../flow/used-connections.ts';
import { flowTypes } from '../types/flow-types.ts';
import { toSchema } from '../types/schema.ts';
import { objectOf, type Type, UNKNOWN } from '../types/type.ts';
import { fromField } from './edges.ts';
import {
  type Before,
  type Container,
  containerOf,
  freeId,
  type Reshaped,
  refused,
  surelyBefore,
} from './graphs.ts';
import { idsIn, outerReads, type OuterReads, withReads } from './reads.ts';

/** The flow that an extraction makes. */
export interface ExtractTo {
  readonly id: string;
  readonly name?: string;
}

/**
 * Turns the body of a node into a flow of its own, `called`, which the node then calls. What the body reads from outside becomes
 * fields of the input of that flow. Node ids stay.
 */
export function extractFlow(
  flow: Flow,
  node: string,
  to: ExtractTo,
  catalog: Catalog,
): Reshaped<{ readonly flow: Flow; readonly called: Flow }> {
  const found = containerOf(flow, node, catalog);
  if (!found) return refused(`\`${node}\` has no body.`);
  if (!ID_PATTERN.test(to.id) || to.id === flow.id)
    return refused(
      `\`${to.id}\` is no id for a new flow: it starts with a letter and has only a-z, 0-9 and _.`,
    );
  const { body, view, context } = found;
  const own = new Set([...idsIn(body.nodes), body.start]);
  const reads = outerReads(body.nodes, own, catalog);
  const why = whyNotPassed(found, reads, surelyBefore(context, node)) ?? whyNotCalled(view);
  if (why !== undefined) return refused(why);
  const passed = passedBy(reads, own);
  const typed = { types: startTypes(flow, found, passed), passed };
  const called = calledFlow(flow, body, { to, catalog, ...typed });
  const nodes = mapNodes(flow.nodes, (id, one) =>
    id === node ? callingNode(flow, found, { to: to.id, passed }) : one,
  );
  const caller = { ...flow, nodes };
  const notes = notesOf(called, reads, catalog);
  return { ok: true, flow: { ...caller, format: atLeast(flow, caller) }, called, notes };
}

function atLeast(flow: Flow, changed: Pick<Flow, 'nodes'>): Flow['format'] {
  return flow.format === 2 ? 2 : formatOf({ edges: flow.edges, ...changed });
}

/** The name of a field of the input, and the expression that the caller has for it. */
type Passed = ReadonlyMap<string, { readonly by: string; readonly read: string; readonly isSure: boolean }>;

function passedBy({ nodes, roots }: OuterReads, own: ReadonlySet<string>): Passed {
  const taken = new Set([...own, ...nodes.keys()]);
  const passed = new Map(
    [...nodes].map(([id, { strict }]) => [
      id,
      { by: strict ? `{{ nodes.${id} }}` : `{{ nodes.${id} ?? null }}`, read: `nodes.${id}`, isSure: strict },
    ]),
  );
  for (const root of roots) {
    let name = root;
    for (let n = 2; taken.has(name); n++) name = `${root}_${n}`;
    passed.set(name, { by: `{{ ${root} }}`, read: root, isSure: false });
  }
  return passed;
}

function whyNotPassed(
  { context, view, inner }: Container,
  { nodes }: OuterReads,
  { ran, live }: Before,
): string | undefined {
  for (const [id, { strict }] of nodes) {
    const outer = inner.outside?.nodes.get(id);
    if (!outer) return `The body reads \`nodes.${id}\`, which does not come before \`${view.id}\`.`;
    const [only, second] = plainOutputs(outer.ports);
    if (only && !second && context.kinds.get(`${id}.${only.name}`) === 'stream')
      return `The body reads \`nodes.${id}\`, which is a stream.`;
    const isSure = only && !second ? live.has(`${id}.${only.name}`) : ran.has(id);
    if (strict && !isSure)
      return `The body reads \`nodes.${id}\`, which may have been skipped when \`${view.id}\` runs; write \`nodes.${id} ?? null\` in it first.`;
  }
  return undefined;
}

function whyNotCalled({ info }: NodeView): string | undefined {
  if (info && (flowParam(info) !== undefined || info.type === GROUP)) return undefined;
  return `\`${info?.type ?? 'This operator'}\` cannot call a flow.`;
}

/** Holds a body and cannot call a flow; the other operator does nothing else. */
export const GROUP = 'core.group';
export const CALL = 'flow.call';

/** The param that names the called flow; undefined if the operator calls none. */
export function flowParam({ params }: OperatorInfo): string | undefined {
  const properties = (params['properties'] ?? {}) as Readonly<Record<string, { widget?: unknown }>>;
  return Object.keys(properties).find((name) => properties[name]?.widget === 'flow');
}

/** The param with the input of the flow or body, and what it is if it is left out. */
export function startParam({ infer, params }: OperatorInfo): { readonly name: string; readonly by: unknown } {
  const name = infer?.starts?.param ?? 'input';
  const properties = (params['properties'] ?? {}) as Readonly<Record<string, { default?: unknown }>>;
  return { name, by: properties[name]?.default ?? '{{ item }}' };
}

// ----------------------------------------------------------------------------------------------------- the called flow

interface Making {
  readonly to: ExtractTo;
  readonly catalog: Catalog;
  readonly passed: Passed;
  readonly types: Type;
}

function calledFlow(flow: Flow, body: FlowBody, { to, catalog, passed, types }: Making): Flow {
  const { timezone, concurrency, maxStreamBuffer } = flow.settings ?? {};
  const kept = { timezone, concurrency, maxStreamBuffer };
  const settings = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  const own = passed.size === 0 ? body : withPassed(body, passed, catalog);
  const start = startNode(own.start, types);
  const called: Flow = {
    format: 1,
    id: to.id,
    ...(to.name !== undefined && { name: to.name }),
    nodes: { ...start, ...own.nodes },
    edges: own.edges,
    ...(Object.keys(settings).length > 0 && { settings }),
  };
  return { ...called, format: formatOf(called) };
}

function startNode(id: string, types: Type): Record<string, FlowNode> {
  const input = types.any ? undefined : widened(toSchema(types));
  const params = input !== undefined && isTaken(input) ? { params: { input } } : {};
  return { [id]: { operator: 'trigger.manual', ...params } };
}

/** The schema without the limits that hold only for the values of today: single texts and numbers, and no more fields. */
function widened({
  enum: values,
  additionalProperties: others,
  not: _never,
  ...rest
}: JsonSchema): JsonSchema {
  const parts = Object.entries(rest).map(([key, part]) => [key, widenedPart(key, part)]);
  return {
    ...Object.fromEntries(parts),
    ...(values !== undefined && rest['type'] === 'integer' && { type: 'number' }),
    ...(isRecord(others) && { additionalProperties: others }),
  };
}

function widenedPart(key: string, part: unknown): unknown {
  if (key === 'items' && isRecord(part)) return widened(part);
  if (key === 'anyOf' && Array.isArray(part)) return part.map((one) => widened(one as JsonSchema));
  if (key !== 'properties' || !isRecord(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, widened(one as JsonSchema)]));
}

function isTaken(schema: JsonSchema): boolean {
  return isRecord(schema) && checkRequestSchema(schema).length === 0;
}

/** The body with its input in a field of the input of the flow, and what it read from outside in the others. */
function withPassed(body: FlowBody, passed: Passed, catalog: Catalog): FlowBody {
  const { start, edges } = body;
  const fields = new Map([...passed].map(([name, { read }]) => [read, name]));
  const trigger = freeId({ nodes: body.nodes }, 'start', [start, ...passed.keys()]);
  const nodes = withReads(body.nodes, catalog, (root, [link]) => {
    if (root !== 'nodes') {
      const name = fields.get(root);
      return name === undefined ? undefined : { names: 0, by: `nodes.${trigger}.${name}` };
    }
    const name = link && (link.name === start ? start : fields.get(`nodes.${link.name}`));
    return name === undefined
      ? undefined
      : { names: 1, by: `nodes.${trigger}${link?.optional ? '?.' : '.'}${name}` };
  });
  const picked = edges.map((edge) =>
    edge.from === `${start}.out` ? fromField(edge, `${trigger}.out`, start) : edge,
  );
  return { ...body, start: trigger, nodes, edges: picked };
}

/** The type of the input of the new flow. */
function startTypes(flow: Flow, { context, view, body }: Container, passed: Passed): Type {
  let root = context;
  while (root.outside) root = root.outside.context;
  const types = flowTypes(root);
  const repeats = view.info?.infer?.starts?.repeats === true;
  const input = repeats ? UNKNOWN : (types.starts.get(view.id) ?? UNKNOWN);
  if (passed.size === 0) return input;
  const nodes = allNodes(flow);
  return objectOf([
    [body.start, input],
    ...[...passed].map(([name, { isSure }]): [string, Type] => [name, isSure ? outputOf(name) : UNKNOWN]),
  ]);

  function outputOf(id: string): Type {
    return (nodes[id] && types.outputs.get(`${id}.out`)) ?? UNKNOWN;
  }
}

// ---------------------------------------------------------------------------------------------------------- the caller

function callingNode(
  flow: Flow,
  { view: { node, info }, body }: Container,
  { to, passed }: { readonly to: string; readonly passed: Passed },
): FlowNode {
  const { body: _body, params = {}, ...rest } = node;
  const { name, by } = startParam(info as OperatorInfo);
  const operator = node.operator === GROUP ? CALL : node.operator;
  const flowAt = flowParam(info as OperatorInfo) ?? 'flow';
  const given = Object.hasOwn(params, name) ? params[name] : by;
  if (passed.size === 0) return { ...rest, operator, params: { ...params, [flowAt]: to } };
  if (info?.infer?.starts?.repeats !== true)
    return { ...rest, operator, params: { ...params, [flowAt]: to, [name]: inputOf(body, given, passed) } };
  // The input of a later round is the result of the one before, so the round itself passes the rest on.
  const call = freeId(flow, 'call', [body.start]);
  const inner = { operator: CALL, params: { flow: to, input: inputOf(body, '{{ input }}', passed) } };
  const edges = [{ from: `${body.start}.out`, to: `${call}.in` }];
  return { ...node, body: { ...body, nodes: { [call]: inner }, edges } };
}

function inputOf({ start }: FlowBody, value: unknown, passed: Passed): Record<string, unknown> {
  return { [start]: value, ...Object.fromEntries([...passed].map(([name, { by }]) => [name, by])) };
}

function notesOf(called: Flow, { clock }: OuterReads, catalog: Catalog): string[] {
  const notes: string[] = [];
  if (clock.has('now')) notes.push('`now()` gives the start of each run of the new flow.');
  const own = Object.values(allNodes(called));
  const keepsState = own.some(
    ({ operator, params }) => operator.startsWith('state.') && params?.['scope'] !== 'shared',
  );
  if (keepsState)
    notes.push('Values of `state` operators belong to a flow, so the new flow begins without them.');
  const asks =
    usedConnections(called, catalog).length > 0 || JSON.stringify(called.nodes).includes('"$secret"');
  if (asks)
    notes.push('Connections and secrets that only certain flows may use must be granted to the new flow.');
  return notes;
}
