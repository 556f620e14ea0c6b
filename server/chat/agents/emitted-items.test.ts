import { expect, test } from 'vitest';
import { emittedItems } from './emitted-items.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

test('items come in order, and a failure after all of them', async () => {
  const items = emittedItems<number>(never, async (emit) => {
    await emit(1);
    await turn();
    await emit(2);
    await emit(3);
    throw new Error('broken');
  });
  const got: number[] = [];
  const reading = (async () => {
    for await (const item of items) got.push(item);
  })();
  await expect(reading).rejects.toThrow('broken');
  expect(got).toEqual([1, 2, 3]);
});

test('a writer that is ahead of its reader waits, and continues as the reader catches up', async () => {
  let emitted = 0;
  const items = emittedItems<number>(never, async (emit) => {
    for (let i = 0; i < 1000; i++) {
      const held = emit(i);
      emitted++;
      if (held) await held;
    }
  })[Symbol.asyncIterator]();
  expect(await items.next()).toEqual({ done: false, value: 0 });
  await turn();
  expect(emitted).toBeLessThan(70);
  const got: number[] = [];
  for (let next = await items.next(); !next.done; next = await items.next()) got.push(next.value);
  expect(got).toEqual(Array.from({ length: 999 }, (_, i) => i + 1));
});

test('a reader that leaves, also while it waits for an item, aborts and releases the work', async () => {
  const started = (): { items: AsyncIterator<number>; ended: () => unknown } => {
    let reason: unknown;
    const items = emittedItems<number>(never, async (emit, signal) => {
      try {
        for (let i = 0; ; i++) {
          const held = emit(i);
          if (held) await held;
          if (i === 3) await turn();
          signal.throwIfAborted();
        }
      } catch (error) {
        reason = error;
      }
    })[Symbol.asyncIterator]();
    return { items, ended: () => reason };
  };
  const reading = started();
  await reading.items.next();
  await reading.items.return?.();
  await turn();
  expect(reading.ended()).toMatchObject({ name: 'AbortError' });

  let reason: unknown;
  const silent = emittedItems<number>(never, async (_emit, signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    reason = signal.reason;
  })[Symbol.asyncIterator]();
  const waiting = silent.next();
  await silent.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(reason).toMatchObject({ name: 'AbortError' });
});

test('once the signal has aborted no writer waits, so that work in progress can end', async () => {
  const controller = new AbortController();
  let ended = false;
  const items = emittedItems<number>(controller.signal, async (emit) => {
    for (let i = 0; i < 500; i++) await emit(i);
    ended = true;
  })[Symbol.asyncIterator]();
  await items.next();
  await turn();
  expect(ended).toBe(false);
  controller.abort(new Error('stop'));
  await turn();
  await turn();
  expect(ended).toBe(true);
});
