import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperator, input, type Operator, output, WeftError } from '#engine';
import { eventually } from '../../../tests/support/eventually.ts';
import { createFlowBed, endOf, rowFlow } from './testing/flow-bed.ts';

/** The behaviour of the called flow for an item: immediate or delayed, success or failure. */
const item = fc.record({
  value: fc.integer(),
  ms: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3 })),
  fails: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
type Item = { readonly value: number; readonly ms: number; readonly fails: boolean };

const loop = fc.record({
  items: fc.array(item, { maxLength: 25 }),
  concurrency: fc.integer({ min: 1, max: 5 }),
  onItemError: fc.constantFrom('fail', 'skip', 'collect'),
  result: fc.constantFrom('values', 'pairs'),
});

interface Probe {
  running: number;
  most: number;
  started: number[];
}

function itemOperator(probe: Probe): Operator {
  return defineOperator({
    title: 'Item',
    doc: 'Behaves as its input specifies.',
    icon: 'circle',
    params: z.object({}),
    inputs: { in: input<Item>() },
    outputs: { out: output() },
    effects: 'read',
    examples: [],
    run(call) {
      const { value, ms, fails } = call.input;
      probe.started.push(value);
      probe.most = Math.max(probe.most, ++probe.running);
      const end = (): number => {
        if (fails) throw new WeftError('bad_input', `no ${value}`);
        return value * 2;
      };
      const leave = (): void => void probe.running--;
      if (ms > 0) return call.sleep(ms).then(end).finally(leave);
      leave();
      return end();
    },
  });
}

/** The expected result of for-each: the law that it is a map over the flow. */
function mapped({
  items,
  onItemError,
  result,
}: {
  items: readonly Item[];
  onItemError: string;
  result: string;
}) {
  return items
    .filter(({ fails }) => !fails || onItemError === 'collect')
    .map((one) => {
      const outcome = one.fails
        ? {
            ok: false,
            error: {
              code: 'bad_input',
              message: expect.stringContaining(`no ${one.value}`),
              data: expect.anything(),
            },
          }
        : { ok: true, value: one.value * 2 };
      const value = onItemError === 'collect' ? outcome : one.value * 2;
      return result === 'pairs' ? { input: one, output: value } : value;
    });
}

test('for-each is a map over the flow that it calls, whatever fails and however many run at once', async () => {
  const probe: Probe = { running: 0, most: 0, started: [] };
  const called = rowFlow('called', { item: { operator: 'test.item' } });
  const operators = { 'test.item': itemOperator(probe) };
  const keeps = fc.asyncProperty(loop, async ({ items, ...params }) => {
    Object.assign(probe, { running: 0, most: 0, started: [] });
    const each = rowFlow('each', {
      each: { operator: 'data.for-each', params: { flow: 'called', ...params } },
    });
    const { hub, start } = await createFlowBed([called, each], { operators });
    const run = start('each', items);
    const end = await endOf(run).catch((error: unknown) => error);
    expect(probe.most).toBeLessThanOrEqual(params.concurrency);
    expect(probe.started).toEqual(items.slice(0, probe.started.length).map(({ value }) => value));
    const failing = items.some(({ fails }) => fails);
    if (failing && params.onItemError === 'fail') {
      expect(end).toMatchObject({ code: 'bad_input', node: 'each' });
      const { index } = (end as { data: { index: number } }).data;
      expect(items[index]?.fails).toBe(true);
      if (params.concurrency === 1) expect(index).toBe(items.findIndex(({ fails }) => fails));
    } else {
      expect((end as { body: unknown }).body).toEqual(mapped({ items, ...params }));
      expect(probe.started).toHaveLength(items.length);
    }
    await eventually(() => expect(hub.inFlight).toBe(0));
    expect(await hub.list({ limit: 100, parent: run.id })).toHaveLength(probe.started.length);
  });
  await fc.assert(keeps, { numRuns: 60 });
});

test('a loop that is cancelled in the middle starts no more items and leaves nothing behind', async () => {
  const probe: Probe = { running: 0, most: 0, started: [] };
  const called = rowFlow('called', { item: { operator: 'test.item' } });
  const operators = { 'test.item': itemOperator(probe) };
  const params = { flow: 'called', onItemError: 'collect', concurrency: 3 };
  const each = rowFlow('each', { each: { operator: 'data.for-each', params } });
  const keeps = fc.asyncProperty(fc.integer({ min: 0, max: 20 }), async (after) => {
    Object.assign(probe, { running: 0, most: 0, started: [] });
    const { hub, start } = await createFlowBed([called, each], { operators });
    const run = start(
      'each',
      Array.from({ length: 1000 }, (_, value) => ({ value, ms: 1 + (value % 3), fails: value % 5 === 0 })),
    );
    await new Promise((resolve) => setTimeout(resolve, after));
    run.cancel('stop');
    const started = probe.started.length;
    await eventually(() => expect([run.outcome?.status, hub.inFlight]).toEqual(['cancelled', 0]));
    expect(probe).toMatchObject({ running: 0 });
    expect(probe.started.length).toBe(started);
    const below = await hub.list({ limit: 2000, parent: run.id });
    expect(below).toHaveLength(started);
    expect(below.every(({ status }) => status !== 'running')).toBe(true);
  });
  await fc.assert(keeps, { numRuns: 15 });
});
