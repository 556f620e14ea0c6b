import { expect, test } from 'vitest';
import { searchValue } from './search-value.ts';

test('finds names and values, whatever their case, with what is around them', () => {
  const value = { order: { Name: 'Ada', lines: [{ n: 12 }, { n: 7, ok: true }] }, other: null };
  expect([...searchValue(value, 'name').shown]).toEqual(['["order","Name"]', '["order"]', '[]']);
  expect([...searchValue(value, '12').shown]).toContain('["order","lines",0,"n"]');
  expect(searchValue(value, 'TRUE').count).toBe(1);
  expect(searchValue(value, 'nothing like it')).toEqual({ count: 0, isCut: false, shown: new Set() });
});

test('a huge or deep value ends the search, not the page', () => {
  expect(
    searchValue(
      Array.from({ length: 1000 }, () => 'a'),
      'a',
    ),
  ).toMatchObject({ count: 500, isCut: true });
  let deep: unknown = 'end';
  for (let i = 0; i < 5000; i++) deep = [deep];
  expect(searchValue(deep, 'end').count).toBe(1);
  expect(
    searchValue(
      Array.from({ length: 400_000 }, (_, i) => ({ i })),
      'none',
    ).isCut,
  ).toBe(true);
});
