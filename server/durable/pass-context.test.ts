import { expect, test } from 'vitest';
import { createHost } from '../adapters/node-host.ts';
import { createMemoryWaits } from './memory-waits.ts';
import { PassContext } from './pass-context.ts';
import type { RecordedStep } from './port.ts';
import type { RecordLimits } from './size.ts';
import type { Values } from './values.ts';

const values: Values = {
  write: (value) => JSON.stringify(value),
  read: (text) => JSON.parse(text) as unknown,
};

/** Steps of one pass of a run with limits of its own; gives what was carried out, too. */
function passWith(limits: RecordLimits, steps: readonly RecordedStep[] = []) {
  const carried: string[] = [];
  const run = {
    run: 'r',
    flow: 'f',
    version: 'v',
    input: '',
    startedAt: 0,
    status: 'running',
    passes: 1,
  } as const;
  const context = new PassContext({
    pass: { run, steps, step: (_, fn) => fn() },
    limits,
    values,
    waits: createMemoryWaits(),
    host: createHost(),
    park: () => {},
    cancel: () => {},
    lost: () => {},
  });
  const { signal } = new AbortController();
  const step = (key: string, gives: unknown = key): Promise<unknown> =>
    context.step({ key, idempotencyKey: key, operator: 'test', params: {}, signal }, async () => {
      carried.push(key);
      return gives;
    });
  return { step, carried };
}

test('a step beyond the number that may be recorded fails and is not carried out; those with a record still give it', async () => {
  const { step, carried } = passWith({ steps: 2, size: 1000 }, [{ key: 'a', result: '\n{"value":"kept"}' }]);
  expect(await step('b')).toBe('b');
  await expect(step('c')).rejects.toMatchObject({ code: 'durable_too_large' });
  expect(await step('a')).toBe('kept');
  expect(carried).toEqual(['b']);
});

test('steps side by side do not go beyond the limit together', async () => {
  const { step, carried } = passWith({ steps: 2, size: 1000 });
  const ends = await Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => step(key)));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(carried).toEqual(['a', 'b']);
});

test('no step begins once the records are longer than they may be', async () => {
  const { step, carried } = passWith({ steps: 10, size: 100 });
  expect(await step('a', 'x'.repeat(200))).toHaveLength(200);
  await expect(step('b')).rejects.toMatchObject({ code: 'durable_too_large' });
  expect(carried).toEqual(['a']);
});
