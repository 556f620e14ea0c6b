import { expect, it } from 'vitest';
import { expressionTools, linearRegex } from './expression-tools.ts';

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

it('digests are those of the platform, and dates those of luxon', () => {
  const tools = expressionTools('UTC');
  expect(tools.digest('sha256', 'é')).toBe(
    '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
  );
  expect(tools.dates().DateTime.fromMillis(0, { zone: 'utc' }).toISO()).toBe('1970-01-01T00:00:00.000Z');
});
