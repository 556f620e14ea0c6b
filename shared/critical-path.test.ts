import { fc } from '../tests/support/property.ts';
import { expect, test } from 'vitest';
import { criticalPath, timeAfter, type TimedNode } from './critical-path.ts';

type Edge = readonly [from: string, to: string];

/** Graphs of up to 8 nodes whose edges lead from lower to higher numbers, with times as in a run. */
const graph = fc
  .array(fc.record({ gap: fc.nat(3), ms: fc.nat(9), early: fc.nat(4) }), { minLength: 1, maxLength: 8 })
  .chain((times) => {
    const pairs = times.flatMap((_, to) => times.slice(0, to).map((__, from) => [from, to] as const));
    return fc.record({ times: fc.constant(times), pairs: fc.subarray(pairs), seed: fc.integer() });
  })
  .map(({ times, pairs, seed }) => {
    const nodes: TimedNode[] = [];
    times.forEach(({ gap, ms, early }, i) => {
      const before = pairs.filter(([, to]) => to === i).map(([from]) => nodes[from] as TimedNode);
      const ready = Math.max(0, ...before.map(({ end }) => end));
      const begun = Math.max(0, ...before.map(({ start }) => start));
      // A reader of a stream starts before its source has ended.
      const start = Math.max(begun, ready + gap - early);
      nodes.push({ id: `n${i}`, start, end: start + ms });
    });
    const edges = pairs.map(([from, to]): Edge => [`n${from}`, `n${to}`]);
    const turned = nodes.map((_, i) => nodes[(i + Math.abs(seed)) % nodes.length] as TimedNode);
    return { nodes: turned, edges };
  });

function lengthOf(chain: readonly TimedNode[]): number {
  return chain.reduce((sum, node, i) => {
    const before = chain[i - 1];
    return sum + (before === undefined ? node.end - node.start : timeAfter(before, node));
  }, 0);
}

/** Tries all paths through the graph, one after the other. */
function allChains(nodes: readonly TimedNode[], edges: readonly Edge[]): TimedNode[][] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const from = (node: TimedNode): TimedNode[][] => [
    [node],
    ...edges
      .filter(([source]) => source === node.id)
      .flatMap(([, to]) => from(byId.get(to) as TimedNode).map((rest) => [node, ...rest])),
  ];
  return nodes.flatMap(from);
}

test('no chain is longer, and the path is a chain of that length', () => {
  fc.assert(
    fc.property(graph, ({ nodes, edges }) => {
      const { path, ms } = criticalPath(nodes, edges);
      expect(ms).toBe(Math.max(...allChains(nodes, edges).map(lengthOf)));
      const chain = path.map((id) => nodes.find((node) => node.id === id) as TimedNode);
      expect(lengthOf(chain)).toBe(ms);
      const isEdge = (from: string, to: string) => edges.some(([a, b]) => a === from && b === to);
      path.slice(1).forEach((to, i) => expect(isEdge(path[i] as string, to)).toBe(true));
    }),
    { numRuns: 300 },
  );
});

test('the path does not depend on the order in which nodes and edges are given', () => {
  fc.assert(
    fc.property(graph, ({ nodes, edges }) => {
      const turned = criticalPath(nodes.toReversed(), edges.toReversed());
      expect(turned.ms).toBe(criticalPath(nodes, edges).ms);
    }),
    { numRuns: 100 },
  );
});

test('it begins where the chain begins and goes on to its end, through nodes that take no time', () => {
  const nodes = [
    { id: 'trigger', start: 0, end: 0 },
    { id: 'slow', start: 0, end: 50 },
    { id: 'quick', start: 0, end: 5 },
    { id: 'respond', start: 50, end: 50 },
  ];
  const edges: Edge[] = [
    ['trigger', 'slow'],
    ['trigger', 'quick'],
    ['slow', 'respond'],
    ['quick', 'respond'],
    ['respond', 'elsewhere'],
  ];
  expect(criticalPath(nodes, edges)).toEqual({ path: ['trigger', 'slow', 'respond'], ms: 50 });
});

test('a long row of nodes is no trouble, and none is no path', () => {
  const nodes = Array.from({ length: 20_000 }, (_, i) => ({ id: `n${i}`, start: i, end: i + 1 }));
  const edges = nodes.slice(1).map((_, i): Edge => [`n${i}`, `n${i + 1}`]);
  expect(criticalPath(nodes, edges)).toMatchObject({ ms: 20_000, path: { length: 20_000 } });
  expect(criticalPath([], [])).toEqual({ path: [], ms: 0 });
});
