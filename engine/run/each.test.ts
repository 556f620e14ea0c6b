import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Flow } from '#shared/flow.ts';
import { defineOperator, input, type Operator, output, WeftError } from '../base/operator.ts';
import { makeRegistry } from '../catalog/registry.ts';
import { withGiven } from '../partial/substitute.ts';
import type { KeptOutput } from '../base/services.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, builtIns, flowOf, type Played, play } from '../testing/play.ts';
import { RunState } from './run.ts';

const start = 'trigger.manual';
const orders = [
  { id: 1, amount: 50 },
  { id: 2, amount: 900 },
  { id: 3, amount: 70 },
];
const large = { operator: 'logic.if', params: { condition: '{{ input.amount > 100 }}' }, each: {} };

/** Returns the result that its input specifies, and counts. */
function service(seen: unknown[]): Operator {
  const operator = defineOperator({
    title: 'Ask',
    doc: 'For tests.',
    icon: 'circle',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output() },
    effects: 'read',
    examples: [],
    run: async (call) => {
      seen.push(call.input);
      await call.sleep(1);
      if (call.input === 'bad') throw new WeftError('bad_input', 'It is bad.');
      return `${String(call.input)}!`;
    },
  });
  return operator as unknown as Operator;
}

async function played(flow: Flow, value: unknown, more: Record<string, Operator> = {}): Promise<Played> {
  const registry = makeRegistry(new Map([...builtIns.operators, ...Object.entries(more)]));
  const scene = play(flow, value, { registry });
  await scene.host.runAll();
  return scene;
}

const ask = (more: object) => ({ operator: 'test.ask', each: {}, ...more });

describe('a node with `each`', () => {
  test('outputs the list of its results; its params see the item and its position', () => {
    const text = { operator: 'text.template', params: { template: '{{ index }}: {{ input.id }}' }, each: {} };
    expect(bodyOf(play(flowOf({ t: start, text }, ['t > text']), orders))).toEqual(['0: 1', '1: 2', '2: 3']);
  });

  test('divides a list, and nodes after an output without any item are skipped', () => {
    const flow = flowOf({ t: start, large }, ['t > large']);
    expect(bodyOf(play(flow, orders))).toEqual({ then: [orders[1]], else: [orders[0], orders[2]] });
    expect(bodyOf(play(flow, [orders[1]]))).toEqual({ then: [orders[1]] });
    const count = { operator: 'core.map', params: { value: '{{ length(input) }}' } };
    const then = flowOf({ t: start, large, count }, ['t > large', 'large.then > count']);
    expect(bodyOf(play(then, orders))).toBe(1);
    expect(play(then, [orders[0]]).run.answer?.kind).toBe('empty');
  });

  test('reads its list from an expression, and other inputs unchanged', () => {
    const operator = 'text.template';
    const lines = { operator, params: { template: '{{ input }}' }, each: { items: '{{ input.lines }}' } };
    expect(bodyOf(play(flowOf({ t: start, lines }, ['t > lines']), { lines: ['a', 'b'] }))).toEqual([
      'a',
      'b',
    ]);
  });

  test('outputs an empty list for an empty list', () => {
    const text = { operator: 'text.template', params: { template: 'x' }, each: {} };
    expect(bodyOf(play(flowOf({ t: start, text }, ['t > text']), []))).toEqual([]);
  });

  test.each([
    ['no list', { a: 1 }, {}, 'bad_input'],
    ['a text', 'abc', {}, 'bad_input'],
    ['too many items', [1, 2, 3], { maxItems: 2 }, 'too_many_items'],
    ['more items than the default', Array.from({ length: 10_001 }, () => 0), {}, 'too_many_items'],
  ])('refuses %s before it runs for any item', async (_, value, each, code) => {
    const seen: unknown[] = [];
    const { run } = await played(flowOf({ t: start, a: ask({ each }) }, ['t > a']), value, {
      'test.ask': service(seen),
    });
    expect(run.outcome?.error).toMatchObject({ code, node: 'a', field: expect.stringMatching(/^each\./) });
    expect(seen).toEqual([]);
  });

  test('fails with the item that failed, or treats it according to `onItemError`', async () => {
    const run = async (each: object) =>
      (
        await played(flowOf({ t: start, a: ask({ each }) }, ['t > a']), ['a', 'bad', 'c'], {
          'test.ask': service([]),
        })
      ).run;
    expect((await run({})).outcome?.error).toMatchObject({
      code: 'bad_input',
      message: 'Item 2: It is bad.',
      data: { index: 1 },
    });
    expect((await run({ onItemError: 'skip' })).answer).toMatchObject({ body: ['a!', 'c!'] });
    expect((await run({ onItemError: 'collect' })).answer).toMatchObject({
      body: [
        { ok: true, value: 'a!' },
        { ok: false, error: { code: 'bad_input', message: 'It is bad.' } },
        { ok: true, value: 'c!' },
      ],
    });
  });

  test('routes the errors of items beside the outputs of the others, and a later part of a run receives both again', async () => {
    const flow = flowOf(
      {
        t: start,
        a: ask({ onError: 'route' }),
        good: { operator: 'core.map', params: { value: '{{ input }}' } },
        wrong: { operator: 'core.map', params: { value: '{{ input.map(e => e.index) }}' } },
        both: { operator: 'core.join', params: {} },
      },
      ['t > a', 'a > good', 'a.error > wrong', 'good > both.a', 'wrong > both.b'],
    );
    const more = { 'test.ask': service([]) };
    const scene = await played(flow, ['a', 'bad', 'bad'], more);
    const outputs = Object.fromEntries(
      scene.events.flatMap((e) => (e.kind === 'node-output' && e.node === 'a' ? [[e.port, e.value]] : [])),
    );
    expect(outputs).toMatchObject({ out: ['a!'], error: [{ index: 1 }, { index: 2 }] });
    const given = withGiven(scene.plan, new Map([['a', { outputs, reason: 'reused' }]]), new Set());
    const again = new RunState(given, { id: 'r2', request: {}, output: [], vars: {} }, scene.host);
    expect(again.answer).toEqual(scene.run.answer);
    expect(again.answer?.kind).toBe('value');
  });

  test('reports each failed item that does not end the run', async () => {
    const { events } = await played(
      flowOf({ t: start, a: ask({ each: { onItemError: 'skip' } }) }, ['t > a']),
      ['a', 'bad'],
      { 'test.ask': service([]) },
    );
    expect(events.filter((e) => e.kind === 'log')).toMatchObject([
      { level: 'warn', node: 'a', text: 'Item 2 failed: It is bad.' },
    ]);
  });

  test('uses the cache for each item', async () => {
    const seen: unknown[] = [];
    const store = new Map<string, KeptOutput>();
    const cache = {
      get: (key: string) => store.get(key),
      set: (key: string, entry: KeptOutput) => Boolean(store.set(key, entry)),
    };
    const flow = flowOf({ t: start, a: ask({ cache: {}, each: { concurrency: 1 } }) }, ['t > a']);
    const registry = makeRegistry(new Map([...builtIns.operators, ['test.ask', service(seen)]]));
    const host = Object.assign(new FakeHost(), { cache });
    const scene = play(flow, ['a', 'b', 'a'], { registry, host });
    await host.runAll();
    expect(bodyOf(scene)).toEqual(['a!', 'b!', 'a!']);
    expect(seen).toEqual(['a', 'b']);
  });
});

