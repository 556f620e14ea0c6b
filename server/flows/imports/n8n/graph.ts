import type { FlowBody, FlowEdge, FlowNode } from '#shared/flow.ts';
import { idFrom, idSource } from '../../awel/names.ts';

/** The flow that is being made, and what its outputs carry. */

/**
 * What an output carries: one item, or a list of items. In n8n every wire carries a list; here a list is one only where there may be more
 * or fewer than one.
 */
export type Card = 'one' | 'many';

/** Of a list, if it holds. */
export const plural = (isList: boolean): Card => (isList ? 'many' : 'one');

export interface Port {
  /** `node.port`, for edges. */
  readonly ref: string;
  /** `nodes.node` or `nodes.node.port`, for expressions. */
  readonly expr: string;
  readonly card: Card;
  /** The list may have no item; nothing runs after such a list in n8n. */
  readonly mayBeEmpty: boolean;
  /** Nodes of n8n whose lists have the items that belong to these at the same places. */
  readonly aligned: ReadonlySet<string>;
  /** The outputs that were taken of branching nodes before it, and the triggers it may come from. */
  readonly taken: ReadonlyMap<string, number>;
  readonly triggers: ReadonlySet<string>;
  readonly scope: Scope;
}

/** The flow itself, or the body of a loop in it. */
export interface Scope {
  readonly around: Scope | undefined;
  readonly nodes: Map<string, FlowNode>;
  readonly edges: FlowEdge[];
  /** The start of a body. */
  readonly start: string | undefined;
}

export function createScope(around?: Scope, start?: string): Scope {
  return { around, nodes: new Map(), edges: [], start };
}

export function bodyOf({ nodes, edges, start }: Scope): FlowBody {
  return { start: start as string, nodes: Object.fromEntries(nodes), edges };
}

/** Whether what is in the outer scope can be read in the inner one. */
export function isVisible(outer: Scope, inner: Scope | undefined): boolean {
  return inner !== undefined && (outer === inner || isVisible(outer, inner.around));
}

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

/** What holds of both: for an output that has what either has. */
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
