import { describe, expect, it } from 'vitest';
import { testCatalog, testWorld } from '../testing/catalog.ts';
import { flowOf, type NodeSpec } from '../testing/flows.ts';
import { http, map, switchOf } from '../testing/nodes.ts';
import type { Fix } from '#shared/problem.ts';
import { check } from './index.ts';
import { applyFix } from './edit.ts';

const t = 'trigger.manual';

/** Flows with one mistake each, and the codes that `check` reports for them; warnings end in `?`. */
const wrong: [title: string, nodes: Record<string, NodeSpec>, edges: string[], codes: string[]][] = [
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
  ['a port name that is no id', { t, s: switchOf('Not good') }, ['t.out > s.in'], ['bad-param']],
  ['a port name that is there twice', { t, s: switchOf('a', 'a') }, ['t.out > s.in'], ['bad-param']],
  ['a port named like one of the operator', { t, s: switchOf('default') }, ['t.out > s.in'], ['bad-param']],
  ['a secret reference without a name', { t, a: map({ $secret: 1 }) }, ['t.out > a.in'], ['bad-param']],
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
  ['a signature without its settings', { t: http({ path: '/a', auth: 'hmac' }) }, [], ['unknown-auth']],
  [
    'a signature without a secret',
    { t: http({ path: '/a', methods: ['POST'], auth: { type: 'hmac' } }) },
    [],
    ['bad-param'],
  ],
  [
    'a signature over a body that there is not',
    { t: http({ path: '/a', auth: { type: 'hmac', secret: { $secret: 'openai' } } }) },
    [],
    ['bad-param'],
  ],
  [
    'settings that a preset overrides, and an unknown one',
    {
      t: http({
        path: '/a',
        methods: ['POST'],
        auth: { type: 'hmac', preset: 'github', secret: { $secret: 'openai' }, header: 'x-a', hedaer: 'x-b' },
      }),
    },
    [],
    ['bad-param?', 'bad-param?'],
  ],
  [
    'a password that is not there, for a user with a colon',
    { t: http({ path: '/a', auth: { type: 'basic', user: 'a:b', secret: { $secret: 'openia' } } }) },
    [],
    ['bad-param', 'unknown-secret'],
  ],
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
    'an expression in a fallback',
    { t, a: map(1, { onError: 'continue', fallback: { out: { sum: ['{{ 1 + 1 }}'] } } }) },
    ['t.out > a.in'],
    ['bad-fallback?'],
  ],
  [
    'a retry of a write without a key',
    {
      t,
      a: {
        operator: 'http.request',
        params: { url: 'x', method: 'POST', idempotencyKey: false },
        retry: { attempts: 2, backoffMs: 1, factor: 1, jitter: 0 },
      },
    },
    ['t.out > a.in'],
    ['write-without-key?'],
  ],
  [
    'a cache of a request that may write',
    { t, a: { operator: 'http.request', params: { url: 'x', method: '{{ input }}' }, cache: {} } },
    ['t.out > a.in'],
    ['bad-cache'],
  ],
  [
    'a cache of a stream',
    {
      t,
      a: { operator: 'http.request', params: { url: 'x', response: 'stream' }, cache: {} },
      u: 'core.unstreamify',
    },
    ['t.out > a.in', 'a.stream > u.in'],
    ['bad-cache?'],
  ],
  [
    'a cache of what is new in each run',
    { t, a: map('{{ plus(now(), 1, "day") }}', { cache: {} }) },
    ['t.out > a.in'],
    ['bad-cache?'],
  ],
  [
    'a key that leaves the clock out',
    { t, a: map('{{ clock() }}', { cache: { key: '{{ input }}' } }) },
    ['t.out > a.in'],
    ['bad-cache?'],
  ],
  [
    'a stream beside other outputs at the end',
    { t, a: { operator: 'http.request', params: { url: 'x', response: 'stream' } } },
    ['t.out > a.in'],
    ['unread-stream'],
  ],
  ['a disabled node', { t, a: map(1, { disabled: true }) }, ['t.out > a.in'], ['disabled-node?']],
];

describe('check', () => {
  it.each(wrong)('finds %s', (_, nodes, edges, codes) => {
    const problems = check(flowOf(nodes, edges), testCatalog, testWorld);
    const found = problems.map((p) => (p.severity === 'warning' ? `${p.code}?` : p.code));
    expect(found.sort()).toEqual(codes.toSorted());
  });
});

