import { describe, expect, it } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { testCatalog } from '../testing/catalog.ts';
import { flowOf, type NodeSpec } from '../testing/flows.ts';
import { check, formatFlow, parse, type World } from './index.ts';

const world: World = {
  routes: [
    { flow: 'other_flow', path: '/taken', methods: ['GET'] },
    { flow: 'other_flow', path: '/items/:id', methods: ['GET', 'POST'] },
    { flow: 'test_flow', path: '/mine', methods: ['GET'] },
  ],
  variables: ['greeting'],
  secrets: ['openai'],
};

type Case = [title: string, nodes: Record<string, NodeSpec>, edges: string[], codes: string[]];

const codesOf = (problems: readonly Problem[]) =>
  problems.map((p) => (p.severity === 'warning' ? `${p.code}?` : p.code)).sort();

const map = (value: unknown, more: Partial<FlowNode> = {}): FlowNode => ({
  operator: 'core.map',
  params: { value },
  ...more,
});
const http = (params: Record<string, unknown>): FlowNode => ({ operator: 'trigger.http', params });
const t = 'trigger.manual';
const join = (...names: string[]): FlowNode => ({
  operator: 'core.join',
  params: { inputs: names.map((name) => ({ name: name.replace('?', ''), required: !name.endsWith('?') })) },
});
const withParams = (node: FlowNode, params: Record<string, unknown>): FlowNode => ({
  ...node,
  params: { ...node.params, ...params },
});
const iff = (condition: unknown = '{{ input }}'): FlowNode => ({
  operator: 'logic.if',
  params: { condition },
});
const sw = (...names: string[]): FlowNode => ({
  operator: 'logic.switch',
  params: { cases: names.map((name) => ({ name, when: '{{ input }}' })) },
});

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
    'leaves on nested choices',
    { t, i: iff(), s: sw('x', 'y'), a: 'core.map', b: 'core.map', c: 'core.map', d: 'core.map' },
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

