import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { testWorld } from '../testing/catalog.ts';
import { builtIns } from '../testing/play.ts';
import { check } from './index.ts';

const flow: Flow = {
  format: 1,
  id: 'f',
  nodes: { t: { operator: 'trigger.manual' }, m: { operator: 'core.map', params: { value: 1 } } },
  edges: [{ from: 't.out', to: 'm.in' }],
};
const found = (changed: Flow) => check(changed, builtIns.catalog, testWorld);
const withNode = (more: object): Flow => ({
  ...flow,
  nodes: { ...flow.nodes, m: { operator: 'core.map', params: { value: 1 }, ...more } },
});

test.each<[string, Flow, string, RegExp]>([
  [
    'a flow',
    { ...flow, setings: {} },
    'setings',
    /^A flow has no field `setings`.* Did you mean `settings`\?$/,
  ],
  [
    'settings',
    { ...flow, settings: { timeoutMss: 5 } },
    'settings.timeoutMss',
    /Did you mean `timeoutMs`\?$/,
  ],
  ['a node', withNode({ onErorr: 'route' }), 'onErorr', /^A node has no field `onErorr`.* mean `onError`\?$/],
  ['a param outside of params', withNode({ value: 2 }), 'value', /It is a param: write it into `params`\.$/],
  [
    'a retry',
    withNode({
      operator: 'http.request',
      params: { url: 'https://a.example' },
      retry: { attempts: 2, delayMs: 9 },
    }),
    'retry.delayMs',
    /^`retry` has no field `delayMs`.* The names are `attempts`, `backoffMs`, `factor`, `jitter`\.$/,
  ],
  [
    'an edge',
    { ...flow, edges: [{ from: 't.out', to: 'm.in', picks: 'a' }] },
    'edges[0].picks',
    /Did you mean `pick`\?$/,
  ],
])('a field that %s does not have is a warning with advice', (_, changed, field, message) => {
  expect(found(changed)).toEqual([
    expect.objectContaining({
      code: 'bad-field',
      severity: 'warning',
      field,
      message: expect.stringMatching(message),
    }),
  ]);
});

test('a field that a body does not have is a warning at its place', () => {
  const body = {
    start: 'i',
    nodes: { a: { operator: 'core.map', nam: 'A' } },
    edges: [{ from: 'i.out', to: 'a.in', od: 1 }],
  };
  const changed = {
    ...withNode({ operator: 'data.for-each', params: { items: '{{ [1] }}' }, body: { ...body, ende: 1 } }),
    format: 2 as const,
  };
  expect(found(changed).map(({ node, field }) => [node, field])).toEqual([
    [undefined, 'nodes.m.body.edges[0].od'],
    ['a', 'nam'],
    ['m', 'body.ende'],
  ]);
});

test('marks of people and programs, and what imports keep, are none of our business', () => {
  const marks = { $comment: 'a', _note: 'b', 'x-owner': 'c', foreign: {}, awel: {} };
  expect(found({ ...withNode(marks), ...marks })).toEqual([]);
});
