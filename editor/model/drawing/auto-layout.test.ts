import Elk from 'elkjs/lib/elk.bundled.js';
import { expect, test } from 'vitest';
import { layeredLayout } from './layered-layout.ts';
import { layOut, layoutGraph, placesFrom } from './auto-layout.ts';
import { nodeOf } from '../document/edit.ts';
import { boxOf, portsOfNode } from '../document/geometry.ts';
import { catalog } from '../testing/catalog.ts';
import { docOf } from '../testing/docs.ts';
import { framesOf } from '../document/frames.ts';

const diamond = docOf(
  {
    start: 'trigger.http',
    pick: { operator: 'logic.switch', params: { cases: [{ name: 'a' }, { name: 'b' }] } },
    left: 'text.template',
    right: 'text.template',
    merge: 'core.merge',
    lonely: 'core.log',
  },
  ['start.out>pick.in', 'pick.a>left.in', 'pick.b>right.in', 'left.out>merge.in', 'right.out>merge.in'],
  Object.fromEntries(
    ['start', 'pick', 'left', 'right', 'merge', 'lonely'].map((id) => [id, { x: 40, y: 20 }]),
  ),
);

test('the graph for elk has the ports at their places and edges between ports', () => {
  const graph = layoutGraph(diamond, catalog);
  const pick = graph.children?.find((child) => child.id === 'pick');
  expect(pick?.ports?.map((port) => port.id)).toEqual([
    'pick.left.in',
    'pick.right.default',
    'pick.right.a',
    'pick.right.b',
  ]);
  expect(pick?.layoutOptions).toEqual({ 'elk.portConstraints': 'FIXED_POS' });
  expect(graph.edges?.[1]).toEqual({
    id: 'pick.a>left.in',
    sources: ['pick.right.a'],
    targets: ['left.left.in'],
  });
});

test('edges to nodes that are not there, and doubled ones, are left out', () => {
  const doc = docOf({ a: 'core.merge', b: 'core.merge' }, ['a.out>b.in', 'a.out>b.in', 'a.out>gone.in']);
  expect(layoutGraph(doc, catalog).edges).toHaveLength(1);
});

test('a large flow is laid out in layers of its own, with the same rules', async () => {
  const ids = Array.from({ length: 400 }, (_, i) => `n${i}`);
  const nodes = Object.fromEntries(ids.map((id) => [id, 'core.map']));
  const edges = ids.slice(1).map((id, i) => `n${Math.floor(i / 3)}.out>${id}.in`);
  const many = docOf(nodes, edges, Object.fromEntries(ids.map((id) => [id, { x: 40, y: 20 }])));
  const places = await layOut(many, catalog, { layout: async (graph) => layeredLayout(graph) });
  const all = ids.map((id) => places[id] ?? { x: Number.NaN, y: Number.NaN });
  expect([Math.min(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y))]).toEqual([40, 20]);
  expect(new Set(all.map(({ x, y }) => `${x} ${y}`)).size).toBe(400);
  expect(all.every(({ x }, i) => i === 0 || x > (all[Math.floor((i - 1) / 3)]?.x ?? x))).toBe(true);
});

test('elk takes the graph: edges run to the right, nothing overlaps, the corner stays', async () => {
  const places = placesFrom(diamond, catalog, await new Elk.default().layout(layoutGraph(diamond, catalog)));
  const ids = Object.keys(diamond.flow.nodes);
  const at = (id: string) => ({
    ...(places[id] ?? { x: Number.NaN, y: Number.NaN }),
    ...boxOf(portsOfNode(diamond, catalog, id)),
  });
  for (const edge of diamond.flow.edges) {
    expect(at(nodeOf(edge.to)).x).toBeGreaterThan(at(nodeOf(edge.from)).x + at(nodeOf(edge.from)).width);
  }
  for (const a of ids) {
    for (const b of ids.filter((id) => id > a)) {
      const [p, q] = [at(a), at(b)];
      const apart =
        p.x + p.width <= q.x || q.x + q.width <= p.x || p.y + p.height <= q.y || q.y + q.height <= p.y;
      expect(apart, `${a} and ${b}`).toBe(true);
    }
  }
  expect(at('left').y).toBeLessThan(at('right').y);
  expect(Math.min(...ids.map((id) => at(id).x))).toBe(40);
  expect(Math.min(...ids.map((id) => at(id).y))).toBe(20);
});

test('bodies are laid out in their frames, which lie over nothing else', async () => {
  const inner = docOf({ a: 'text.template', b: 'text.template' }, ['item.out>a.in', 'a.out>b.in']).flow;
  const outer = docOf({ start: 'trigger.http', loop: 'core.merge', after: 'core.log' }, [
    'start.out>loop.in',
    'loop.out>after.in',
  ]);
  const body = { start: 'item', nodes: inner.nodes, edges: inner.edges };
  const loop = { operator: 'core.merge', body };
  const ids = ['start', 'loop', 'after', 'item', 'a', 'b'];
  const doc = {
    flow: { ...outer.flow, nodes: { ...outer.flow.nodes, loop } },
    layout: { format: 1 as const, nodes: Object.fromEntries(ids.map((id) => [id, { x: 0, y: 0 }])) },
  };
  const nodes = await layOut(doc, catalog, new Elk.default());
  const frame = framesOf({ ...doc, layout: { ...doc.layout, nodes } }, catalog).get('loop');
  const at = (id: string) => nodes[id] ?? { x: Number.NaN, y: Number.NaN };
  expect(at('a').x).toBeGreaterThan(at('item').x);
  expect(at('b').x).toBeGreaterThan(at('a').x);
  expect(frame).toMatchObject(at('loop'));
  expect(frame && frame.x + frame.width).toBeLessThan(at('after').x);
});
