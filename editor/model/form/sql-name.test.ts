import { expect, test } from 'vitest';
import { sqlName } from './sql-name.ts';

test.each([
  ['customers', '"', 'customers'],
  ['Customers', '"', '"Customers"'],
  ['order', '"', '"order"'],
  ['a"b', '"', '"a""b"'],
  ['a b', '`', '`a b`'],
  ['a`b', '`', '`a``b`'],
  ['2nd', '"', '"2nd"'],
  ['straße', '"', '"straße"'],
] as const)('%s between %s', (name, quote, written) => {
  expect(sqlName(name, quote)).toBe(written);
});
