import { describe, expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { exampleServices } from '../testing/services.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, flowOf, play, type Played } from '../testing/play.ts';

const t = 'trigger.manual';
const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });

/** Runs a flow of a trigger and these nodes in a line. */
async function through(nodes: Record<string, FlowNode>, input: unknown = {}): Promise<Played> {
  const ids = ['t', ...Object.keys(nodes)];
  const edges = ids.slice(1).map((id, i) => `${ids[i]} > ${id}`);
  const host = Object.assign(new FakeHost(), { services: exampleServices() });
  const played = play(flowOf({ t, ...nodes }, edges), input, { host });
  await host.runAll();
  return played;
}

describe('a node that outputs null passes null on', () => {
  test('to the caller, with a body', async () => {
    const { run } = await through({ m: map('{{ input?.b }}') });
    expect(run.answer).toMatchObject({ kind: 'value', body: null });
  });

  test('to the nodes that read it, which are not skipped', async () => {
    const played = await through({ m: map('{{ input?.b }}'), n: map({ got: '{{ input }}' }) });
    expect(bodyOf(played)).toEqual({ got: null });
    expect(played.run.outcome?.nodes).toEqual({ ok: 3, failed: 0, skipped: 0 });
  });

  test('to expressions that name it', async () => {
    const played = await through({ m: map('{{ input?.b }}'), n: map('{{ [nodes.m, nodes.m == null] }}') });
    expect(bodyOf(played)).toEqual([null, true]);
  });

  test('in a stream, in which the item stays', async () => {
    const played = await through(
      { s: { operator: 'core.streamify' }, m: map('{{ input?.b }}'), u: { operator: 'core.unstreamify' } },
      [{ a: 1 }, { b: 2 }],
    );
    expect(bodyOf(played)).toEqual([null, 2]);
  });

  test('through a disabled node', async () => {
    const played = await through({ m: map('{{ input?.b }}'), n: { ...map('x'), disabled: true } });
    expect(played.run.answer).toMatchObject({ kind: 'value', body: null });
  });

  test('as its fallback', async () => {
    const m: FlowNode = { ...map('{{ input.b }}'), onError: 'continue', fallback: { out: null } };
    expect(bodyOf(await through({ m, n: map('{{ input == null }}') }))).toBe(true);
  });
});

describe('an output that is omitted on purpose stays dead', () => {
  test('of the branch that is not taken', async () => {
    const flow = flowOf(
      {
        t,
        i: { operator: 'logic.if', params: { condition: '{{ input?.email != null }}' } },
        yes: map('"yes"'),
        no: map('"no"'),
      },
      ['t > i', 'i.then > yes', 'i.else > no'],
    );
    for (const input of [{}, { email: null }]) expect(bodyOf(play(flow, input))).toBe('"no"');
    const { run } = play(flow, { email: 'a' });
    expect(run.answer).toMatchObject({ body: '"yes"' });
    expect(run.outcome?.nodes).toEqual({ ok: 3, failed: 0, skipped: 1 });
  });

  test('and reads of it by ?. are null', () => {
    const flow = flowOf(
      {
        t,
        i: { operator: 'logic.if', params: { condition: false } },
        yes: map(1),
        end: map('{{ [nodes.yes?.x, nodes.yes ?? 5] }}'),
      },
      ['t > i', 'i.then > yes', 'i.else > end'],
    );
    expect(bodyOf(play(flow))).toEqual([null, 5]);
  });
});