describe('check says nothing of', () => {
  const retry = { attempts: 2, backoffMs: 1, factor: 1, jitter: 0 };
  const request = (params: object, more: object = {}) => ({
    operator: 'http.request',
    params: { url: 'x', ...params },
    ...more,
  });
  it.each<[title: string, nodes: Record<string, NodeSpec>, edges: string[]]>([
    ['a cache of a read', { t, a: request({}, { cache: {} }) }, ['t.out > a.in']],
    ['a read that is tried again', { t, a: request({ idempotencyKey: false }, { retry }) }, ['t.out > a.in']],
    [
      'a write with a key that is tried again',
      { t, a: request({ method: 'POST' }, { retry }) },
      ['t.out > a.in'],
    ],
    [
      'a stream at the end that may not be there',
      { t, a: request({ response: '{{ input }}' }) },
      ['t.out > a.in'],
    ],
    [
      'a fallback for each item of a stream',
      {
        t,
        s: 'core.streamify',
        a: map(1, { onError: 'continue', fallback: { out: 0 } }),
        u: 'core.unstreamify',
      },
      ['t.out > s.in', 's.out > a.in', 'a.out > u.in'],
    ],
    [
      'a stream that is answered with',
      { t, a: request({ response: 'stream' }), r: 'core.respond' },
      ['t.out > a.in', 'a.stream > r.in'],
    ],
  ])('%s', (_, nodes, edges) => {
    expect(check(flowOf(nodes, edges), testCatalog, testWorld)).toEqual([]);
  });

  it('a streamed request after its fix was applied', () => {
    const flow = flowOf({ t, a: request({ response: 'stream' }) }, ['t.out > a.in']);
    const [problem] = check(flow, testCatalog, testWorld);
    const fixed = applyFix(flow, problem?.fix as Fix);
    expect(fixed.edges).toContainEqual({ from: 'a.stream', to: 'respond.in' });
    expect(check(fixed, testCatalog, testWorld)).toEqual([]);
  });
});

describe('a secret', () => {
  const ask = (url: unknown) => ({
    operator: 'http.request',
    params: { url, headers: { key: { $secret: 'openai' } } },
  });
  const flow = (url: unknown) => flowOf({ t, a: ask(url) }, ['t.out > a.in']);
  const said = (grants: object, url: unknown = '{{ input }}') => {
    const world = { ...testWorld, secrets: ['openai'], grants: { openai: grants } };
    return check(flow(url), testCatalog, world).filter(({ code }) => code === 'secret-not-granted');
  };

  it('that is granted to no flow, or to others, is a warning that names the missing grant', () => {
    expect(said({})).toMatchObject([{ severity: 'warning', node: 'a', field: 'params.headers.key' }]);
    expect(said({ operators: ['code.run'] })[0]?.message).toContain('to the operator http.request');
    expect(said({ flows: ['other'] })[0]?.message).toContain('to the flow test_flow');
    expect(said({ hosts: ['a.example'] }, 'https://b.example/x')[0]?.message).toContain(
      'for the host b.example',
    );
    expect(said({ hosts: ['a.example'] }, 'http://a.example/x')[0]?.message).toContain(
      'for the host http://a.example;',
    );
  });

  it('in a param that accepts none is reported by name', () => {
    const flow = flowOf({ t, a: { operator: 'http.request', params: { url: { $secret: 'openai' } } } }, [
      't.out > a.in',
    ]);
    expect(check(flow, testCatalog, testWorld)).toMatchObject([
      {
        code: 'bad-param',
        field: 'params.url',
        message: expect.stringContaining('no secret can stand here'),
      },
    ]);
  });

  it('that is granted is fine, also where only a run knows the host', () => {
    expect(said({ operators: ['http.request'], flows: ['test_flow'] })).toEqual([]);
    expect(said({ hosts: ['a.example'] }, 'https://A.example/x')).toEqual([]);
    expect(said({ hosts: ['a.example:8080'] }, 'https://A.example:8080/x')).toEqual([]);
    expect(said({ hosts: ['a.example'] })).toEqual([]);
    expect(said({ hosts: ['a.example'], flows: ['other'] })).toHaveLength(1);
  });
});