describe('a stream at a node with `each`', () => {
  const list = Array.from({ length: 3000 }, (_, i) => i);
  const odd = { operator: 'logic.if', params: { condition: '{{ input % 2 == 1 }}' }, each: {} };

  test('is divided item by item, even where one side is read slowly', async () => {
    const slow = { operator: 'test.ask', each: { concurrency: 1 } };
    const flow = flowOf(
      {
        t: start,
        s: 'core.streamify',
        odd,
        slow,
        a: 'core.unstreamify',
        b: 'core.unstreamify',
        j: 'core.join',
      },
      ['t > s', 's > odd', 'odd.then > slow', 'slow > a', 'odd.else > b', 'a > j.a', 'b > j.b'],
    );
    const scene = await played(flow, list.slice(0, 500), { 'test.ask': service([]) });
    const { a, b } = bodyOf(scene) as { a: string[]; b: number[] };
    expect([a.length, a[0], b.length, b[1]]).toEqual([250, '1!', 250, 2]);
  });

  test('fails when one side may not fall as far behind as the other needs', async () => {
    const flow = flowOf(
      { t: start, s: 'core.streamify', odd, c: 'core.concat', all: 'core.unstreamify' },
      ['t > s', 's > odd', 'odd.then > c #1', 'odd.else > c #2', 'c > all'],
      { maxStreamBuffer: 100 },
    );
    const { run } = await played(flow, list);
    expect(run.outcome?.error?.code).toBe('stream_buffer_full');
    const wide = await played({ ...flow, settings: { maxStreamBuffer: 10_000 } }, list);
    expect((bodyOf(wide) as number[]).length).toBe(3000);
  });

  test('continues when one of its sides is not read', async () => {
    const flow = flowOf({ t: start, s: 'core.streamify', odd, all: 'core.unstreamify' }, [
      't > s',
      's > odd',
      'odd.then > all',
    ]);
    expect((bodyOf(await played(flow, list)) as number[]).length).toBe(1500);
  });

  test('processes several items at once, in their order', async () => {
    const flow = flowOf(
      { t: start, s: 'core.streamify', a: ask({ each: { concurrency: 4 } }), all: 'core.unstreamify' },
      ['t > s', 's > a', 'a > all'],
    );
    const scene = await played(flow, ['a', 'b', 'c', 'd', 'e'], { 'test.ask': service([]) });
    expect(bodyOf(scene)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
    expect(scene.run.outcome?.ms).toBe(2);
  });
});
