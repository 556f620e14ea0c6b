import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { randomFlow } from '../testing/random-flow.ts';
import { diffFlows } from './diff.ts';

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

test('edges that came and went are told', () => {
  expect(diffFlows(base, { ...base, edges: [] })).toEqual([
    { kind: 'edge-removed', from: 'start.out', to: 'say.in' },
  ]);
});
