import { describe, expect, it } from 'vitest';
import { testCatalog, testWorld } from '../testing/catalog.ts';
import { flowOf, type NodeSpec } from '../testing/flows.ts';
import { http, iff, join, map, switchOf, withParams } from '../testing/nodes.ts';
import { check } from './index.ts';

const t = 'trigger.manual';

/** Flows with one mistake each, and the codes that `check` reports for them; warnings end in `?`. */
const wrong: [title: string, nodes: Record<string, NodeSpec>, edges: string[], codes: string[]][] = [
  ['an expression with an error', { t, a: map('{{ input. }}') }, ['t.out > a.in'], ['expression-syntax']],
  [
    'an unknown function',
    { t, a: map('{{ lenght(input) }}') },
    ['t.out > a.in'],
    ['expression-unknown-function'],
  ],
  ['an unknown root', { t, a: map('{{ inptu.x }}') }, ['t.out > a.in'], ['expression-unknown-name']],
  ['an unknown node', { t, a: map('{{ nodes.tt.x }}') }, ['t.out > a.in'], ['expression-unknown-name']],
  [
    'an unknown output',
    { t, s: switchOf('x'), a: map('{{ nodes.s.y }}') },
    ['t.out > s.in', 's.x > a.in'],
    ['expression-unknown-name'],
  ],
  ['all nodes at once', { t, a: map('{{ nodes }}') }, ['t.out > a.in'], ['expression-unknown-name']],
  [
    'a read of a node without outputs',
    { t, r: 'core.respond', a: map('{{ nodes.r }}') },
    ['t.out > r.in', 't.out > a.in'],
    ['expression-unknown-name'],
  ],
  [
    'the input of a node without one',
    {
      t: http({ path: '/a' }),
      a: { operator: 'core.join', params: { inputs: [], value: '{{ input }}' } },
      j: join('x', 'y'),
    },
    ['t.out > j.x', 'a.out > j.y'],
    ['expression-unknown-name'],
  ],
  [
    'the input of a node with several',
    { t, j: withParams(join('x', 'y'), { value: '{{ input }}' }) },
    ['t.out > j.x', 't.out > j.y'],
    ['expression-unknown-name'],
  ],
  [
    'an unknown input',
    { t, j: withParams(join('left'), { value: '{{ inputs.letf }}' }) },
    ['t.out > j.left'],
    ['expression-unknown-name'],
  ],
  ['an item where there is none', { t, a: map('{{ item }}') }, ['t.out > a.in'], ['expression-unknown-name']],
  [
    'a read of a node beside',
    { t, a: 'core.map', b: map('{{ nodes.a }}'), j: join('x', 'y') },
    ['t.out > a.in', 't.out > b.in', 'a.out > j.x', 'b.out > j.y'],
    ['not-upstream'],
  ],
  [
    'a read of a node below',
    { t, a: map('{{ nodes.b }}'), b: 'core.map' },
    ['t.out > a.in', 'a.out > b.in'],
    ['not-upstream'],
  ],
  ['a read of itself', { t, a: map('{{ nodes.a }}') }, ['t.out > a.in'], ['not-upstream']],
  [
    'a read of a stream',
    { t, s: 'core.streamify', u: 'core.unstreamify', a: map('{{ nodes.s }}') },
    ['t.out > s.in', 's.out > u.in', 'u.out > a.in'],
    ['stream-read'],
  ],
  [
    'an input that is a stream',
    {
      t,
      s: 'core.streamify',
      p: { operator: 'core.pass', params: { note: '{{ input }}' } },
      u: 'core.unstreamify',
    },
    ['t.out > s.in', 's.out > p.in', 'p.out > u.in'],
    ['stream-read'],
  ],
  [
    'a read of one side of an if behind the merge',
    { t, i: iff(), a: 'core.map', m: 'core.merge', z: map('{{ nodes.a }}') },
    ['t.out > i.in', 'i.then > a.in', 'a.out > m.in', 'i.else > m.in', 'm.out > z.in'],
    ['maybe-skipped?'],
  ],
  [
    'a read of the other side of an if',
    { t, i: iff(), a: map('{{ nodes.i.else }}') },
    ['t.out > i.in', 'i.then > a.in'],
    ['maybe-skipped?'],
  ],
  [
    'a read over an optional input',
    { t, i: iff(), a: 'core.map', j: withParams(join('x', 'y?'), { value: '{{ nodes.a }}' }) },
    ['t.out > i.in', 'i.then > a.in', 't.out > j.x', 'a.out > j.y'],
    ['maybe-skipped?'],
  ],
  [
    'a read of a failed node from its error branch',
    { t, a: map('{{ input }}', { onError: 'route' }), b: map('{{ nodes.a }}') },
    ['t.out > a.in', 'a.error > b.in'],
    ['maybe-skipped?'],
  ],
  [
    'a read of one of two triggers',
    { t, u: t, m: 'core.merge', a: map('{{ nodes.t }}') },
    ['t.out > m.in', 'u.out > m.in', 'm.out > a.in'],
    ['maybe-skipped?'],
  ],
  [
    'a read that may be beside a disabled node',
    {
      t,
      d: { operator: 'core.gather', disabled: true },
      j: withParams(join('x', 'y?'), { value: '{{ nodes.e }}' }),
      e: 'core.map',
      s: switchOf('q'),
    },
    ['t.out > s.in', 's.q > d.in', 'd.out > e.in', 'e.out > j.y', 't.out > j.x'],
    ['disabled-node?', 'maybe-skipped?'],
  ],
  ['an unknown variable', { t, a: map('{{ vars.greetings }}') }, ['t.out > a.in'], ['unknown-variable']],
];

describe('check', () => {
  it.each(wrong)('finds %s', (_, nodes, edges, codes) => {
    const problems = check(flowOf(nodes, edges), testCatalog, testWorld);
    const found = problems.map((p) => (p.severity === 'warning' ? `${p.code}?` : p.code));
    expect(found.sort()).toEqual(codes.toSorted());
  });
});

it('tells of `toJson` where `json` is given a value', () => {
  const flow = flowOf({ t, a: map('{{ json({ a: input }) }}') }, ['t.out > a.in']);
  const [problem] = check(flow, testCatalog, testWorld).filter(({ node }) => node === 'a');
  expect(problem?.message).toBe('`json` needs text, but this is an object; `toJson` writes a value as JSON.');
});
