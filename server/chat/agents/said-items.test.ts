import { expect, test } from 'vitest';
import { saidItems } from './said-items.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

test('items come in order, and a failure behind all of them', async () => {
  const items = saidItems<number>(never, async (say) => {
    await say(1);
    await turn();
    await say(2);
    await say(3);
    throw new Error('broken');
  });
  const got: number[] = [];
  const reading = (async () => {
    for await (const item of items) got.push(item);
  })();
  await expect(reading).rejects.toThrow('broken');
  expect(got).toEqual([1, 2, 3]);
});

test('who says more than the reader takes is held back, and goes on as it takes them', async () => {
  let said = 0;
  const items = saidItems<number>(never, async (say) => {
    for (let i = 0; i < 1000; i++) {
      const held = say(i);
      said++;
      if (held) await held;
    }
  })[Symbol.asyncIterator]();
  expect(await items.next()).toEqual({ done: false, value: 0 });
  await turn();
  expect(said).toBeLessThan(70);
  const got: number[] = [];
  for (let next = await items.next(); !next.done; next = await items.next()) got.push(next.value);
  expect(got).toEqual(Array.from({ length: 999 }, (_, i) => i + 1));
});

test('a reader that leaves, also while it waits for an item, aborts the work and lets go of it', async () => {
  const started = (): { items: AsyncIterator<number>; ended: () => unknown } => {
    let reason: unknown;
    const items = saidItems<number>(never, async (say, signal) => {
      try {
        for (let i = 0; ; i++) {
          const held = say(i);
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
  const silent = saidItems<number>(never, async (_say, signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    reason = signal.reason;
  })[Symbol.asyncIterator]();
  const waiting = silent.next();
  await silent.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(reason).toMatchObject({ name: 'AbortError' });
});

test('once the signal has aborted nobody is held back, so that what is under way can end', async () => {
  const controller = new AbortController();
  let ended = false;
  const items = saidItems<number>(controller.signal, async (say) => {
    for (let i = 0; i < 500; i++) await say(i);
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
