import { type FlowBody, type FlowEdge, type FlowNode, splitPortRef } from '#shared/flow.ts';
import { idFrom, idSource } from '../../awel/names.ts';

/** The flow that is being made, and what its outputs carry. */

/**
 * What an output carries: one item, or a list of items. In n8n every wire carries a list; here a list is one only where there may be more
 * or fewer than one.
 */
export type Card = 'one' | 'many';

/** For a list, if it holds. */
export const plural = (isList: boolean): Card => (isList ? 'many' : 'one');

export interface Port {
  /** `node.port`, for edges. */
  readonly ref: string;
  /** `nodes.node` or `nodes.node.port`, for expressions. */
  readonly expr: string;
  readonly card: Card;
  /** The list may have no item; nothing runs after such a list in n8n. */
  readonly mayBeEmpty: boolean;
  /** It is null as long as the node has not run in a round. */
  readonly mayBeMissing?: boolean;
  /** In a loop that is drawn by hand: an expression of what the node gave in the last of the rounds before in which it ran. */
  readonly earlier?: string | undefined;
  /** In a body for each item of a list: an expression of the place of the item in it. */
  readonly place?: string | undefined;
  /** Nodes of n8n whose lists have the items that belong to these at the same places. */
  readonly aligned: ReadonlySet<string>;
  /** Which item of a node before belongs to the item at a place, where it is not the one at the same place. */
  readonly origin?: Origin | undefined;
  /** The outputs that were taken of branching nodes before it, and the triggers it may come from. */
  readonly taken: ReadonlyMap<string, number>;
  readonly triggers: ReadonlySet<string>;
  readonly scope: Scope;
}

/** What a node of n8n gives, under its name there. */
export interface Named {
  readonly name: string;
  readonly port: Port;
  /** Null instead of an error where no item, or none for certain, belongs to it. */
  readonly orNull?: boolean;
}

/** An expression of the item of a node that belongs to the one at a place, which is an expression too; undefined if it is not known. */
export type Origin = (node: Named, place: string) => string | undefined;

/** The item of a node that belongs to the item of a list at a place. */
export function itemAt({ card, aligned, origin }: Port, node: Named, place: string): string | undefined {
  if (node.port.card === 'one') return node.port.expr;
  if (card === 'many' && aligned.has(node.name)) return `${node.port.expr}?.[${place}]`;
  return origin?.(node, place);
}

/** For a list with one item for each of another one, in the same order; of the node with the name. */
export function following(port: Port | undefined, name?: string): Pick<Port, 'aligned' | 'origin'> {
  const own = name === undefined ? [] : [name];
  return { aligned: new Set([...(port?.aligned ?? []), ...own]), origin: port?.origin };
}

/** For a list whose items come from those of another one, at the places that a list of numbers says. */
export function fromPlaces(port: Port, places: string): Origin {
  return (node, place) => {
    const at = `${places}?.[${place}]`;
    // A place that is null is an error.
    return itemAt(port, node, node.orNull === true ? `${at} ?? -1` : at);
  };
}

/** The only one of a list; of several it is an error. */
export const onlyOf = (list: string, { orNull }: Named): string =>
  orNull === true
    ? `(length(${list}) == 1 ? (${list})[0] : null)`
    : `${list}[length(${list}) == 1 ? 0 : length(${list})]`;

/** For an item that is made of all items of a list: what all of them belong to. */
export function ofAll(list: Port): Origin {
  return (node) => {
    if (list.card === 'one') return itemAt(list, node, '0');
    const own = itemAt(list, node, 'at');
    if (own === undefined) return undefined;
    const text = onlyOf(`unique(${list.expr}.map((one, at) => ${own}))`, node);
    return text.length > MOST_ORIGIN ? undefined : text;
  };
}

/** For an item that belongs to the item of a list, if that has one only. */
export function ofOnly(list: Port): Origin {
  return (node) => {
    const own = itemAt(list, node, '0');
    return own === undefined ? undefined : onlyOf(`${list.expr}.map((one) => ${own})`, node);
  };
}

/** The item itself, for a node behind another one that has it no more. */
export const beside = ({ card, expr }: Port): string =>
  `(${card === 'many' ? `${expr}?.[index]` : expr} ?? { })`;

const MOST_ORIGIN = 1500;

