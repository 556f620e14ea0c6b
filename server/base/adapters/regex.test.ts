import { expect, it } from 'vitest';
import { linearRegex } from './regex.ts';

it('a pattern is searched for anywhere in the text, unless it is anchored', () => {
  expect(linearRegex('b+').test('abbc')).toBe(true);
  expect(linearRegex('^b+').test('abbc')).toBe(false);
});

it('a pattern with exponential time in other engines is answered', () => {
  expect(linearRegex('^(a+)+$').test(`${'a'.repeat(5_000)}b`)).toBe(false);
});

it('a pattern that is none, or needs backtracking, throws', () => {
  expect(() => linearRegex('(')).toThrow();
  expect(() => linearRegex('(a)\\1')).toThrow();
});
