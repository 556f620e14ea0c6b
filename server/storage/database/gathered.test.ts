import { expect, test } from 'vitest';
import { gathered } from './gathered.ts';

test('items that arrive during a write are written together, and each gets its own answer', async () => {
  const written: (readonly number[])[] = [];
  const first = Promise.withResolvers<void>();
  const write = gathered(async (all: readonly number[]) => {
    written.push(all);
    if (written.length === 1) await first.promise;
    return all.map((one) => one * 10);
  });
  const answers = [1, 2, 3].map(write);
  first.resolve();
  expect(await Promise.all(answers)).toEqual([10, 20, 30]);
  expect(written).toEqual([[1], [2, 3]]);
  expect(await write(4)).toBe(40);
});

test('a statement contains at most 200', async () => {
  const sizes: number[] = [];
  const write = gathered(async (all: readonly number[]) => {
    sizes.push(all.length);
    return all;
  });
  const all = Array.from({ length: 500 }, (_, i) => i);
  expect(await Promise.all(all.map(write))).toEqual(all);
  expect(sizes).toEqual([1, 200, 200, 99]);
});

test('those that were written together fail together, and the next ones are written', async () => {
  let calls = 0;
  const write = gathered(async (all: readonly string[]) => {
    if (++calls === 2) throw new Error('The database is away.');
    return all;
  });
  const [a, b, c] = await Promise.allSettled(['a', 'b', 'c'].map(write));
  expect([a?.status, b?.status, c?.status]).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(await write('d')).toBe('d');
});

test('a statement contains at most 4 million characters, or a single larger item', async () => {
  const batches: (readonly number[])[] = [];
  const write = gathered(
    async (all: readonly number[]) => {
      batches.push(all);
      return all;
    },
    (one) => one,
  );
  await Promise.all([1, 1_500_000, 2_500_000, 1, 9_000_000, 2].map(write));
  expect(batches).toEqual([[1], [1_500_000, 2_500_000], [1], [9_000_000], [2]]);
});
