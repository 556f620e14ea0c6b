import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperator, input, type Operator, output } from '../base/operator.ts';
import { makeRegistry } from '../catalog/registry.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const ITEMS = 10_000_000;
const MB = 1_000_000;

/** Gives that many numbers, and notes how much is in memory after each million. */
function numbers(count: number, used: number[]): Operator {
  const operator = defineOperator({
    title: 'Numbers',
    doc: 'For tests.',
    icon: 'circle',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output({ kind: 'stream' }) },
    effects: 'pure',
    examples: [],
    async *run() {
      for (let i = 0; i < count; i++) {
        if (i % 1_000_000 === 500_000) {
          collect();
          used.push(process.memoryUsage().heapUsed);
        }
        yield i;
      }
    },
  });
  return operator as unknown as Operator;
}

test('a node with `each` handles a stream of ten million items in flat memory', {
  timeout: 900_000,
}, async () => {
  const used: number[] = [];
  const registry = makeRegistry(new Map([...builtIns.operators, ['test.numbers', numbers(ITEMS, used)]]));
  const next = { operator: 'core.map', params: { value: '{{ input + 1 }}' }, each: {} };
  const flow = flowOf({ t: 'trigger.manual', n: 'test.numbers', next }, ['t > n', 'n > next']);
  const scene = play(flow, null, { registry, observer: () => {} });
  await new Promise((resolve) => scene.run.onAnswer(resolve));
  let last: unknown;
  for await (const item of bodyOf(scene) as AsyncIterable<number>) last = item;
  expect(last).toBe(ITEMS);
  expect(used).toHaveLength(10);
  expect(Math.max(...used.slice(1))).toBeLessThan((used[0] ?? 0) + 20 * MB);
});

test('a list of ten million items is refused before the first one is handled', async () => {
  const list: number[] = [];
  list.length = ITEMS;
  let handled = 0;
  const counting = defineOperator({
    title: 'Count',
    doc: 'For tests.',
    icon: 'circle',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output() },
    effects: 'pure',
    examples: [],
    run: () => ++handled,
  }) as unknown as Operator;
  const registry = makeRegistry(new Map([...builtIns.operators, ['test.count', counting]]));
  const flow = flowOf({ t: 'trigger.manual', c: { operator: 'test.count', each: {} } }, ['t > c']);
  const scene = play(flow, list, { registry });
  await scene.host.runAll();
  expect(scene.run.outcome?.error).toMatchObject({ code: 'too_many_items', node: 'c' });
  expect(handled).toBe(0);
});
