import { describe, expect, it } from 'vitest';
import { testCatalog, testWorld } from '../testing/catalog.ts';
import { flowOf, type NodeSpec } from '../testing/flows.ts';
import { http, iff, join, map, routeOf } from '../testing/nodes.ts';
import type { OperatorInfo } from '#shared/catalog.ts';
import { check } from './index.ts';

const t = 'trigger.manual';

/** Flows with one mistake each, and the codes that `check` reports for them; warnings end in `?`. */
const wrong: [title: string, nodes: Record<string, NodeSpec>, edges: string[], codes: string[]][] = [
  ['an unknown operator', { t, a: 'core.mapp' }, ['t.out > a.in'], ['unknown-operator']],
  [
    'an operator named like something inherited',
    { t, a: 'toString', b: '__proto__' },
    ['t.out > a.in', 't.out > b.in'],
    ['unknown-operator', 'unknown-operator'],
  ],
  ['a mistyped trigger', { t: 'trigger.manuel', a: 'core.map' }, ['t.out > a.in'], ['unknown-operator']],
  ['an input without an edge', { t, j: join('x', 'y') }, ['t.out > j.x'], ['missing-input']],
  [
    'an edge from a node that is not there',
    { t, m: 'core.merge' },
    ['t.out > m.in', 'gone.out > m.in'],
    ['dangling-edge'],
  ],
  ['an edge to a node that is not there', { t }, ['t.out > gone.in'], ['dangling-edge']],
  ['an edge to the object of all objects', { t }, ['t.out > constructor.in'], ['dangling-edge']],
  [
    'an unknown input and output',
    { t, m: 'core.merge', a: 'core.map' },
    ['t.out > m.in', 't.outt > m.in', 'm.out > a.in', 'm.out > a.inn'],
    ['unknown-port', 'unknown-port'],
  ],
  [
    'an error edge without a routed error',
    { t, a: 'core.map', b: 'core.merge' },
    ['t.out > a.in', 'a.error > b.in', 'a.out > b.in'],
    ['unknown-port'],
  ],
  ['an edge twice', { t, a: 'core.map' }, ['t.out > a.in', 't.out > a.in'], ['duplicate-edge']],
  [
    'two edges into a single input',
    { t, a: 'core.map', b: 'core.map', c: 'core.map' },
    ['t.out > a.in', 't.out > b.in', 'a.out > c.in', 'b.out > c.in'],
    ['too-many-edges'],
  ],
  [
    'a stream into a value',
    { t, s: 'core.streamify', m: 'core.merge' },
    ['t.out > s.in', 's.out > m.in'],
    ['kind-mismatch'],
  ],
  [
    'a stream that passed through into a value',
    { t, s: 'core.streamify', p: 'core.pass', i: iff() },
    ['t.out > s.in', 's.out > p.in', 'p.out > i.in'],
    ['kind-mismatch'],
  ],
  ['a value into a stream', { t, u: 'core.unstreamify' }, ['t.out > u.in'], ['kind-mismatch']],
  ['a node that feeds itself', { t, a: 'core.merge' }, ['t.out > a.in', 'a.out > a.in'], ['cycle']],
  [
    'two circles',
    { t, a: 'core.merge', b: 'core.map', c: 'core.merge', d: 'core.map', e: 'core.map' },
    [
      't.out > a.in',
      'a.out > b.in',
      'b.out > a.in',
      'b.out > c.in',
      'c.out > d.in',
      'd.out > c.in',
      'd.out > e.in',
    ],
    ['cycle', 'cycle'],
  ],
  [
    'a node that nothing leads to',
    { t, a: { operator: 'http.request', params: { url: 'x' } } },
    [],
    ['unreachable-node?'],
  ],
  [
    'nothing that starts the flow',
    { a: { operator: 'http.request', params: { url: 'x' } } },
    [],
    ['no-trigger?'],
  ],
  ['no nodes at all', {}, [], ['no-trigger?']],
  [
    'two results',
    { t, a: 'core.map', b: 'core.map' },
    ['t.out > a.in', 't.out > b.in'],
    ['ambiguous-result?'],
  ],
  [
    'two results on one side of an if',
    { t, i: iff(), a: 'core.map', b: 'core.map', c: 'core.map' },
    ['t.out > i.in', 'i.then > a.in', 'i.then > b.in', 'i.else > c.in'],
    ['ambiguous-result?'],
  ],
  [
    'several cases of a model',
    { t, m: routeOf(true, 'x'), a: 'core.map', b: 'core.map' },
    ['t.out > m.in', 'm.x > a.in', 'm.else > b.in'],
    ['ambiguous-result?'],
  ],
  [
    'results of two ifs beside each other',
    { t, i: iff(), k: iff(), a: 'core.map', b: 'core.map' },
    ['t.out > i.in', 't.out > k.in', 'i.then > a.in', 'k.else > b.in'],
    ['ambiguous-result?'],
  ],
  [
    'many things at once',
    { t: http({ path: '/taken', auth: 'x' }), a: 'core.mapp', b: map('{{ nodes.zz + }}'), r: 'core.respond' },
    ['t.out > a.in', 'q.out > b.in', 'a.out > r.in'],
    [
      'dangling-edge',
      'duplicate-path',
      'expression-syntax',
      'unknown-auth',
      'unknown-operator',
      'unreachable-node?',
    ],
  ],
];

describe('check', () => {
  it.each(wrong)('finds %s', (_, nodes, edges, codes) => {
    const problems = check(flowOf(nodes, edges), testCatalog, testWorld);
    const found = problems.map((p) => (p.severity === 'warning' ? `${p.code}?` : p.code));
    expect(found.sort()).toEqual(codes.toSorted());
  });

  it('tells a node without inputs that nothing uses it: no edge can lead to it', () => {
    const source = { ...testCatalog.operators['core.map'], inputs: [] } as unknown as OperatorInfo;
    const catalog = { operators: { ...testCatalog.operators, 'core.input': source } };
    const [problem] = check(flowOf({ t, a: 'core.input' }, []), catalog, testWorld);
    expect(problem).toMatchObject({
      code: 'unreachable-node',
      message: expect.stringContaining('Nothing that a trigger starts uses `a`'),
    });
  });
});

it('calls nodes by their names where they have one', () => {
  const problems = check(
    flowOf(
      {
        t: { operator: 'trigger.manual', name: 'Start here' },
        a: { operator: 'core.map', name: 'Costs $& more' },
        b: 'core.map',
        lost: { operator: 'core.map', name: 'Left alone' },
      },
      ['t.out > a.in', 't.out > b.in'],
    ),
    testCatalog,
    testWorld,
  );
  expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual(
    expect.arrayContaining([
      'ambiguous-result: A run that “Start here” starts may end with several results, of “Costs $& more”, `b`; merge or join them, or add a respond node.',
      'missing-input: The input `in` of “Left alone” needs an edge.',
    ]),
  );
});
