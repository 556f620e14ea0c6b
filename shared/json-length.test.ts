import { fc } from '../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { isLongerJson } from './json-length.ts';

/** A list that stands for 2 ** levels copies of a value. */
function doubled(value: unknown, levels: number): unknown {
  let list = value;
  for (let i = 0; i < levels; i++) list = i % 2 === 0 ? [list, list] : { a: list, b: list };
  return list;
}

describe('a value that is longer than the limit', () => {
  test('is never said to be so when it is not', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isLongerJson(value, JSON.stringify(value).length)).toBe(false);
      }),
    );
  });

  test('is found where it is longer by more than numbers, booleans and escapes hide', () => {
    const texts = fc.jsonValue().map((value) => ({ value, text: JSON.stringify(value) }));
    fc.assert(
      fc.property(texts, ({ value, text }) => {
        const plain = text.replace(/\\u....|\\.|true|false|-?\d[\d.eE+-]*/g, '');
        expect(isLongerJson(value, Math.floor(plain.length / 2) - 2)).toBe(true);
      }),
    );
  });

  test('counts what stands in many places as often as it does', () => {
    const value = doubled('12345', 10);
    const { length } = JSON.stringify(value);
    expect([isLongerJson(value, length), isLongerJson(value, length * 0.8)]).toEqual([false, true]);
  });

  test.each([
    ['empty lists', []],
    ['texts', 'x'],
    ['lists of nothing', Array.from({ length: 1000 })],
  ])('is found at once where %s are held 2 to the 60 times', (_, value) => {
    expect(isLongerJson(doubled(value, 60), 10_000_000)).toBe(true);
  });
});

test('a value that holds itself, and one that is very deep, comes to an end', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle, cycle, [cycle, { cycle }]);
  expect(isLongerJson(cycle, 1000)).toBe(false);
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep, deep];
  expect(isLongerJson(deep, 1000)).toBe(true);
  expect(isLongerJson(new Uint8Array(1_000_000), 1000)).toBe(false);
});
