import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../tests/support/eventually.ts';
import { createHost } from '../../base/adapters/node-host.ts';
import type { WaitStore } from './durable-runs.ts';
import { createMemoryWaits } from './testing/memory-waits.ts';
import { PassContext } from './pass-context.ts';
import type { RecordedStep } from './port.ts';
import type { RecordLimits } from './size.ts';
import { plainValues } from './testing/plain-values.ts';

const values = plainValues();

/** Runs steps of one pass with limits of its own; also returns which were executed. */
function passWith(
  limits: RecordLimits,
  steps: readonly RecordedStep[] = [],
  {
    waits = createMemoryWaits(),
    now = Date.now,
    ahead = () => 0,
  }: { waits?: WaitStore; now?: () => number; ahead?: () => number } = {},
) {
  const carried: string[] = [];
  const recorded: string[] = [];
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
    pass: {
      run,
      steps,
      async step(_, fn) {
        const text = await fn();
        recorded.push(text);
        return text;
      },
    },
    limits,
    values,
    waits,
    host: { ...createHost(), now },
    ahead,
    park: () => {},
    cancel: () => {},
    lost: () => {},
  });
  const { signal } = new AbortController();
  const step = (key: string, gives: unknown = key, whole?: string): Promise<unknown> => {
    const of = { key, idempotencyKey: key, operator: 'test', params: {}, input: null, signal };
    return context.step(whole === undefined ? of : { ...of, whole }, async () => {
      carried.push(key);
      return typeof gives === 'function' ? (gives as () => unknown)() : gives;
    });
  };
  return { step, carried, recorded, context };
}

test('a step beyond the limit fails without being executed; recorded steps still return their results', async () => {
  const { step, carried } = passWith({ steps: 2, size: 1000 }, [
    { key: 'a', result: '\n{"v":{"value":"kept"}}' },
  ]);
  expect(await step('b')).toBe('b');
  await expect(step('c')).rejects.toMatchObject({ code: 'durable_too_large' });
  expect(await step('a')).toBe('kept');
  expect(carried).toEqual(['b']);
});

test('parallel steps do not exceed the limit together', async () => {
  const { step, carried } = passWith({ steps: 2, size: 1000 });
  const ends = await Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => step(key)));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(carried).toEqual(['a', 'b']);
});

test('parts of a step may use half of the limit; further parts belong to the step, and later steps have room', async () => {
  const { step, carried } = passWith({ steps: 6, size: 1000 });
  const part = (key: string): Promise<unknown> => step(key, key, 'a');
  const loop = step('a', async () => {
    for (const key of ['a/0', 'a/1', 'a/2', 'a/3']) await part(key);
    return 'all';
  });
  expect(await loop).toBe('all');
  for (const key of ['b', 'c', 'd']) expect(await step(key)).toBe(key);
  await expect(step('e')).rejects.toMatchObject({ code: 'durable_too_large' });
  expect(carried).toEqual(['a', 'a/0', 'a/1', 'a/2', 'a/3', 'b', 'c', 'd']);
});

test('a step that waits for its parts does not delay `quiet`, and no part begins then', async () => {
  const { step, carried, context } = passWith({ steps: 10, size: 1000 });
  const first = Promise.withResolvers<string>();
  void step('a', async () => {
    await step('a/0', () => first.promise, 'a');
    await step('a/1', 'never', 'a');
  });
  const quiet = context.quiet();
  expect(await Promise.race([quiet, Promise.resolve('in flight')])).toBe('in flight');
  first.resolve('done');
  await quiet;
  expect(carried).toEqual(['a', 'a/0']);
});

test('no step begins once the records exceed their size limit', async () => {
  const { step, carried } = passWith({ steps: 10, size: 100 });
  expect(await step('a', 'x'.repeat(200))).toHaveLength(200);
  await expect(step('b')).rejects.toMatchObject({ code: 'durable_too_large' });
  expect(carried).toEqual(['a']);
});

test('a step with a result that JSON cannot represent fails, and is named', async () => {
  const { step, recorded } = passWith({ steps: 10, size: 1000 });
  await expect(step('a', { at: new Date(0) })).rejects.toMatchObject({
    code: 'durable_not_serialisable',
    message: expect.stringMatching(/step a of.*a Date at value\.at/),
  });
  expect(recorded).toEqual([expect.stringContaining('durable_not_serialisable')]);
});

/** Answers the looks at the store one by one, once each has been noticed. */
function lookedAt(...looks: (() => { value: unknown } | undefined)[]): WaitStore {
  return { ...createMemoryWaits(), answer: async () => looks.shift()?.() };
}

const { signal: never } = new AbortController();

test('a question whose time ends while the store is read ends with the answer of the store', async () => {
  let time = 2999;
  const waits = lookedAt(
    () => {
      time = 3000;
      return undefined;
    },
    () => ({ value: 'expired' }),
  );
  const { context } = passWith({ steps: 2, size: 1000 }, [], { waits, now: () => time });
  const what = { kind: 'answer', title: '?', ask: {}, until: 3000 } as const;
  expect(await context.wait('w', 'w', what, never)).toBe('expired');
});

test('a decision that comes while the store is read is seen in the same pass', async () => {
  const waits = lookedAt(
    () => {
      context.poke();
      return undefined;
    },
    () => ({ value: 'yes' }),
  );
  const { context } = passWith({ steps: 2, size: 1000 }, [], { waits });
  expect(await context.wait('w', 'w', { kind: 'answer', title: '?', ask: {} }, never)).toBe('yes');
});

test('a wait that begins under a clock that is an hour ahead is not an hour longer under another one', async () => {
  const hour = 3_600_000;
  const time = 1_000_000;
  const wait = { kind: 'time', until: time + hour + 2500 } as const;
  const { signal } = new AbortController();
  const begun = passWith({ steps: 9, size: 9999 }, [], { now: () => time, ahead: () => hour });
  void begun.context.wait('w', 'w', wait, signal);
  await eventually(() => expect(begun.recorded).toHaveLength(1));
  const steps = [{ key: 'w:wait', result: begun.recorded[0] as string }];
  const later = passWith({ steps: 9, size: 9999 }, steps, { now: () => time + 2500 });
  const isOver = await Promise.race([
    later.context.wait('w', 'w', wait, signal).then(() => true),
    pause(1000),
  ]);
  expect(isOver).toBe(true);
});

test('steps that have ended leave no listener on a signal that they share', async () => {
  const { signal } = new AbortController();
  const { context } = passWith({ steps: 9, size: 9999 });
  const step = (key: string, fn: () => Promise<unknown>) =>
    context.step(
      { key, whole: 'each', idempotencyKey: key, operator: 'test', params: {}, input: null, signal },
      fn,
    );
  // Listeners beyond the limit belong to the whole step.
  for (let part = 0; part < 20; part++) await step(`each/${part}`, async () => part);
  const failing = async (): Promise<never> => {
    throw new Error('no');
  };
  await expect(step('each/20', failing)).rejects.toThrow('no');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a step whose attempt is aborted has failed, whatever it still returns', async () => {
  const controller = new AbortController();
  const { context } = passWith({ steps: 9, size: 9999 });
  const of = {
    key: 'a',
    idempotencyKey: 'a',
    operator: 'test',
    params: {},
    input: null,
    signal: controller.signal,
  };
  const ended = context.step(of, () => pause(1, 'late'));
  controller.abort(new Error('Enough.'));
  await expect(ended).rejects.toThrow('Enough.');
  await expect(context.step({ ...of, key: 'b' }, () => pause(1, 'late'))).rejects.toThrow('Enough.');
});
