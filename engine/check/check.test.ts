import { describe, expect, it } from 'vitest';
import { testCatalog, testWorld } from '../testing/catalog.ts';
import { flowOf, type NodeSpec } from '../testing/flows.ts';
import { http, iff, join, map, routeOf, switchOf } from '../testing/nodes.ts';
import { check, formatFlow, parse } from './index.ts';

const t = 'trigger.manual';

const right: [string, Record<string, NodeSpec>, string[]][] = [
  [
    'the greeting of the example',
    {
      t: http({ path: '/hello', auth: 'none' }),
      h: { operator: 'text.template', params: { template: 'Hello, {{ input.name }}' } },
    },
    ['t.out > h.in'],
  ],
  ['a trigger alone', { t }, []],
  [
    'a join of two branches',
    { t, a: 'core.map', b: 'core.map', j: join('x', 'y') },
    ['t.out > a.in', 't.out > b.in', 'a.out > j.x', 'b.out > j.y'],
  ],
  [
    'an if whose sides meet in a merge',
    { t, i: iff(), a: 'core.map', b: 'core.map', m: 'core.merge' },
    ['t.out > i.in', 'i.then > a.in', 'i.else > b.in', 'a.out > m.in', 'b.out > m.in'],
  ],
  [
    'leaves on different outputs of an if',
    { t, i: iff(), a: 'core.map', b: 'core.map' },
    ['t.out > i.in', 'i.then > a.in', 'i.else > b.in'],
  ],
  [
    'leaves on the one case that a model chooses',
    { t, m: routeOf(false, 'x'), a: 'core.map', b: 'core.map' },
    ['t.out > m.in', 'm.x > a.in', 'm.else > b.in'],
  ],
  [
    'leaves on nested choices',
    { t, i: iff(), s: switchOf('x', 'y'), a: 'core.map', b: 'core.map', c: 'core.map', d: 'core.map' },
    ['t.out > i.in', 'i.then > s.in', 'i.else > d.in', 's.x > a.in', 's.y > b.in', 's.default > c.in'],
  ],
  [
    'a leaf and a routed error',
    { t, a: map('{{ input }}', { onError: 'route' }), b: 'core.map', c: 'core.map' },
    ['t.out > a.in', 'a.out > b.in', 'a.error > c.in'],
  ],
  ['two respond nodes', { t, a: 'core.respond', b: 'core.respond' }, ['t.out > a.in', 't.out > b.in']],
  ['a result beside a log', { t, a: 'core.map', l: 'core.log' }, ['t.out > a.in', 't.out > l.in']],
  [
    'a map over a stream that is collected',
    { t, s: 'core.streamify', m: map('{{ item + index }}'), u: 'core.unstreamify' },
    ['t.out > s.in', 's.out > m.in', 'm.out > u.in'],
  ],
  [
    'a stream through an operator that takes either',
    { t, s: 'core.streamify', p: 'core.pass', u: 'core.unstreamify' },
    ['t.out > s.in', 's.out > p.in', 'p.out > u.in'],
  ],
  [
    'a read of a node that always runs',
    { t, a: 'core.map', b: map('{{ nodes.a + nodes.t }}') },
    ['t.out > a.in', 'a.out > b.in'],
  ],
  [
    'a read of a node further up on the same branch',
    { t, i: iff(), a: 'core.map', b: map('{{ nodes.a.x }}'), c: map('{{ nodes.a.y + nodes.i.then }}') },
    ['t.out > i.in', 'i.then > a.in', 'a.out > b.in', 'b.out > c.in'],
  ],
  [
    'a tolerant read of a branch',
    { t, i: iff(), a: 'core.map', m: 'core.merge', z: map('{{ nodes.a?.x ?? nodes.i?.else ?? 1 }}') },
    ['t.out > i.in', 'i.then > a.in', 'a.out > m.in', 'i.else > m.in', 'm.out > z.in'],
  ],
  [
    'all parts of a gather have run',
    {
      t,
      i: iff(),
      a: 'core.map',
      b: 'core.map',
      g: { operator: 'core.gather' },
      z: map('{{ nodes.a + nodes.b }}'),
    },
    ['t.out > i.in', 'i.then > a.in', 'i.then > b.in', 'a.out > g.in', 'b.out > g.in', 'g.out > z.in'],
  ],
  [
    'a fallback for a read output',
    { t, a: map('{{ input.x }}', { onError: 'continue', fallback: { out: 1 } }), b: map('{{ nodes.a }}') },
    ['t.out > a.in', 'a.out > b.in'],
  ],
  [
    'a known variable and an optional one',
    { t, a: map('{{ vars.greeting + (vars.other ?? "") }}') },
    ['t.out > a.in'],
  ],
  [
    'a known secret',
    {
      t,
      a: {
        operator: 'http.request',
        params: { url: 'https://example.org', headers: { key: { $secret: 'openai' } } },
      },
    },
    ['t.out > a.in'],
  ],
  [
    'an optional input without an edge, in a node of its own',
    { t, a: { operator: 'http.request', params: { url: 'https://example.org' } }, j: join('x', 'y') },
    ['t.out > j.x', 'a.out > j.y'],
  ],
  [
    'expressions in place of numbers',
    { t, r: { operator: 'core.respond', params: { status: '{{ input.status }}' } } },
    ['t.out > r.in'],
  ],
  [
    'braces in a param that takes them as text',
    { t, c: { operator: 'code.run', params: { code: 'const a = {{ nothing: 1 }};' } } },
    ['t.out > c.in'],
  ],
  [
    'an item in a param that the operator evaluates',
    { t, f: { operator: 'data.filter', params: { where: '{{ item.ok && index > 0 }}' } } },
    ['t.out > f.in'],
  ],
  ['the path that the flow serves already', { t: http({ path: 'mine/' }) }, []],
  ['another method on a taken path', { t: http({ path: '/taken', methods: ['POST'] }) }, []],
  ['a path next to a param', { t: http({ path: '/items/{id}/parts' }) }, []],
  [
    'two triggers with one tail each',
    { t: http({ path: '/a' }), u: http({ path: '/b' }), a: 'core.map', b: 'core.map' },
    ['t.out > a.in', 'u.out > b.in'],
  ],
  [
    'a retry of a write that can name itself',
    { t, r: { operator: 'core.respond', retry: { attempts: 3, backoffMs: 1, factor: 1, jitter: 0 } } },
    ['t.out > r.in'],
  ],
];

