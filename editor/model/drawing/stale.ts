import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { flowGraph, reach } from '#engine/check';
import { sameJson } from '#engine/edit';
import { nodeOf } from '../document/edit.ts';
import { flatFlow, holdersOf } from '../document/flat.ts';
import { titleOf } from '../document/geometry.ts';
import { NOTHING_STALE, type Stale } from './marks.ts';

/** Nodes that would give another result than in a run of `ran`: those that were edited since, and all that follow them. */
export function staleNodes(before: Flow, after: Flow, catalog: Catalog): Stale {
  if (before === after) return NOTHING_STALE;
  const [ran, now] = [flatFlow(before), flatFlow(after)];
  const edited = editedNodes(ran, now, after);
  const stale: Record<string, string> = { ...edited };
  const graph = flowGraph(now);
  for (const id of Object.keys(edited)) {
    const reason = `“${titleOf(now.nodes[id] as FlowNode, catalog)}” before it was changed after this run.`;
    for (const after of reach(graph, [id])) stale[after] ??= reason;
  }
  if (ran.settings?.timezone !== now.settings?.timezone)
    for (const id of Object.keys(now.nodes))
      stale[id] ??= 'The time zone of the flow was changed after this run.';
  return Object.keys(stale).length > 0 ? stale : NOTHING_STALE;
}

/** The nodes that differ themselves, each with the reason. */
function editedNodes(ran: Flow, now: Flow, after: Flow): Stale {
  const settings = Object.keys(now.nodes).filter((id) => hasOtherSettings(ran.nodes[id], now.nodes[id]));
  const wires = ran.edges === now.edges ? [] : rewired(ran, now);
  const inner = [...settings, ...wires].flatMap((id) => holdersOf(after, id));
  return {
    ...Object.fromEntries(inner.map((id) => [id, 'A node in it was changed after this run.'])),
    ...Object.fromEntries(wires.map((id) => [id, 'Its connections were changed after this run.'])),
    ...Object.fromEntries(settings.map((id) => [id, 'Its settings were changed after this run.'])),
  };
}

/** A name or a description changes no result. */
function hasOtherSettings(before: FlowNode | undefined, now: FlowNode | undefined): boolean {
  if (before === now) return false;
  if (!before || !now) return true;
  // What is in a body is compared by itself.
  const { name: _n, description: _d, body: _b, ...was } = before;
  const { name: _m, description: _e, body: _c, ...is } = now;
  return !sameJson(was, is);
}

/** Nodes of `now` that get their inputs from elsewhere. */
function rewired(ran: Flow, now: Flow): string[] {
  const key = ({ from, to, ...more }: Flow['edges'][number]): string =>
    `${from} ${to} ${JSON.stringify(more)}`;
  const [before, after] = [
    new Map(ran.edges.map((e) => [key(e), e])),
    new Map(now.edges.map((e) => [key(e), e])),
  ];
  const changed = [
    ...ran.edges.filter((edge) => !after.has(key(edge))),
    ...now.edges.filter((edge) => !before.has(key(edge))),
  ];
  return [...new Set(changed.map((edge) => nodeOf(edge.to)))].filter((id) => Object.hasOwn(now.nodes, id));
}
