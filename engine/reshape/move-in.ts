import type { Catalog } from '#shared/catalog.ts';
import { type Flow, type FlowEdge, type FlowNode, MAX_BODY_DEPTH } from '#shared/flow.ts';
import { isTrigger, type NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import { type Change, cutNotes, outputOf, runsOnce } from './border.ts';
import { nodeOf } from './edges.ts';
import {
  changePart,
  type Container,
  containerOf,
  depthAround,
  depthOf,
  endsOf,
  type FlowPart,
  type Reshaped,
  refused,
} from './graphs.ts';
import { readersOf, readingIn, readingInstead } from './reads.ts';

interface Inwards {
  readonly container: string;
  readonly catalog: Catalog;
}

/** Moves a node into the body of a node beside it. */
export function stepIn(
  flow: Flow,
  id: string,
  { container, catalog }: Inwards,
): Reshaped<{ readonly flow: Flow }> {
  const found = containerOf(flow, container, catalog);
  const view = found?.context.nodes.get(id);
  if (!found || !view) return refused(`\`${container}\` has no body that \`${id}\` could be moved into.`);
  const never = whyNever(found, view);
  if (never !== undefined) return refused(never);
  const end = soleEnd(found);
  const after = end !== undefined && isAfter(found, view) ? end : undefined;
  const why = whyUnread(flow, { found, view, follows: after !== undefined }, catalog);
  if (why !== undefined) return refused(why);
  const way = after
    ? appended({ found, view, end: after })
    : isBefore(found, view)
      ? prepended({ found, view })
      : dropped({ found, view });
  const moved = changePart(flow, found.context.outside?.node, (part) => way.change(part));
  return { ok: true, flow: { ...moved, nodes: way.reads(moved.nodes, catalog) }, notes: way.notes };
}

function whyNever({ inner }: Container, view: NodeView): string | undefined {
  if (isTrigger(view) || view.info?.respond)
    return `\`${view.id}\` starts or answers the flow, which nothing in a body can do.`;
  const depth = depthAround(inner) + depthOf({ [view.id]: view.node });
  return depth > MAX_BODY_DEPTH ? `Bodies may be only ${MAX_BODY_DEPTH} deep.` : undefined;
}

/** Why reads keep the node outside: one of the node itself, or of a result that would change; undefined if none does. */
function whyUnread(
  flow: Flow,
  { found, view, follows }: { readonly found: Container; readonly view: NodeView; readonly follows: boolean },
  catalog: Catalog,
): string | undefined {
  const container = found.view.id;
  const [reader] = readersOf(flow.nodes, view.id, catalog, new Set([container, view.id]));
  if (reader !== undefined && !follows)
    return `\`${reader}\` reads \`nodes.${view.id}\`, which it could not in a body.`;
  const [other] = follows ? readersOf(flow.nodes, container, catalog, new Set([view.id])) : [];
  return other === undefined
    ? undefined
    : `\`${other}\` reads \`nodes.${container}\`, which would have another result.`;
}

/** A way into the body; `reads` changes the expressions that read nodes accordingly. */
interface Way extends Change {
  readonly reads: (nodes: Readonly<Record<string, FlowNode>>, catalog: Catalog) => Record<string, FlowNode>;
}

function soleEnd({ inner, body }: Container): NodeView | undefined {
  const [end, second] = endsOf(inner);
  return end && !second && end.id !== body.start && plainOutputs(end.ports).length === 1 ? end : undefined;
}

/** Whether the node takes the result of the container, and nothing else does. */
function isAfter({ view: container }: Container, { id, incoming, ports }: NodeView): boolean {
  return (
    incoming.length > 0 &&
    incoming.every(({ from, fromPort }) => from === container.id && fromPort !== 'error') &&
    container.outgoing.every(({ to }) => to === id) &&
    plainOutputs(ports).length === 1
  );
}

/** Whether the node only gives the container its input, as it is, from one output itself. */
function isBefore({ view: container }: Container, { incoming, outgoing }: NodeView): boolean {
  const [edge, second] = incoming;
  return (
    runsOnce(container) &&
    edge !== undefined &&
    second === undefined &&
    outgoing.length > 0 &&
    outgoing.every(({ to, pick }) => to === container.id && pick === undefined) &&
    container.incoming.length === 1
  );
}

interface Border {
  readonly found: Container;
  readonly view: NodeView;
}

/** Moves a node between the nodes of a part and a body in it. */
function moving(
  { found, view }: Border,
  edges: (part: FlowPart) => { readonly outer: readonly FlowEdge[]; readonly inner: readonly FlowEdge[] },
): Change['change'] {
  return (part) => {
    const { [view.id]: node, ...rest } = part.nodes;
    const { outer, inner } = edges(part);
    const body = {
      ...found.body,
      nodes: { ...found.body.nodes, [view.id]: node as FlowNode },
      edges: [...inner],
    };
    return {
      nodes: { ...rest, [found.view.id]: { ...found.view.node, body } },
      edges: [...outer],
    };
  };
}

/** Puts the node behind the node with the result of the body. */
function appended(border: Border & { readonly end: NodeView }): Way {
  const { found, view, end } = border;
  const result = outputOf(end);
  const change = moving(border, ({ edges }) => ({
    outer: edges
      .filter(({ to }) => nodeOf(to) !== view.id)
      .map((edge) => (edge.from === outputOf(view) ? { ...edge, from: outputOf(found.view) } : edge)),
    inner: [
      ...found.body.edges,
      ...edges.filter(({ to }) => nodeOf(to) === view.id).map((edge) => ({ ...edge, from: result })),
    ],
  }));
  const notes = runsOnce(found.view) ? [] : [`\`${view.id}\` now runs in each round.`];
  const { id: container } = found.view;
  const reads: Way['reads'] = (nodes, catalog) =>
    readingIn(
      readingInstead(nodes, catalog, { from: view.id, to: container, except: new Set([container]) }),
      catalog,
      { from: container, to: end.id, node: view.id },
    );
  return { change, notes, reads };
}

/** Puts the node between the start of the body and what takes its value; what read the start then reads the node. */
function prepended(border: Border): Way {
  const { found, view } = border;
  const start = `${found.body.start}.out`;
  const change = moving(border, ({ edges }) => {
    const into = edges.find(({ to }) => nodeOf(to) === view.id) as FlowEdge;
    const through = edges.find(({ from }) => nodeOf(from) === view.id) as FlowEdge;
    return {
      outer: edges
        .filter((edge) => edge !== into)
        .map((edge) => (edge === through ? { ...into, to: edge.to } : edge)),
      inner: [
        ...found.body.edges.map((edge) => (edge.from === start ? { ...edge, from: through.from } : edge)),
        { from: start, to: into.to },
      ],
    };
  });
  const from = found.body.start;
  const reads: Way['reads'] = (nodes, catalog) =>
    readingInstead(nodes, catalog, { from, to: view.id, except: new Set([view.id]) });
  return { change, notes: [], reads };
}

/** Puts the node into the body without its edges. */
function dropped(border: Border): Way {
  const { found, view } = border;
  const isOwn = ({ from, to }: FlowEdge): boolean => nodeOf(from) === view.id || nodeOf(to) === view.id;
  const change = moving(border, ({ edges }) => ({
    outer: edges.filter((edge) => !isOwn(edge)),
    inner: found.body.edges,
  }));
  const notes = cutNotes(found.context.flow.edges.filter(isOwn));
  return { change, notes, reads: (nodes) => ({ ...nodes }) };
}