describe('check', () => {
  it.each(right)('finds nothing wrong with %s', (_, nodes, edges) => {
    expect(check(flowOf(nodes, edges), testCatalog, testWorld)).toEqual([]);
  });

  it('does not report what the world does not know', () => {
    const flow = flowOf({ t, a: map(['{{ vars.x }}', { $secret: 'y' }]) }, ['t.out > a.in']);
    expect(check(flow, testCatalog, { routes: [], variables: undefined, secrets: undefined })).toEqual([]);
  });

  it('names node, field, offset and what was meant for a wrong word in an expression', () => {
    const flow = flowOf(
      {
        t,
        s: { operator: 'logic.switch', params: { cases: [{ name: 'x', when: '{{ true && inptu.a }}' }] } },
      },
      ['t.out > s.in'],
    );
    const [problem] = check(flow, testCatalog, testWorld);
    expect(problem).toMatchObject({
      node: 's',
      field: 'params.cases[0].when',
      offset: 11,
      fix: { find: 'inptu', replace: 'input' },
    });
  });

  it('names one whole cycle with its nodes in order', () => {
    const flow = flowOf({ t, a: 'core.merge', b: 'core.map', c: 'core.map' }, [
      't.out > a.in',
      'a.out > b.in',
      'b.out > c.in',
      'c.out > a.in',
    ]);
    expect(check(flow, testCatalog, testWorld)).toMatchObject([{ code: 'cycle', nodes: ['a', 'b', 'c'] }]);
  });

  it('says where in the file each problem stands', () => {
    const flow = flowOf({ t, a: 'core.mapp' }, ['t.out > a.in', 'x.out > a.in']);
    const { flow: read, locate } = parse(formatFlow(flow));
    const problems = check(read ?? flow, testCatalog, testWorld, locate);
    expect(problems.map(({ code, line, column }) => [code, line, column])).toEqual([
      ['dangling-edge', 14, 7],
      ['unknown-operator', 6, 7],
    ]);
  });

  it('gives problems of the flow first, then by node and field', () => {
    const bad = { operator: 'core.respond', params: { status: 'x', nope: 1 } };
    const problems = check(
      flowOf({ t, b: bad, a: bad }, ['t.out > a.in', 't.out > b.in', 'q.out > a.in']),
      testCatalog,
      testWorld,
    );
    expect(problems.map((p) => `${p.node ?? ''} ${p.field}`)).toEqual([
      ' edges[2].from',
      'a params.nope',
      'a params.status',
      'b params.nope',
      'b params.status',
    ]);
  });
});
