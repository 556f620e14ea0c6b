import { expect, test } from 'vitest';
import { errorTable } from './errors.ts';
import { transientCodes } from './transient-codes.ts';

test('the codes worth another attempt are those that the table marks so', () => {
  const marked = Object.entries(errorTable).filter(([, entry]) => entry.transient === true);
  expect([...transientCodes].sort()).toEqual(marked.map(([code]) => code).sort());
});