describe('operators get null where a value is missing', () => {
  test.each<[string, FlowNode, unknown, unknown]>([
    ['a list', map(['{{ input?.b }}', 1]), {}, [null, 1]],
    ['an object', map({ b: '{{ input?.b }}' }), {}, { b: null }],
    [
      'an assembled list',
      map('{{ input.users.map(u => u?.email) }}'),
      { users: [{ email: 'a' }, {}] },
      ['a', null],
    ],
    ['a text', map('<{{ input?.b }}>'), {}, '<>'],
    [
      'a filter',
      { operator: 'data.filter', params: { condition: '{{ item?.deleted == null }}' } },
      [{ id: 1 }, { id: 2, deleted: null }, { id: 3, deleted: true }],
      [{ id: 1 }, { id: 2, deleted: null }],
    ],
    [
      'data.set',
      { operator: 'data.set', params: { fields: { b: '{{ input?.b }}' } } },
      { a: 1 },
      { a: 1, b: null },
    ],
    ['JSON', { operator: 'text.format-json', params: {} }, [], '[]'],
  ])('%s', async (_, node, input, body) => {
    expect(bodyOf(await through({ node }, input))).toEqual(body);
  });

  test('a switch takes the case of null', () => {
    const sw: FlowNode = {
      operator: 'logic.switch',
      params: { cases: [{ name: 'none', when: '{{ input?.kind == null }}' }] },
    };
    const flow = flowOf({ t, sw, none: map('none'), other: map('other') }, [
      't > sw',
      'sw.none > none',
      'sw.default > other',
    ]);
    expect(bodyOf(play(flow, {}))).toBe('none');
    expect(bodyOf(play(flow, { kind: 1 }))).toBe('other');
  });

  test('text.format-json writes a list of missing fields', async () => {
    const played = await through(
      { m: map('{{ input.map(u => u?.email).sort() }}'), j: { operator: 'text.format-json' } },
      [{}, { email: 'a' }],
    );
    expect(bodyOf(played)).toBe('["a",null]');
  });

  test('data.merge keeps a field that is null', async () => {
    const flow = flowOf({ t, a: map({ b: 1, c: 1 }), b: map({ b: '{{ input?.b }}' }), m: 'data.merge' }, [
      't > a',
      't > b',
      'a > m',
      'b > m',
    ]);
    expect(bodyOf(play(flow, {}))).toEqual({ b: null, c: 1 });
  });

  test('data.pick does not report a field that is null as missing', async () => {
    const pick: FlowNode = { operator: 'data.pick', params: { fields: ['x'], missing: 'error' } };
    expect(bodyOf(await through({ m: map({ x: '{{ input?.b }}' }), pick }))).toEqual({ x: null });
  });

  test('state.set stores it', async () => {
    const services = exampleServices();
    const host = Object.assign(new FakeHost(), { services });
    const set: FlowNode = { operator: 'state.set', params: { key: 'greeting', value: '{{ input?.b }}' } };
    const { run } = play(flowOf({ t, set }, ['t > set']), {}, { host });
    await host.runAll();
    expect(run.outcome?.status).toBe('ok');
    expect(await services.state?.get('test_flow', 'greeting', {} as never)).toBeNull();
  });

  test('a respond node answers with it, not with its input', async () => {
    const respond: FlowNode = { operator: 'core.respond', params: { body: '{{ input?.b }}' } };
    expect((await through({ respond }, { secret: 1 })).run.answer).toMatchObject({ body: null });
  });
});

describe('an optional param is omitted by null', () => {
  const flatten = (depth: unknown): FlowNode => ({ operator: 'data.flatten', params: { depth } });

  test.each(['{{ nodes.t?.gone }}', '{{ null }}'])('%s', async (depth) => {
    const nested = map([1, [2, [3]]]);
    const byDefault = bodyOf(await through({ nested, f: { operator: 'data.flatten' } }));
    expect(bodyOf(await through({ nested, f: flatten(depth) }))).toEqual(byDefault);
  });

  test('an expression without a value counts too', async () => {
    const nested = map([1, [2, [3]]]);
    expect(bodyOf(await through({ nested, f: flatten('{{ 1 + 1 }}') }))).toEqual([1, 2, 3]);
  });

  test('a required param is not', async () => {
    const pick: FlowNode = { operator: 'data.pick', params: { fields: '{{ nodes.t?.gone }}' } };
    const { run } = await through({ pick });
    expect(run.outcome?.error).toMatchObject({
      code: 'bad_params',
      message: expect.stringContaining('null'),
    });
  });
});
