import { expect, test } from 'vitest';
import { duration, durationMs } from './_duration.ts';

test.each([
  [0, 0],
  [1500, 1500],
  ['90s', 90_000],
  ['1.5h', 5_400_000],
  ['2h 30m', 9_000_000],
  [' 1w  1d ', 691_200_000],
  ['250ms', 250],
])('%j is a duration', (given, ms) => expect(durationMs(duration.parse(given), 'params.for')).toBe(ms));

test.each([
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  ' ',
  '5',
  '5 m',
  '1h30m',
  '-1s',
  'tomorrow',
  '11000w',
])('%j is none', (given) => {
  const refused = expect.objectContaining({ code: 'bad_params', field: 'params.for' });
  expect(() => durationMs(given, 'params.for')).toThrow(refused as Error);
});
