import { expect, test } from 'vitest';
import { tableOf } from './table.ts';

test('an array of objects is a table with a column for each field that occurs', () => {
  const rows = [{ a: 1 }, { b: 2, a: 3 }];
  expect(tableOf(rows)).toEqual({ columns: ['a', 'b'], more: 0, rows });
});

test.each([[[]], [[1, 2]], [[{ a: 1 }, null]], [[[1]]], [{ a: 1 }], ['text'], [[{}]], [undefined]])(
  '%j is no table',
  (value) => {
    expect(tableOf(value)).toBeUndefined();
  },
);

test('columns beyond the thirtieth are counted', () => {
  const wide = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`c${i}`, i]));
  expect(tableOf([wide])).toMatchObject({ more: 10 });
});