/** For the lists of several ports in a row. */
export function inARow(ports: readonly Port[]): Origin {
  return (node, place) => {
    let before = '0';
    const parts: string[] = [];
    for (const port of ports) {
      const item = itemAt(port, node, before === '0' ? place : `${place} - (${before})`);
      if (item === undefined) return undefined;
      const count =
        port.card === 'many' ? `length(${port.expr} ?? [])` : `length(compact([${port.expr} ?? null]))`;
      before = before === '0' ? count : `${before} + ${count}`;
      parts.push(`${place} < ${before} ? ${item}`);
    }
    const text = `(${parts.join(' : ')} : null)`;
    return text.length > MOST_ORIGIN ? undefined : text;
  };
}

/** The flow itself, or the body of a loop in it. */
export interface Scope {
  readonly around: Scope | undefined;
  readonly nodes: Map<string, FlowNode>;
  readonly edges: FlowEdge[];
  /** The start of a body. */
  readonly start: string | undefined;
  /** In the body of a loop that is drawn by hand, or of Split in Batches: what begins a round. */
  round: Round | undefined;
}

export interface Round {
  /** The step of Split in Batches, or at which rounds begin. */
  readonly step: string;
  /** What leads to the loop. */
  readonly after: readonly Port[];
  /** For a loop that is drawn by hand: what leads to that step. */
  readonly port?: Port;
  /** An expression of the number of rounds before. */
  readonly index: string;
  /** Of a loop that is drawn by hand: what a step gave in the last of the rounds before in which it ran, where that is kept. */
  readonly last?: (name: string) => string | undefined;
}

export function createScope(around?: Scope, start?: string): Scope {
  return { around, nodes: new Map(), edges: [], start, round: undefined };
}

export function bodyOf({ nodes, edges, start }: Scope): FlowBody {
  return { start: start as string, nodes: Object.fromEntries(nodes), edges };
}

/** Whether what is in the outer scope can be read in the inner one. */
export function isVisible(outer: Scope, inner: Scope | undefined): boolean {
  return inner !== undefined && (outer === inner || isVisible(outer, inner.around));
}

/** Whether the node with an output comes before the loop in whose body a scope is: wires that would say so may have been lost. */
export function comesBefore({ ref, scope: outer }: Port, inner: Scope): boolean {
  let body: Scope | undefined;
  for (let at: Scope | undefined = inner; at !== undefined && at !== outer; at = at.around) body = at;
  if (!body?.round) return true;
  const before = new Set(body.round.after.map((port) => nodeOf(port.ref)));
  for (const id of before)
    for (const { from, to } of outer.edges) if (nodeOf(to) === id) before.add(nodeOf(from));
  return before.has(nodeOf(ref));
}

const nodeOf = (ref: string): string => splitPortRef(ref).node;

/** Nodes are larger here, and there are more of them. */
export const SPREAD = 1.5;

/** Ids of nodes, unique over all bodies, and where they are drawn. */
export interface Naming {
  id(hint: string): string;
  place(id: string, at: { readonly x: number; readonly y: number }): void;
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
}

export function createNaming(): Naming {
  const idOf = idSource([]);
  const places = new Map<string, { x: number; y: number }>();
  return {
    id: (hint) => idOf(idFrom(hint, 'node')),
    place: (id, { x, y }) => void places.set(id, { x: Math.round(x), y: Math.round(y) }),
    places,
  };
}

/** Whether at most one of two outputs has a value in a run. */
export function areExclusive(a: Port, b: Port): boolean {
  for (const [fork, output] of a.taken) {
    const other = b.taken.get(fork);
    if (other !== undefined && other !== output) return true;
  }
  return a.triggers.size > 0 && b.triggers.size > 0 && ![...a.triggers].some((one) => b.triggers.has(one));
}

/** Whether all triggers that lead to a port start nothing. */
export const isNever = (port: Port | undefined, unused: ReadonlySet<string>): boolean =>
  port !== undefined && port.triggers.size > 0 && [...port.triggers].every((one) => unused.has(one));

/** The facts that hold for all of these ports: for an output that has the value of one of them. */
export function commonFacts(ports: readonly Port[]): Pick<Port, 'taken' | 'triggers' | 'aligned'> {
  const [first, ...rest] = ports;
  const taken = new Map(
    [...(first?.taken ?? [])].filter(([fork, output]) => rest.every((one) => one.taken.get(fork) === output)),
  );
  return {
    taken,
    triggers: new Set(ports.flatMap(({ triggers }) => [...triggers])),
    aligned: new Set(),
  };
}
