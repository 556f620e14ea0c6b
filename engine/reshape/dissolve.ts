import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import { scopeOf } from '../flow/result-nodes.ts';
import { flowTypes } from '../types/flow-types.ts';
import { isAlwaysGiven } from '../types/result-type.ts';
import { fromEdge, nodeOf, withOrders } from './edges.ts';
import { CALL, GROUP, startParam } from './extract.ts';
import {
  changePart,
  type Container,
  containerOf,
  type FlowPart,
  type Reshaped,
  refused,
  rootOf,
} from './graphs.ts';
import { readersOf, readingInstead } from './reads.ts';

/** Puts the nodes of a group in the place of the group. Ids stay; a loop cannot be dissolved. */
export function dissolve(flow: Flow, container: string, catalog: Catalog): Reshaped<{ readonly flow: Flow }> {
  const found = containerOf(flow, container, catalog);
  if (!found) return refused(`\`${container}\` has no body.`);
  const ends = resultsOf(found);
  const why = whyNot(found, ends);
  if (why !== undefined) return refused(why);
  const reads = readersOf(flow.nodes, found.body.start, catalog).length > 0;
  const [end] = ends;
  const isOne = end !== undefined && ends.length === 1;
  const opened = changePart(flow, found.context.outside?.node, (part) =>
    opens(part, found, { ends, keepsStart: reads || ends.some(({ id }) => id === found.body.start) }),
  );
  const nodes = isOne ? readingInstead(opened.nodes, catalog, { from: container, to: end.id }) : opened.nodes;
  return { ok: true, flow: { ...opened, nodes }, notes: notesOf(found, ends) };
}

/** The nodes of the body that can give its result, its start among them. */
function resultsOf({ inner, body }: Container): NodeView[] {
  const scope = scopeOf(inner, body.start);
  return [...inner.nodes.values()].filter(
    ({ id, info, ports, outgoing }) =>
      scope.has(id) &&
      !outgoing.some(({ to }) => scope.has(to)) &&
      !info?.sink &&
      plainOutputs(ports).length > 0,
  );
}

/** Modifiers that hold for all nodes of a group together. */
const OF_ALL = ['retry', 'timeoutMs', 'cache', 'each', 'disabled'] as const;

function whyNot({ view, context }: Container, ends: readonly NodeView[]): string | undefined {
  const { id, node, incoming } = view;
  if (node.operator !== GROUP && node.operator !== CALL)
    return `\`${id}\` runs its body more than once; only a group can be dissolved.`;
  const modifier = OF_ALL.find((name) => node[name] !== undefined && node[name] !== false);
  if (modifier !== undefined)
    return `\`${id}\` has \`${modifier}\`, which holds for its nodes together; remove it first.`;
  if ((node.onError ?? 'fail') !== 'fail')
    return `\`${id}\` handles the errors of its nodes (\`onError\`); set it to \`fail\` first.`;
  if (incoming.length !== 1)
    return `\`${id}\` has ${incoming.length === 0 ? 'no edge' : 'several edges'} at its input.`;
  const [edge] = incoming;
  if (edge && context.kinds.get(`${edge.from}.${edge.fromPort}`) === 'stream')
    return `\`${id}\` takes a stream item by item.`;
  if (ends.length === 0) return `Nothing in \`${id}\` gives a result.`;
  const many = ends.find(({ ports }) => plainOutputs(ports).length > 1);
  return many && `\`${many.id}\` ends the body with several outputs.`;
}

interface Opening {
  readonly ends: readonly NodeView[];
  /** Something reads the start, or it is a result: it becomes a node. */
  readonly keepsStart: boolean;
}

function opens(part: FlowPart, { view, body }: Container, { ends, keepsStart }: Opening): FlowPart {
  const { name, by } = startParam(view.info as NonNullable<NodeView['info']>);
  const input = view.node.params?.[name] ?? by;
  const isMapped = keepsStart || input !== '{{ input }}';
  const { [view.id]: _container, ...rest } = part.nodes;
  const start: Record<string, FlowNode> = isMapped
    ? { [body.start]: { operator: 'core.map', params: { value: input } } }
    : {};
  const isMerged = ends.length > 1;
  const merge: Record<string, FlowNode> = isMerged ? { [view.id]: { operator: 'core.merge' } } : {};
  const touched = part.edges.filter(({ from }) => nodeOf(from) === view.id).map(({ to }) => to);
  const edges = withOrders(part.edges, touched);
  const feeding = edges.find(({ to }) => nodeOf(to) === view.id) as FlowEdge;
  const [end] = ends;
  const around = edges.flatMap((edge) => {
    if (edge === feeding) return isMapped ? [{ ...edge, to: `${body.start}.in` }] : [];
    return [nodeOf(edge.from) === view.id && !isMerged ? { ...edge, from: outputOf(end as NodeView) } : edge];
  });
  const fed = body.edges.filter(({ from }) => from === `${body.start}.out`).map(({ to }) => to);
  const inside = withOrders(body.edges, fed).map((edge) =>
    edge.from === `${body.start}.out` && !isMapped ? fromEdge(edge, feeding) : edge,
  );
  const merged = isMerged
    ? ends.map((one, order) => ({ from: outputOf(one), to: `${view.id}.in`, order }))
    : [];
  return { nodes: { ...rest, ...start, ...body.nodes, ...merge }, edges: [...around, ...inside, ...merged] };
}

function outputOf({ id, ports }: NodeView): string {
  return `${id}.${plainOutputs(ports)[0]?.name ?? 'out'}`;
}

function notesOf(found: Container, ends: readonly NodeView[]): string[] {
  const { view, inner, context, body } = found;
  const notes: string[] = [];
  const types = flowTypes(rootOf(context));
  const [end] = ends;
  if (ends.length > 1)
    notes.push(
      `\`${view.id}\` becomes a merge of the ends of its body, which is skipped if all of them are.`,
    );
  else if (end && !isAlwaysGiven(inner, types, end.id))
    notes.push(`Where \`${end.id}\` is skipped, what follows it is skipped too; the group gave null.`);
  const scope = scopeOf(inner, body.start);
  const roots = [...inner.nodes.values()].filter(
    ({ id, incoming }) => id !== body.start && incoming.length === 0 && scope.has(id),
  );
  if (roots.length > 0)
    notes.push(
      `${roots.map(({ id }) => `\`${id}\``).join(', ')} no longer waits for the input of the group.`,
    );
  return notes;
}
