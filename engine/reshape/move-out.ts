import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import { type Change, cutNotes, outputOf, runsOnce } from './border.ts';
import { fromEdge, nodeOf } from './edges.ts';
import {
  changePart,
  type Container,
  containerOf,
  contextWith,
  endsOf,
  type FlowPart,
  type Reshaped,
  refused,
} from './graphs.ts';
import { idsIn, outerReads, readersOf, readingIn, readingInstead } from './reads.ts';

/** Moves a node out of the body that it is in, beside the node around it. */
export function stepOut(flow: Flow, id: string, catalog: Catalog): Reshaped<{ readonly flow: Flow }> {
  const outside = contextWith(flow, id, catalog)?.outside;
  const found = outside && containerOf(flow, outside.node, catalog);
  const view = found?.inner.nodes.get(id);
  if (!found || !view) return refused(`\`${id}\` is in no body.`);
  const isFirst = comesFirst(found, view);
  const source = isFirst ? undefined : comesLast(found, view);
  const why = whyNotOut(found, view, { isFirst, source, catalog });
  if (why !== undefined) return refused(why);
  const around = found.context.outside?.node;
  if (source === undefined) {
    const { change, notes } = isFirst ? outBefore(found, view) : outAlone(found, view);
    return { ok: true, flow: changePart(flow, around, change), notes };
  }
  const { change, notes } = outAfter(found, view, source);
  const moved = changePart(flow, around, change);
  const container = found.view.id;
  const others = readingInstead(moved.nodes, catalog, { from: container, to: id, except: new Set([id]) });
  const nodes = readingIn(others, catalog, { from: nodeOf(source.from), to: container, node: id });
  return { ok: true, flow: { ...moved, nodes }, notes };
}

interface Leaving {
  readonly isFirst: boolean;
  readonly source: FlowEdge | undefined;
  readonly catalog: Catalog;
}

function whyNotOut(
  { body }: Container,
  view: NodeView,
  { isFirst, source, catalog }: Leaving,
): string | undefined {
  const { id } = view;
  const [reader] = readersOf(body.nodes, id, catalog, new Set([id]));
  if (reader !== undefined && !isFirst)
    return `\`${reader}\` reads \`nodes.${id}\`, which would not come before it.`;
  const own = new Set([...idsIn(body.nodes), body.start]);
  const unread = unreadable(view, { own, source, catalog });
  return unread === undefined
    ? undefined
    : `\`${id}\` reads \`nodes.${unread}\`, which cannot be read from outside of the body.`;
}

/** Whether the node alone takes the input of a group, and gives it on from one output. */
function comesFirst(
  { view: container, body, inner }: Container,
  { id, incoming, outgoing }: NodeView,
): boolean {
  const start = inner.nodes.get(body.start);
  return (
    runsOnce(container) &&
    container.incoming.length === 1 &&
    incoming.length === 1 &&
    incoming[0]?.from === body.start &&
    start?.outgoing.length === 1 &&
    outgoing.length > 0 &&
    new Set(outgoing.map(({ fromPort }) => fromPort)).size === 1 &&
    outgoing.every(({ fromPort }) => fromPort !== 'error') &&
    id !== body.start
  );
}

/** The edge into the node that gives the result, if the node before it then gives the result. */
function comesLast({ inner, body }: Container, { id, incoming, ports }: NodeView): FlowEdge | undefined {
  const [end, second] = endsOf(inner);
  const [edge, other] = incoming;
  if (end?.id !== id || second || !edge || other || edge.from === body.start) return undefined;
  const before = inner.nodes.get(edge.from);
  const isFree = before?.outgoing.length === 1 && plainOutputs(before.ports).length === 1;
  const isPlain = plainOutputs(ports).length === 1 && edge.fromPort !== 'error';
  return isFree && isPlain ? body.edges[edge.at] : undefined;
}

function unreadable(
  { node, id }: NodeView,
  { own, source, catalog }: { own: ReadonlySet<string>; source: FlowEdge | undefined; catalog: Catalog },
): string | undefined {
  const inside = new Set([...idsIn(node.body?.nodes ?? {}), ...(node.body ? [node.body.start] : []), id]);
  const { nodes } = outerReads({ [id]: node }, new Set(), catalog);
  return [...nodes.keys()].find(
    (one) => own.has(one) && !inside.has(one) && !(source && nodeOf(source.from) === one),
  );
}

function leaving({ view: container, body }: Container, view: NodeView, edges: readonly FlowEdge[]) {
  return (part: FlowPart, outer: readonly FlowEdge[]): FlowPart => {
    const { [view.id]: node, ...rest } = body.nodes;
    const holder = { ...container.node, body: { ...body, nodes: rest, edges: [...edges] } };
    return {
      nodes: { ...part.nodes, [container.id]: holder, [view.id]: node as FlowNode },
      edges: [...outer],
    };
  };
}

function outBefore(found: Container, view: NodeView): Change {
  const { body, view: container } = found;
  const [into] = body.edges.filter(({ to }) => nodeOf(to) === view.id);
  const start = `${body.start}.out`;
  const from = body.edges.find((edge) => nodeOf(edge.from) === view.id)?.from ?? '';
  const inner = body.edges
    .filter((edge) => edge !== into)
    .map((edge) => (edge.from === from ? { ...edge, from: start } : edge));
  const leave = leaving(found, view, inner);
  const change = (part: FlowPart): FlowPart => {
    const outer = part.edges.flatMap((edge) =>
      nodeOf(edge.to) === container.id
        ? [fromEdge({ ...(into as FlowEdge) }, edge), { from, to: edge.to }]
        : [edge],
    );
    return leave(part, outer);
  };
  return { change, notes: [] };
}

function outAfter(found: Container, view: NodeView, source: FlowEdge): Change {
  const { body, view: container } = found;
  const leave = leaving(
    found,
    view,
    body.edges.filter((edge) => edge !== source),
  );
  const change = (part: FlowPart): FlowPart => {
    const result = outputOf(container);
    const outer = part.edges.map((edge) => (edge.from === result ? { ...edge, from: outputOf(view) } : edge));
    return leave(part, [...outer, { ...source, from: result }]);
  };
  const notes = runsOnce(container) ? [] : [`\`${view.id}\` now runs once, with the result of all rounds.`];
  return { change, notes };
}

function outAlone(found: Container, view: NodeView): Change {
  const { edges } = found.body;
  const isOwn = ({ from, to }: FlowEdge): boolean => nodeOf(from) === view.id || nodeOf(to) === view.id;
  const leave = leaving(
    found,
    view,
    edges.filter((edge) => !isOwn(edge)),
  );
  return { change: (part) => leave(part, part.edges), notes: cutNotes(edges.filter(isOwn)) };
}
