import { isDeepStrictEqual } from 'node:util';
import type { Flow } from '#shared/flow.ts';

/**
 * The nodes whose outputs from an earlier version of the flow are no longer valid, with the reason: a change to their
 * own settings or incoming edges, or to those of a node that they depend on.
 */
export function editedNodes(before: Flow, after: Flow): Map<string, string> {
  const lacks = new Map<string, string>();
  for (const id of Object.keys(after.nodes))
    if (!isSame(before, after, id)) lacks.set(id, 'it has been changed since then');
  const open = [...lacks.keys()];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const target of targetsOf(after, id)) {
      if (lacks.has(target)) continue;
      lacks.set(target, `${id}, which it depends on, has been changed since then`);
      open.push(target);
    }
  }
  return lacks;
}

function isSame(before: Flow, after: Flow, id: string): boolean {
  const [old, now] = [before.nodes[id], after.nodes[id]];
  if (old === undefined || now === undefined) return false;
  const { description: _old, ...oldNode } = old;
  const { description: _now, ...nowNode } = now;
  return (
    isDeepStrictEqual(oldNode, nowNode) && isDeepStrictEqual(edgesInto(before, id), edgesInto(after, id))
  );
}

function edgesInto({ edges }: Flow, id: string): string[] {
  return edges
    .filter(({ to }) => nodeOf(to) === id)
    .map(({ from, to, pick = '' }) => `${from}>${to} ${pick}`);
}

function targetsOf({ edges }: Flow, id: string): string[] {
  return edges.filter(({ from }) => nodeOf(from) === id).map(({ to }) => nodeOf(to));
}

function nodeOf(end: string): string {
  return end.slice(0, end.indexOf('.'));
}
