import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineOperator,
  type HttpService,
  input,
  type Operator,
  output,
  type TriggerRequest,
  WeftError,
} from '#engine';
import { createFlowBed, endOf, type FlowBed, rowFlow } from './testing/flow-bed.ts';

type Work = (item: unknown, attempt: number) => unknown;

/** A bed whose flow `called` does `work` for each item; counts how often each item was run. */
async function bedWith(
  work: Work,
  params: Record<string, unknown> = {},
  more: { now?: () => number } = {},
): Promise<FlowBed> {
  const attempts = new Map<unknown, number>();
  const worker: Operator = defineOperator({
    title: 'Work',
    doc: 'Does the work.',
    icon: 'circle',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output() },
    effects: 'read',
    examples: [],
    run(call) {
      const attempt = (attempts.get(call.input) ?? 0) + 1;
      attempts.set(call.input, attempt);
      return work(call.input, attempt);
    },
  });
  const each = { operator: 'data.for-each', params: { flow: 'called', retryDelayMs: 1, ...params } };
  return createFlowBed([rowFlow('called', { work: { operator: 'test.work' } }), rowFlow('loop', { each })], {
    operators: { 'test.work': worker },
    ...more,
  });
}

const list = (length: number): number[] => Array.from({ length }, (_, i) => i);

test('an item is retried after a transient failure of another server', async () => {
  const answers = [500, 200];
  const http: HttpService = {
    send: async () => ({
      status: answers.shift() ?? 200,
      headers: {},
      url: 'https://a.example/',
      body: noBody(),
    }),
  };
  const request = { operator: 'http.request', params: { url: 'https://a.example/', response: 'text' } };
  const each = { operator: 'data.for-each', params: { flow: 'called', retryDelayMs: 0, attempts: 2 } };
  const { result } = await createFlowBed([rowFlow('called', { request }), rowFlow('loop', { each })], {
    services: () => ({ http }),
  });
  expect(await result('loop', ['a'])).toMatchObject([{ status: 200 }]);
});

async function* noBody(): AsyncGenerator<Uint8Array> {}

test('a loop over quick flows has its result in the same turn', async () => {
  // With a stopped clock, however slow the machine is.
  const { start } = await bedWith((item) => (item as number) + 1, {}, { now: () => 1 });
  expect(start('loop', list(100)).answer).toMatchObject({ body: list(100).map((n) => n + 1) });
});

test('a long loop yields to other work', async () => {
  const spin: Work = () => {
    const end = performance.now() + 2;
    while (performance.now() < end);
    return null;
  };
  const { start } = await bedWith(spin);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await endOf(start('loop', list(60)));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});

test('an empty list gives an empty one', async () => {
  expect(await (await bedWith(() => null)).result('loop', [])).toEqual([]);
});

test('an item is retried after a transient failure, and not after others', async () => {
  const shaky: Work = (item, attempt) => {
    if (item === 1 && attempt < 3) throw new Error('not yet');
    if (item === 2) throw new WeftError('bad_input', 'never');
    return attempt;
  };
  const { result } = await bedWith(shaky, { attempts: 3, onItemError: 'collect' });
  expect(await result('loop', [0, 1, 2])).toMatchObject([
    { ok: true, value: 1 },
    { ok: true, value: 3 },
    { ok: false, error: { code: 'bad_input' } },
  ]);
});

test('an item that takes too long fails, or is retried', async () => {
  const slow: Work = (_, attempt) =>
    new Promise((resolve) => setTimeout(() => resolve(attempt), attempt === 1 ? 60_000 : 0).unref());
  const once = await bedWith(slow, { itemTimeoutMs: 20 });
  await expect(once.result('loop', [0])).rejects.toMatchObject({
    code: 'run_timeout',
    message: expect.stringContaining('itemTimeoutMs'),
  });
  const twice = await bedWith(slow, { itemTimeoutMs: 20, attempts: 2 });
  expect(await twice.result('loop', [0])).toEqual([2]);
});

test('too many items are an error before any of them begins', async () => {
  const { hub, start } = await bedWith(() => null, { maxItems: 3 });
  const run = start('loop', list(4));
  expect(run.outcome?.error).toMatchObject({
    code: 'too_many_items',
    message: expect.stringContaining('4 items'),
  });
  expect(await hub.list({ limit: 9, parent: run.id })).toEqual([]);
});

test('a value that is not a list is reported with the field that names it', async () => {
  const { start } = await bedWith(() => null, { items: '{{ input.lines }}' });
  expect(start('loop', { lines: 'a,b' }).outcome?.error).toMatchObject({
    code: 'bad_input',
    field: 'params.items',
  });
});

test('each item is mapped to the input of the flow, with its index', async () => {
  const echo: Work = (item) => item;
  const { result } = await bedWith(echo, { input: '{{ { n: item * 10, at: index } }}', result: 'pairs' });
  expect(await result('loop', [5, 6])).toEqual([
    { input: 5, output: { n: 50, at: 0 } },
    { input: 6, output: { n: 60, at: 1 } },
  ]);
});

test('an item that cannot be mapped to an input fails alone', async () => {
  const { result } = await bedWith(() => 1, { input: '{{ item.count }}', onItemError: 'skip' });
  expect(await result('loop', [{ count: 1 }, {}, { count: 2 }])).toEqual([1, 1]);
});

test('nested loops keep the items of both', async () => {
  const inner = rowFlow('inner', { each: { operator: 'data.for-each', params: { flow: 'plus' } } });
  const outer = rowFlow('outer', { each: { operator: 'data.for-each', params: { flow: 'inner' } } });
  const plus = rowFlow('plus', { map: { operator: 'core.map', params: { value: '{{ input + 1 }}' } } });
  const bed = await createFlowBed([plus, inner, outer]);
  expect(await bed.result('outer', [[1, 2], [], [3]])).toEqual([[2, 3], [], [4]]);
});

test('each item has a request of its own', async () => {
  const seen = rowFlow('seen', { map: { operator: 'core.map', params: { value: '{{ trigger.body }}' } } });
  const loop = rowFlow('loop', { each: { operator: 'data.for-each', params: { flow: 'seen' } } });
  const { hub, live } = await createFlowBed([seen, loop]);
  const request: TriggerRequest = { body: 'of the caller' };
  const run = hub.start({ flow: live('loop'), trigger: 'trigger', request, output: ['a'], source: 'manual' });
  expect(run.answer).toMatchObject({ body: ['a'] });
});
