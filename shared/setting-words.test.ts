import { expect, test } from 'vitest';
import { type Measure, measureIn, measureOf, measureText } from './setting-words.ts';

test.each<[number, Measure, string]>([
  [0, 'ms', '0 ms'],
  [1, 'ms', '1 ms'],
  [500, 'ms', '500 ms'],
  [30_000, 'ms', '30 s'],
  [90_000, 'ms', '90 s'],
  [1500, 'ms', '1500 ms'],
  [300_000, 'ms', '5 min'],
  [3_600_000, 'ms', '1 h'],
  [86_400_000, 'ms', '1 d'],
  [900, 's', '15 min'],
  [61, 's', '61 s'],
  [10_000_000, 'bytes', '10 MB'],
  [500_000, 'bytes', '500 kB'],
  [1_500_000, 'bytes', '1.5 MB'],
  [1_048_576, 'bytes', '1 MiB'],
  [104_857_600, 'bytes', '100 MiB'],
  [1023, 'bytes', '1023 B'],
])('%d %s is written %s, and read back', (value, measure, text) => {
  expect(measureText(value, measure)).toBe(text);
  expect(measureIn(text, measure)).toBe(value);
});

test.each<[string, Measure, number | undefined]>([
  ['30', 'ms', 30],
  ['1h 30m', 'ms', 5_400_000],
  ['2 Hours', 'ms', 7_200_000],
  ['0.5s', 'ms', 500],
  ['10mb', 'bytes', 10_000_000],
  ['10 m', 'bytes', 10_000_000],
  ['1 GiB', 'bytes', 1024 ** 3],
  ['10 000', 'bytes', 10_000],
  ['soon', 'ms', undefined],
  ['5 MB', 'ms', undefined],
  ['5 s MB', 'ms', undefined],
  ['s', 's', undefined],
  ['', 's', undefined],
])('%s in %s is %s', (text, measure, value) => {
  expect(measureIn(text, measure)).toBe(value);
});

test('the name of a number says what it measures, unless its schema does', () => {
  const found = ['timeoutMs', 'ms', 'maxBytes', 'bytes', 'items', 'terms', 'fileBytes'].map((name) =>
    measureOf(name, undefined),
  );
  expect(found).toEqual(['ms', 'ms', 'bytes', 'bytes', undefined, undefined, 'bytes']);
  expect(measureOf('every', 's')).toBe('s');
});
