import { describe, expect, it } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { Fix } from '#shared/problem.ts';
import { testCatalog } from '../testing/catalog.ts';
import { flowOf } from '../testing/flows.ts';
import { check, type World } from '../check/index.ts';
import { applyFix } from '../check/edit.ts';

const world: World = { routes: [], variables: [], secrets: [] };
const t = 'trigger.manual';
const map = (value: unknown, more = {}) => ({ operator: 'core.map', params: { value }, ...more });

/** Applies the fixes of all problems, one after another, as "fix all" does. */
function fixed(flow: Flow): Flow {
  const before = structuredClone(flow);
  const result = check(flow, testCatalog, world).reduce((f, { fix }) => (fix ? applyFix(f, fix) : f), flow);
  expect(flow).toEqual(before);
  return result;
}

describe('applyFix', () => {
  it.each<[string, Flow]>([
    ['an unknown operator', flowOf({ t, a: 'core.mapp' }, ['t.out > a.in'])],
    ['a disabled node', flowOf({ t, a: { operator: 'core.map', disabled: true } }, ['t.out > a.in'])],
    ['a dangling edge', flowOf({ t, a: 'core.map' }, ['t.out > a.in', 'b.out > a.in'])],
    ['a duplicate edge', flowOf({ t, a: 'core.map' }, ['t.out > a.in', 't.out > a.in'])],
    ['an unknown output', flowOf({ t, a: 'core.map' }, ['t.output > a.in'])],
    [
      'an error edge without a routed error',
      flowOf({ t, a: 'core.map', b: 'core.map', c: 'core.map' }, [
        't.out > a.in',
        'a.error > b.in',
        'a.out > c.in',
      ]),
    ],
    ['a routed error that arrives nowhere', flowOf({ t, a: map(1, { onError: 'route' }) }, ['t.out > a.in'])],
    [
      'too many edges',
      flowOf({ t, i: { operator: 'logic.if', params: { condition: '{{ input }}' } }, merge: 'core.map' }, [
        't.out > i.in',
        'i.then > merge.in',
        'i.else > merge.in',
      ]),
    ],
    [
      'a mistyped root behind the same word',
      flowOf({ t, a: map('inptu {{ inptu.inptu }}') }, ['t.out > a.in']),
    ],
    ['a mistyped function', flowOf({ t, a: map({ deep: ['{{ upperr(input) }}'] }) }, ['t.out > a.in'])],
    [
      'a mistyped node',
      flowOf({ t, first: 'core.map', b: map('{{ nodes.frist }}') }, ['t.out > first.in', 'first.out > b.in']),
    ],
    [
      'an unknown way of signing in',
      flowOf({ t: { operator: 'trigger.http', params: { path: '/a', auth: 'x' } } }),
    ],
  ])('mends %s', (_, flow) => {
    expect(check(flow, testCatalog, world)).not.toEqual([]);
    expect(check(fixed(flow), testCatalog, world)).toEqual([]);
  });

  it('puts a merge before an input, its edges in the order that they had', () => {
    const flow = flowOf({ t, a: 'core.map', b: 'core.map', z: 'core.map' }, [
      't.out > a.in',
      't.out > b.in',
      'b.out > z.in',
      'a.out > z.in',
    ]);
    Object.assign(flow.edges[2] ?? {}, { order: 1 });
    const result = applyFix(flow, { kind: 'insert-merge', title: '', to: 'z.in' });
    expect(result.nodes['merge']).toEqual({ operator: 'core.merge', params: {} });
    expect(result.edges.slice(2)).toEqual([
      { from: 'b.out', to: 'merge.in', order: 0 },
      { from: 'a.out', to: 'merge.in', order: 1 },
      { from: 'merge.out', to: 'z.in' },
    ]);
    expect(check(result, testCatalog, world)).toEqual([]);
  });

  it('puts an operator into an edge, which keeps its place among the edges of its input', () => {
    const flow = flowOf({ t, parse_json: 'core.map', z: 'core.merge' }, ['t.out > z.in']);
    Object.assign(flow.edges[0] ?? {}, { order: 2 });
    const fix = { kind: 'insert-operator', title: '', operator: 'text.parse-json' } as const;
    const result = applyFix(flow, { ...fix, from: 't.out', to: 'z.in' });
    expect(result.nodes['parse_json_2']).toEqual({ operator: 'text.parse-json', params: {} });
    expect(result.edges).toEqual([
      { from: 't.out', to: 'parse_json_2.in' },
      { from: 'parse_json_2.out', to: 'z.in', order: 2 },
    ]);
    expect(applyFix(flow, { ...fix, from: 'gone.out', to: 'z.in' })).toBe(flow);
  });

  it('takes dollar signs in a text as they are', () => {
    const flow = flowOf({ a: map('x $& y') });
    const fix: Fix = {
      kind: 'replace-text',
      title: '',
      node: 'a',
      field: 'params.value',
      find: 'y',
      replace: '$&$1',
    };
    expect(applyFix(flow, fix).nodes['a']?.params).toEqual({ value: 'x $& $&$1' });
  });

  it('sets and removes fields of the flow and of nodes, making objects on the way', () => {
    const flow = flowOf({ a: map(1) });
    const set = (field: string, value: unknown, node?: string) =>
      applyFix(flow, { kind: 'set-field', title: '', field, value, ...(node && { node }) });
    expect(set('settings.timeoutMs', 5).settings).toEqual({ timeoutMs: 5 });
    expect(set('fallback["out"]', null, 'a').nodes['a']?.fallback).toEqual({ out: null });
    expect(set('params', undefined, 'a').nodes['a']).toEqual({ operator: 'core.map' });
  });

  it.each<[string, Fix]>([
    ['a node that is gone', { kind: 'set-operator', title: '', node: 'gone', operator: 'x' }],
    ['an inherited node', { kind: 'set-operator', title: '', node: 'constructor', operator: 'x' }],
    ['an edge that is gone', { kind: 'remove-edge', title: '', from: 'x.out', to: 'a.in' }],
    ['an input with one edge', { kind: 'insert-merge', title: '', to: 'a.in' }],
    [
      'a text that is gone',
      { kind: 'replace-text', title: '', node: 'a', field: 'params.value', find: 'x', replace: 'y' },
    ],
    ['a path that is none', { kind: 'set-field', title: '', node: 'a', field: 'params..', value: 1 }],
    ['a path into a text', { kind: 'set-field', title: '', node: 'a', field: 'operator.x', value: 1 }],
    ['a path beyond a list', { kind: 'set-field', title: '', field: 'edges[7].from', value: 1 }],
    ['a path to the prototypes', { kind: 'set-field', title: '', field: '__proto__.x', value: 1 }],
  ])('changes nothing for %s', (_, fix) => {
    const flow = flowOf({ a: map(1), t }, ['t.out > a.in']);
    expect(applyFix(flow, fix)).toBe(flow);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});
