import type { InputPort } from '#shared/catalog.ts';
import { type CheckContext, type NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import { resultNodes, scopeOf } from '../flow/result-nodes.ts';
import {
  ABSENT,
  arrayOf,
  NEVER,
  NULL,
  objectOf,
  type Type,
  union,
  unionOf,
  UNKNOWN,
  without,
} from './type.ts';

/** The types of a flow's nodes, as far as a result depends on them. */
interface Typed {
  readonly outputs: ReadonlyMap<string, Type>;
  readonly inputs: ReadonlyMap<string, Type>;
  readonly answers: ReadonlyMap<string, Type>;
  readonly mayBeLeftOut: ReadonlySet<string>;
}

/** Whether the run is over if the node fails. */
export function failsTheRun({ node }: Pick<NodeView, 'node'>): boolean {
  return node.onError === undefined || node.onError === 'fail';
}

interface Result {
  readonly result: Type;
  readonly items: Type;
}

const NOT_KNOWN: Result = { result: UNKNOWN, items: UNKNOWN };

/** The result of the runs that start at a trigger. */
export function resultType(context: CheckContext, types: Typed, trigger: string): Result {
  const scope = scopeOf(context, trigger);
  const found = resultNodes(context, scope);
  if (!found) return NOT_KNOWN;
  const { responds, leaves } = found;
  const nodes = responds.length > 0 ? responds : leaves;
  const given = nodes.map((view) =>
    responds.length > 0 ? answerOf(context, types, view) : leafResult(context, types, view),
  );
  if (!nodes.some(certainly(context, trigger, scope, types))) given.push(oneValue(NULL));
  return { result: unionOf(given.map((one) => one.result)), items: unionOf(given.map((one) => one.items)) };
}

function answerOf({ kinds }: CheckContext, { answers, inputs }: Typed, { id, incoming }: NodeView): Result {
  const answer = answers.get(id) ?? UNKNOWN;
  if (!incoming.some((edge) => kinds.get(`${edge.from}.${edge.fromPort}`) === 'stream'))
    return oneValue(answer);
  // Only the items of an incoming stream are known, so the answer is that stream only if the type is the same object.
  const isPassedOn = incoming.some((edge) => inputs.get(`${id}.${edge.toPort}`) === answer);
  return isPassedOn ? stream(answer) : NOT_KNOWN;
}

function leafResult({ kinds }: CheckContext, types: Typed, { id, ports, node }: NodeView): Result {
  const typeOf = (port: string) => types.outputs.get(`${id}.${port}`) ?? UNKNOWN;
  const [only, second] = plainOutputs(ports);
  if (!only || node.disabled) return NOT_KNOWN;
  if (second)
    return oneValue(objectOf(plainOutputs(ports).map(({ name }) => [name, union(typeOf(name), ABSENT)])));
  return kinds.get(`${id}.${only.name}`) === 'stream'
    ? stream(typeOf(only.name))
    : oneValue(typeOf(only.name));
}

function stream(items: Type): Result {
  return { result: arrayOf(items), items };
}

/** If items are wanted, a list is sent item by item, any other value as the only item. */
function oneValue(value: Type): Result {
  return { result: value, items: value.any ? UNKNOWN : union(without(value, 'array'), value.array ?? NEVER) };
}

/** Tells whether a node runs, and all its outputs have a value, in every run that starts at a trigger and does not fail. */
function certainly(
  context: CheckContext,
  trigger: string,
  scope: ReadonlySet<string>,
  types: Typed,
): (view: NodeView) => boolean {
  const certain = new Set([trigger]);
  const live = (edge: { from: string; fromPort: string }) =>
    certain.has(edge.from) && isAlwaysLive(context.nodes.get(edge.from) as NodeView, edge.fromPort, types);
  for (const id of context.components.flat()) {
    const view = context.nodes.get(id);
    if (!view || !scope.has(id) || view.node.disabled) continue;
    const { incoming, ports } = view;
    const isFed = ({ name, required, many }: InputPort) => {
      const edges = incoming.filter((edge) => edge.toPort === name);
      return !required || (many === 'all' ? edges.length > 0 && edges.every(live) : edges.some(live));
    };
    if ((incoming.length === 0 || incoming.some(live)) && ports.inputs.every(isFed)) certain.add(id);
  }
  return (view) =>
    certain.has(view.id) &&
    failsTheRun(view) &&
    plainOutputs(view.ports).every((port) => isAlwaysLive(view, port.name, types));
}

/** Whether a node has a value in each run of the flow or body with one start that does not fail. */
export function isAlwaysGiven(context: CheckContext, types: Typed, node: string): boolean {
  const [start, second] = [...context.nodes.values()].filter(({ info }) => info?.trigger);
  const view = context.nodes.get(node);
  if (!view || !start || second) return false;
  return certainly(context, start.id, scopeOf(context, start.id), types)(view);
}

/** Whether the output of a node that runs always has a value. */
function isAlwaysLive(view: NodeView, port: string, { mayBeLeftOut }: Typed): boolean {
  return (
    plainOutputs(view.ports).length === 1 && failsTheRun(view) && !mayBeLeftOut.has(`${view.id}.${port}`)
  );
}
