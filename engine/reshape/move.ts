import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import { flowTypes } from '../types/flow-types.ts';
import { isAlwaysGiven } from '../types/result-type.ts';
import { containerOf, contextWith, endsOf, type Reshaped, refused, rootOf } from './graphs.ts';
import { stepIn } from './move-in.ts';
import { stepOut } from './move-out.ts';

type Moved = Reshaped<{ readonly flow: Flow }>;

/**
 * Moves a node into the body of another one, or to the nodes of the flow if `into` is undefined, step by step through the bodies
 * between. It keeps its id. The node before or after a container keeps its edges through it; an edge that would cross the border of
 * a body otherwise is removed, and a note names it.
 */
export function moveNode(flow: Flow, id: string, into: string | undefined, catalog: Catalog): Moved {
  const target = into === undefined ? [] : aroundOf(flow, into, catalog)?.concat(into);
  const from = aroundOf(flow, id, catalog);
  if (!from || !target) return refused(`There is no node \`${from ? into : id}\`.`);
  if (target.includes(id)) return refused(`\`${id}\` cannot be moved into itself.`);
  const shared = from.findIndex((one, at) => one !== target[at]);
  const common = shared < 0 ? from.length : shared;
  const out = from.slice(common).map(() => (one: Flow) => stepOut(one, id, catalog));
  const inwards = target
    .slice(common)
    .map((one) => (at: Flow) => stepIn(at, id, { container: one, catalog }));
  let moved: Moved = { ok: true, flow, notes: [] };
  for (const step of [...out, ...inwards]) {
    if (!moved.ok) return moved;
    const next: Moved = step(moved.flow);
    moved = next.ok ? { ...next, notes: [...moved.notes, ...next.notes] } : next;
  }
  if (!moved.ok) return moved;
  const { flow: after } = moved;
  const passed = [...from.slice(common), ...target.slice(common)];
  const nulls = passed.filter((one) => mayGiveNull(flow, one, catalog) || mayGiveNull(after, one, catalog));
  const skipped = nulls.map(
    (one) =>
      `\`${one}\` gives null where the last node in it is skipped, so a node on the other side of its border may get that or be skipped.`,
  );
  return { ...moved, notes: [...moved.notes, ...skipped] };
}

/** Whether a run of the body may end without a result. */
function mayGiveNull(flow: Flow, container: string, catalog: Catalog): boolean {
  const found = containerOf(flow, container, catalog);
  if (!found) return false;
  const types = flowTypes(rootOf(found.context));
  return !endsOf(found.inner).every(({ id }) => isAlwaysGiven(found.inner, types, id));
}

/** The nodes around a node, from the outermost on. */
function aroundOf(flow: Flow, id: string, catalog: Catalog): string[] | undefined {
  const context = contextWith(flow, id, catalog);
  if (!context) return undefined;
  const around: string[] = [];
  for (let at = context.outside; at !== undefined; at = at.context.outside) around.unshift(at.node);
  return around;
}
