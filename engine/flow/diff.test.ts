import { fc } from '../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { randomFlow } from '../testing/random-flow.ts';
import { diffFlows, sameJson } from './diff.ts';
import { renameNode } from './rename-node.ts';

const base: Flow = {
  format: 1,
  id: 'greet',
  nodes: {
    start: { operator: 'trigger.manual' },
    say: { operator: 'text.template', params: { template: 'Hello', options: { trim: true } } },
  },
  edges: [{ from: 'start.out', to: 'say.in' }],
};

test('a version differs from itself in nothing, in whatever order it is written', () => {
  fc.assert(
    fc.property(randomFlow, (flow) => {
      const turned = {
        ...flow,
        nodes: Object.fromEntries(Object.entries(flow.nodes).reverse()),
        edges: flow.edges.toReversed(),
      };
      expect(diffFlows(flow, turned)).toEqual([]);
    }),
  );
});

test('what one direction adds, the other takes away', () => {
  fc.assert(
    fc.property(randomFlow, randomFlow, (a, b) => {
      const count = (from: Flow, to: Flow, kind: string) =>
        diffFlows(from, to).filter((c) => c.kind === kind).length;
      for (const part of ['node', 'edge'])
        expect(count(a, b, `${part}-added`)).toBe(count(b, a, `${part}-removed`));
      expect(count(a, b, 'node-changed')).toBe(count(b, a, 'node-changed'));
    }),
  );
});

test('changes are told by field, with both values', () => {
  const after: Flow = {
    ...base,
    name: 'Greet',
    nodes: {
      ...base.nodes,
      say: { operator: 'text.template', params: { template: 'Hi', options: { trim: true, lines: 2 } } },
    },
    settings: { timeoutMs: 5 },
  };
  expect(diffFlows(base, after)).toEqual([
    { kind: 'node-changed', node: 'say', path: 'params.template', before: 'Hello', after: 'Hi' },
    { kind: 'node-changed', node: 'say', path: 'params.options.lines', before: undefined, after: 2 },
    { kind: 'flow-changed', path: 'name', before: undefined, after: 'Greet' },
    { kind: 'flow-changed', path: 'settings', before: undefined, after: { timeoutMs: 5 } },
  ]);
});

test('a node that only got another name is told as that, and its edges are the same', () => {
  const after: Flow = {
    ...base,
    nodes: {
      start: base.nodes['start'] as Flow['nodes'][string],
      greet: base.nodes['say'] as Flow['nodes'][string],
    },
    edges: [{ from: 'start.out', to: 'greet.in' }],
  };
  expect(diffFlows(base, after)).toEqual([{ kind: 'node-renamed', node: 'say', to: 'greet' }]);
});

const reads = (id: string) => ({ operator: 'core.map', params: { value: `{{ nodes.${id}.x }}` } });

test('nodes that read a renamed one have not changed, and may be renamed themselves', () => {
  const before: Flow = { ...base, nodes: { ...base.nodes, one: reads('say'), two: reads('one') } };
  const { start } = base.nodes;
  const after: Flow = {
    ...base,
    nodes: {
      start: start as Flow['nodes'][string],
      greet: base.nodes['say'] as Flow['nodes'][string],
      one: reads('greet'),
      second: reads('one'),
    },
    edges: [{ from: 'start.out', to: 'greet.in' }],
  };
  expect(diffFlows(before, after)).toEqual([
    { kind: 'node-renamed', node: 'say', to: 'greet' },
    { kind: 'node-renamed', node: 'two', to: 'second' },
  ]);
  const chained = { ...after, nodes: { ...after.nodes, first: reads('greet'), second: reads('first') } };
  delete (chained.nodes as Record<string, unknown>)['one'];
  expect(diffFlows(before, chained).map(({ kind }) => kind)).toEqual(Array(3).fill('node-renamed'));
});

test('who still reads the old name of a renamed node has not changed', () => {
  const before: Flow = { ...base, nodes: { ...base.nodes, one: reads('say') } };
  const { say, ...others } = before.nodes;
  const after: Flow = {
    ...before,
    nodes: { ...others, greet: say as Flow['nodes'][string] },
    edges: [{ from: 'start.out', to: 'greet.in' }],
  };
  expect(diffFlows(before, after)).toEqual([{ kind: 'node-renamed', node: 'say', to: 'greet' }]);
});

test('whatever nodes are renamed to, with all that read them, that is all that is told', () => {
  fc.assert(
    fc.property(randomFlow, fc.nat(), (flow, which) => {
      const ids = Object.keys(flow.nodes);
      const [from, to] = [ids[which % ids.length] as string, 'renamed_for_sure'];
      const twins = Object.values(flow.nodes).filter((node) => sameJson(node, flow.nodes[from]));
      fc.pre(twins.length === 1);
      expect(diffFlows(flow, renameNode(flow, from, to))).toEqual([{ kind: 'node-renamed', node: from, to }]);
    }),
  );
});

test('params may be called as what every object has', () => {
  const with_ = (params: object): Flow => ({
    ...base,
    nodes: { ...base.nodes, say: { operator: 'core.map', params: { value: params } } },
  });
  expect(diffFlows(with_({}), with_({ toString: 1 }))).toEqual([
    { kind: 'node-changed', node: 'say', path: 'params.value.toString', before: undefined, after: 1 },
  ]);
});

test('two flows that share nothing are told apart at once', () => {
  const many = (prefix: string): Flow => ({
    ...base,
    nodes: Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`${prefix}${i}`, reads(`n${i}`)])),
    edges: [],
  });
  expect(diffFlows(many('a'), many('b'))).toHaveLength(4000);
});

test('edges that came and went are told', () => {
  expect(diffFlows(base, { ...base, edges: [] })).toEqual([
    { kind: 'edge-removed', from: 'start.out', to: 'say.in' },
  ]);
});
