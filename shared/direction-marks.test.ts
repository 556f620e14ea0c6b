import { expect, test } from 'vitest';
import { withoutDirectionMarks, writtenDirectionMarks } from './direction-marks.ts';

test('names lose the marks that turn texts around, and data shows them as JSON writes them', () => {
  const hostile = 'invoice\u202Efdp.exe\u2069';
  expect(withoutDirectionMarks(hostile)).toBe('invoicefdp.exe');
  expect(writtenDirectionMarks(hostile)).toBe('invoice\\u202efdp.exe\\u2069');
  expect(JSON.parse(writtenDirectionMarks(JSON.stringify(hostile)))).toBe(hostile);
});
