import { fc } from '../../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { testCatalog } from '../testing/catalog.ts';
import { flowOf } from '../testing/flows.ts';
import { components, cycleIn } from './cycles.ts';
import {
  flowGraph,
  incoming,
  outgoing,
  outputKinds,
  portsOf,
  reach,
  runScope,
  topologicalOrder,
} from '../check/index.ts';

const randomEdges = fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 30 });
const graphOf = (edges: readonly (readonly [number, number])[]) =>
  flowGraph(
    flowOf(
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}`, 'core.merge'])),
      edges.map(([a, b]) => `n${a}.out > n${b}.in`),
    ),
  );

describe('flowGraph', () => {
  it('leaves out edges to nodes that are not there, also to `constructor`, and counts a repeated edge once', () => {
    const graph = flowGraph(
      flowOf({ a: 'x', b: 'x' }, ['a.out > b.in', 'a.out > b.in', 'a.out > constructor.in', 'z.out > b.in']),
    );
    expect(graph.edges()).toHaveLength(1);
    expect(graph.nodes()).toEqual(['a', 'b']);
  });

  it('keeps edges between the same nodes at other ports apart', () => {
    const graph = flowGraph(flowOf({ a: 'x', b: 'x' }, ['a.one > b.in', 'a.two > b.in', 'a.one > b.other']));
    expect(outgoing(graph, 'a').map((e) => `${e.fromPort} ${e.toPort}`)).toEqual([
      'one in',
      'two in',
      'one other',
    ]);
  });

  it('gives the edges of an input by their order, those without one after them by name', () => {
    const flow = flowOf({ a: 'x', b: 'x', c: 'x', d: 'x' }, ['a.out > d.in', 'b.out > d.in', 'c.out > d.in']);
    Object.assign(flow.edges[2] ?? {}, { order: 5 });
    expect(incoming(flowGraph(flow), 'd').map((e) => e.from)).toEqual(['c', 'a', 'b']);
  });
});

describe('the graph of a large flow', () => {
  const chain = (size: number, params: Record<string, unknown> = {}) => {
    const nodes = Object.fromEntries(
      Array.from({ length: size }, (_, i) => [`n${i}`, { operator: 'x', params }]),
    );
    return flowOf(
      nodes,
      Array.from({ length: size - 1 }, (_, i) => `n${i}.out > n${i + 1}.in`),
    );
  };

  it('is made once while only params change', () => {
    const graph = flowGraph(chain(200));
    expect(flowGraph(chain(200, { value: 1 }))).toBe(graph);
  });

  it.each<[string, (flow: Flow) => Flow]>([
    ['a node is added', (flow) => ({ ...flow, nodes: { ...flow.nodes, more: { operator: 'x' } } })],
    [
      'a node is renamed',
      ({ nodes: { n7, ...nodes }, ...flow }) => ({ ...flow, nodes: { ...nodes, n7b: n7! } }),
    ],
    ['an edge is removed', (flow) => ({ ...flow, edges: flow.edges.slice(1) })],
    ['an edge starts at another output', (flow) => with7(flow, { from: 'n7.more' })],
    ['an edge ends at another input', (flow) => with7(flow, { to: 'n8.more' })],
    ['an edge gets an order', (flow) => with7(flow, { order: 2 })],
    ['edges are listed in another order', (flow) => ({ ...flow, edges: flow.edges.toReversed() })],
  ])('is made again if %s', (_, change) => {
    const before = flowGraph(chain(200));
    const changed = change(chain(200));
    const after = flowGraph(changed);
    expect(after).not.toBe(before);
    // A small flow in between has no influence.
    flowGraph(flowOf({ a: 'x' }, []));
    expect(flowGraph(changed)).toBe(after);
    flowGraph(chain(300));
    const anew = flowGraph(changed);
    expect(anew).not.toBe(after);
    for (const id of Object.keys(changed.nodes)) {
      expect(incoming(after, id)).toEqual(incoming(anew, id));
      expect(outgoing(after, id)).toEqual(outgoing(anew, id));
    }
  });
});

function with7(flow: Flow, change: Partial<Flow['edges'][number]>): Flow {
  return { ...flow, edges: flow.edges.map((edge, at) => (at === 7 ? { ...edge, ...change } : edge)) };
}

describe('topologicalOrder', () => {
  it('puts every node behind those that lead to it, and tells what lies on or behind a cycle', () => {
    fc.assert(
      fc.property(randomEdges, (edges) => {
        const graph = graphOf(edges);
        const { order, rest } = topologicalOrder(graph);
        expect([...order, ...rest].sort()).toEqual(graph.nodes().sort());
        const place = new Map(order.map((id, i) => [id, i]));
        for (const { v, w } of graph.edges()) {
          if (place.has(w)) expect(place.get(v)).toBeLessThan(place.get(w) as number);
        }
        for (const id of rest) expect(graph.inEdges(id)?.some((e) => rest.includes(e.v))).toBe(true);
      }),
    );
  });
});

describe('components', () => {
  it('groups exactly the nodes that reach each other, in topological order', () => {
    fc.assert(
      fc.property(randomEdges, (edges) => {
        const graph = graphOf(edges);
        const next = (id: string) => outgoing(graph, id).map((e) => e.to);
        const found = components(graph.nodes(), next);
        expect(found.flat().sort()).toEqual(graph.nodes().sort());
        found.forEach((component, i) => {
          const mutual = [...reach(graph, [component[0] as string])].filter((id) =>
            reach(graph, [id]).has(component[0] as string),
          );
          expect(component.toSorted()).toEqual(mutual.sort());
          const earlier = new Set(found.slice(0, i).flat());
          expect(component.flatMap(next).some((id) => earlier.has(id))).toBe(false);
        });
      }),
    );
  });

  it('finds a real cycle in each component that has one, and none elsewhere', () => {
    fc.assert(
      fc.property(randomEdges, (edges) => {
        const graph = graphOf(edges);
        const next = (id: string) => outgoing(graph, id).map((e) => e.to);
        for (const component of components(graph.nodes(), next)) {
          const cycle = cycleIn(component, next);
          const cyclic =
            component.length > 1 || next(component[0] as string).includes(component[0] as string);
          expect(cycle !== undefined).toBe(cyclic);
          cycle?.forEach((id, i) => expect(next(id)).toContain(cycle[(i + 1) % cycle.length]));
          expect(new Set(cycle).size).toBe(cycle?.length ?? 0);
        }
      }),
    );
  });

  it('does not overflow the stack on a path or cycle of 10,000 nodes', () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `n${i}`);
    const path = (id: string) => ids.slice(Number(id.slice(1)) + 1, Number(id.slice(1)) + 2);
    expect(components(ids, path)).toHaveLength(10_000);
    const ring = (id: string) => [`n${(Number(id.slice(1)) + 1) % 10_000}`];
    expect(components(ids, ring)).toHaveLength(1);
    expect(cycleIn(ids, ring)).toEqual(ids);
  });
});

describe('runScope', () => {
  it('holds what a trigger reaches and its ancestors, without other triggers and what only they reach', () => {
    const graph = flowGraph(
      flowOf({ t: 'x', u: 'x', a: 'x', only: 'x', free: 'x', j: 'x', far: 'x' }, [
        't.out > a.in',
        'a.out > j.x',
        'u.out > only.in',
        'only.out > j.y',
        'free.out > j.z',
        'u.out > far.in',
      ]),
    );
    expect([...runScope(graph, 't', (id) => id === 't' || id === 'u')].sort()).toEqual([
      'a',
      'free',
      'j',
      't',
    ]);
  });
});

describe('portsOf', () => {
  const { operators } = testCatalog;
  const names = (type: string, params: Record<string, unknown>, onError?: 'route') => {
    const info = operators[type];
    if (!info) throw new Error(type);
    const { inputs, outputs } = portsOf({ operator: type, params, ...(onError && { onError }) }, info);
    return [inputs.map((p) => (p.required ? p.name : `${p.name}?`)), outputs.map((p) => p.name)];
  };

  it('derives ports from the param that names them, each valid name once', () => {
    const inputs = [
      { name: 'a' },
      { name: 'b', required: false },
      { name: 'a' },
      { name: 'Not' },
      { nome: 'c' },
      7,
      null,
      'd',
    ];
    expect(names('core.join', { inputs })).toEqual([['a', 'b?', 'd'], ['out']]);
    expect(names('core.join', { inputs: { x: {}, y: 1 } })).toEqual([['x', 'y'], ['out']]);
    expect(names('core.join', { inputs: 'abc' })).toEqual([[], ['out']]);
    expect(names('core.join', {})).toEqual([[], ['out']]);
  });

  it('adds the error output where failures are routed', () => {
    expect(names('logic.switch', { cases: [{ name: 'hot' }] }, 'route')).toEqual([
      ['in'],
      ['default', 'hot', 'error'],
    ]);
  });
});

describe('outputKinds', () => {
  it('follows streams through operators that take either and through lifted ones, but not into errors', () => {
    const flow = flowOf(
      {
        t: 'trigger.manual',
        s: 'core.streamify',
        p: 'core.pass',
        m: { operator: 'core.map', onError: 'route' },
        u: 'core.unstreamify',
        q: 'core.pass',
        z: 'toString',
      },
      ['t.out > s.in', 's.out > p.in', 'p.out > m.in', 'm.out > u.in', 'u.out > q.in', 'q.out > z.in'],
    );
    const graph = flowGraph(flow);
    expect(Object.fromEntries(outputKinds(flow, graph, topologicalOrder(graph).order, testCatalog))).toEqual({
      ...{ 't.out': 'value', 's.out': 'stream', 'p.out': 'stream', 'm.out': 'stream', 'm.error': 'value' },
      ...{ 'u.out': 'value', 'q.out': 'value' },
    });
  });
});