const wrong: Case[] = [
  ['an unknown operator', { t, a: 'core.mapp' }, ['t.out > a.in'], ['unknown-operator']],
  [
    'an operator named like something inherited',
    { t, a: 'toString', b: '__proto__' },
    ['t.out > a.in', 't.out > b.in'],
    ['unknown-operator', 'unknown-operator'],
  ],
  ['a mistyped trigger', { t: 'trigger.manuel', a: 'core.map' }, ['t.out > a.in'], ['unknown-operator']],
  [
    'a param of the wrong type',
    { t, r: { operator: 'core.respond', params: { status: 'ok' } } },
    ['t.out > r.in'],
    ['bad-param'],
  ],
  [
    'a param out of its range',
    { t, r: { operator: 'core.respond', params: { status: 99 } } },
    ['t.out > r.in'],
    ['bad-param'],
  ],
  ['a missing param', { t, a: 'text.template' }, ['t.out > a.in'], ['bad-param']],
  [
    'an unknown param',
    { t, a: { operator: 'core.map', params: { valeu: 1 } } },
    ['t.out > a.in'],
    ['bad-param?'],
  ],
  ['a port name that is no id', { t, s: sw('Not good') }, ['t.out > s.in'], ['bad-param']],
  ['a port name that is there twice', { t, s: sw('a', 'a') }, ['t.out > s.in'], ['bad-param']],
  ['a port named like one of the operator', { t, s: sw('default') }, ['t.out > s.in'], ['bad-param']],
  ['a secret reference without a name', { t, a: map({ $secret: 1 }) }, ['t.out > a.in'], ['bad-param']],
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
  ['a path of another flow', { t: http({ path: '/taken' }) }, [], ['duplicate-path']],
  [
    'a path of another flow with another param name',
    { t: http({ path: 'items/{other}', methods: ['POST'] }) },
    [],
    ['duplicate-path'],
  ],
  [
    'a path twice in the flow',
    { t: http({ path: '/a/:x' }), u: http({ path: '/a/:y' }) },
    [],
    ['duplicate-path'],
  ],
  ['a path that is missing', { t: 'trigger.http' }, [], ['bad-path']],
  ['a path with dots', { t: http({ path: '/a/../b' }) }, [], ['bad-path']],
  ['a path made by an expression', { t: http({ path: '/{{ vars.greeting }}' }) }, [], ['bad-path']],
  [
    'a request schema with a remote reference',
    { t: http({ path: '/a', request: { $ref: 'https://example.org/x' } }) },
    [],
    ['bad-schema'],
  ],
  ['a request schema that is no object', { t: http({ path: '/a', request: 'yes' }) }, [], ['bad-schema']],
  ['an unknown way of signing in', { t: http({ path: '/a', auth: 'oauth' }) }, [], ['unknown-auth']],
  [
    'a way of signing in that is not built yet',
    { t: http({ path: '/a', auth: 'hmac' }) },
    [],
    ['not-supported?'],
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
    { t, s: sw('x'), a: map('{{ nodes.s.y }}') },
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
      s: sw('q'),
    },
    ['t.out > s.in', 's.q > d.in', 'd.out > e.in', 'e.out > j.y', 't.out > j.x'],
    ['disabled-node?', 'maybe-skipped?'],
  ],
  ['an unknown variable', { t, a: map('{{ vars.greetings }}') }, ['t.out > a.in'], ['unknown-variable']],
  [
    'an unknown secret',
    { t, a: map({ deep: [{ $secret: 'openia' }] }) },
    ['t.out > a.in'],
    ['unknown-secret'],
  ],
  [
    'a routed error that arrives nowhere',
    { t, a: map(1, { onError: 'route' }) },
    ['t.out > a.in'],
    ['unrouted-error'],
  ],
  [
    'going on without a fallback',
    { t, a: map(1, { onError: 'continue' }) },
    ['t.out > a.in'],
    ['bad-fallback'],
  ],
  [
    'a fallback for an unknown output',
    { t, a: map(1, { onError: 'continue', fallback: { output: 1 } }) },
    ['t.out > a.in'],
    ['bad-fallback'],
  ],
  [
    'a fallback for a stream',
    {
      t,
      a: { operator: 'core.streamify', onError: 'continue', fallback: { out: [] } },
      u: 'core.unstreamify',
    },
    ['t.out > a.in', 'a.out > u.in'],
    ['bad-fallback'],
  ],
  [
    'a fallback that does not fit the output',
    {
      t,
      a: { operator: 'text.template', params: { template: '' }, onError: 'continue', fallback: { out: 1 } },
    },
    ['t.out > a.in'],
    ['bad-fallback'],
  ],
  [
    'a retry of a write without a key',
    {
      t,
      a: {
        operator: 'http.request',
        params: { url: 'x' },
        retry: { attempts: 2, backoffMs: 1, factor: 1, jitter: 0 },
      },
    },
    ['t.out > a.in'],
    ['write-without-key?'],
  ],
  ['a disabled node', { t, a: map(1, { disabled: true }) }, ['t.out > a.in'], ['disabled-node?']],
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
  it.each(right)('finds nothing wrong with %s', (_, nodes, edges) => {
    expect(check(flowOf(nodes, edges), testCatalog, world)).toEqual([]);
  });

  it.each(wrong)('finds %s', (_, nodes, edges, codes) => {
    expect(codesOf(check(flowOf(nodes, edges), testCatalog, world))).toEqual([...codes].sort());
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
    const [problem] = check(flow, testCatalog, world);
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
    expect(check(flow, testCatalog, world)).toMatchObject([{ code: 'cycle', nodes: ['a', 'b', 'c'] }]);
  });

  it('says where in the file each problem stands', () => {
    const flow = flowOf({ t, a: 'core.mapp' }, ['t.out > a.in', 'x.out > a.in']);
    const { flow: read, locate } = parse(formatFlow(flow));
    const problems = check(read ?? flow, testCatalog, world, locate);
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
      world,
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
