import { expect, test } from 'vitest';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { boundValue } from '../bound-value.ts';
import { createValueRoom, type LargeValue, RunValues } from './run-values.ts';
import { wholeEvents } from './whole-events.ts';

const wide = () => createValueRoom(Number.POSITIVE_INFINITY, () => 0);
const hashOf = (value: unknown): string | undefined => (value as LargeValue).$large.hash;
const large = (letter = 'x') => ({ items: [letter.repeat(100_000)], n: 1 });

test('a large value keeps its beginning, and the whole value is stored by its hash', async () => {
  const values = new RunValues(wide());
  const kept = boundValue(large(), undefined, undefined, values);
  expect(kept).toMatchObject({ $large: { preview: expect.stringContaining('items') } });
  const hash = hashOf(kept) as string;
  expect(JSON.parse(values.get(hash) as string)).toEqual(large());
  const event = { kind: 'node-output', value: kept };
  expect(await wholeEvents([event], (one) => values.get(one))).toEqual([{ ...event, value: large() }]);
});

test('equal values are stored once, the same object is serialized once, and each is handed over once', () => {
  const values = new RunValues(wide());
  let reads = 0;
  const counted = {
    get text() {
      reads++;
      return 'y'.repeat(100_000);
    },
  };
  const hashes = [counted, counted, { text: counted.text }].map((value) =>
    hashOf(boundValue(value, undefined, undefined, values)),
  );
  const once = reads;
  expect(new Set(hashes).size).toBe(1);
  boundValue(counted, undefined, undefined, values);
  // Reads its size without serializing it.
  expect(reads - once).toBe(1);
  expect(values.takeNew()).toHaveLength(1);
  expect(values.takeNew()).toEqual([]);
});

test('secrets and credentials are masked before the hash is made', () => {
  const redactor = createRedactor();
  redactor.add('hunter2-hunter2');
  const values = new RunValues(wide());
  const value = { ...large(), token: 'Bearer hunter2-hunter2', authorization: 'Basic xyz' };
  boundValue(value, undefined, redactor, values);
  const [kept] = values.takeNew();
  expect(kept?.json).not.toContain('hunter2');
  expect(JSON.parse(kept?.json ?? '')).toMatchObject({ token: 'Bearer ***', authorization: '***' });
});

test('above 10 MB, or 32 MB in one run, the beginning stays and the loss is counted', () => {
  const room = wide();
  const values = new RunValues(room);
  const text = (n: number, letter: string) => boundValue(letter.repeat(n), undefined, undefined, values);
  expect(hashOf(text(11 * 1024 ** 2, 'a'))).toBeUndefined();
  const sizes = ['b', 'c', 'd', 'e'].map((letter) => hashOf(text(9 * 1024 ** 2, letter)) !== undefined);
  expect(sizes).toEqual([true, true, true, false]);
  expect(room.lost).toBe(2);
});

test('values over all runs are serialized up to a limit a second', () => {
  let now = 0;
  const room = createValueRoom(150_000, () => now);
  const kept = (letter: string) =>
    hashOf(boundValue(large(letter), undefined, undefined, new RunValues(room))) !== undefined;
  expect([kept('a'), kept('b'), kept('c')]).toEqual([true, true, false]);
  now = 1000;
  expect(kept('d')).toBe(true);
  expect(room.lost).toBe(1);
});

test.each([
  ['bytes', new Uint8Array(100_000), { $bytes: { size: 100_000 } }],
  ['a text', 'z'.repeat(100_000), 'z'.repeat(100_000)],
  [
    'a value that JSON cannot represent',
    [Number.NaN, ...large().items],
    [{ $number: 'NaN' }, ...large().items],
  ],
])('%s is kept as an event would hold it', (_, value, whole) => {
  const values = new RunValues(wide());
  boundValue(value, undefined, undefined, values);
  const kept: unknown = JSON.parse(values.takeNew()[0]?.json ?? 'null');
  if (typeof kept === 'string') expect(kept).toBe(whole);
  else expect(kept).toMatchObject(whole as object);
});
