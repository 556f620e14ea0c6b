import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { expect, test } from 'vitest';
import { costRatio } from '../../../tests/support/cost.ts';
import { layeredLayout } from './layered-layout.ts';

const SIZE = { width: 240, height: 72 };

/** A graph of nodes with one port on each side, by the numbers of its edges. */
function graphOf(count: number, edges: readonly (readonly [from: number, to: number])[]): ElkNode {
  return {
    id: 'root',
    children: Array.from({ length: count }, (_, i) => ({
      id: `n${i}`,
      ...SIZE,
      ports: [
        { id: `n${i}.left`, x: 0, y: 36 },
        { id: `n${i}.right`, x: SIZE.width, y: 36 },
      ],
    })),
    edges: edges.map(([from, to]) => ({
      id: `${from}>${to}`,
      sources: [`n${from}.right`],
      targets: [`n${to}.left`],
    })),
  };
}

/** A flow that branches, joins and leaps, the same each time. */
function tangled(count: number): (readonly [number, number])[] {
  let state = 7;
  const random = (below: number): number => {
    state = (state * 16_807) % 2_147_483_647;
    return state % below;
  };
  const edges: (readonly [number, number])[] = [];
  for (let i = 1; i < count; i++) {
    edges.push([Math.max(0, i - 1 - random(12)), i]);
    if (i % 4 === 0) edges.push([Math.max(0, i - 2 - random(50)), i]);
  }
  return edges;
}

const placesOf = (graph: ElkNode): { x: number; y: number }[] =>
  (layeredLayout(graph).children ?? []).map(({ x = Number.NaN, y = Number.NaN }) => ({ x, y }));

function overlaps(places: readonly { x: number; y: number }[]): number {
  let count = 0;
  for (const [i, a] of places.entries())
    for (const b of places.slice(i + 1))
      if (Math.abs(a.x - b.x) < SIZE.width && Math.abs(a.y - b.y) < SIZE.height) count++;
  return count;
}

test('nothing overlaps, every edge goes to the right, and what is short is near', () => {
  const edges = tangled(1000);
  const places = placesOf(graphOf(1000, edges));
  expect(overlaps(places)).toBe(0);
  const lengths = edges.map(([from, to]) => (places[to]?.x ?? 0) - (places[from]?.x ?? 0));
  expect(lengths.filter((length) => length < 340)).toEqual([]);
});

test('a line is a line, and a node between two stands between them', () => {
  const line = placesOf(
    graphOf(5, [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]),
  );
  expect(line).toEqual([0, 340, 680, 1020, 1360].map((x) => ({ x, y: 0 })));
  const fork = placesOf(
    graphOf(4, [
      [0, 1],
      [0, 2],
      [1, 3],
      [2, 3],
    ]),
  );
  const [start, above, below, end] = fork.map(({ y }) => y);
  expect(start).toBe(((above ?? 0) + (below ?? 0)) / 2);
  expect(end).toBe(start);
});

test('a tree has no crossing', () => {
  const edges = Array.from({ length: 399 }, (_, i) => [Math.floor(i / 2), i + 1] as const);
  const places = placesOf(graphOf(400, edges));
  const crossings = edges.flatMap(([a, b], i) =>
    edges.slice(i + 1).filter(([c, d]) => {
      const at = (n: number) => places[n] ?? { x: 0, y: 0 };
      const isAlike = at(a).x === at(c).x && at(b).x === at(d).x;
      return isAlike && (at(a).y - at(c).y) * (at(b).y - at(d).y) < 0;
    }),
  );
  expect(crossings).toEqual([]);
});

test('parts without an edge between them stand below each other, and a cycle stops nothing', () => {
  const places = placesOf(
    graphOf(6, [
      [0, 1],
      [2, 3],
      [4, 5],
      [5, 4],
    ]),
  );
  expect(overlaps(places)).toBe(0);
  expect(places[2]?.y).toBeGreaterThan((places[1]?.y ?? 0) + SIZE.height);
  expect(places.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
});

test('eight times the nodes take far less than 64 times as long', () => {
  const [small, large] = [500, 4000].map((count) => graphOf(count, tangled(count)));
  const ratio = costRatio(
    () => void layeredLayout(small as ElkNode),
    () => void layeredLayout(large as ElkNode),
  );
  expect(ratio).toBeLessThan(40);
});
