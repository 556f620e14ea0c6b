import { expect, test } from 'vitest';
import { emptyHelp } from './empty-grant.ts';

test.each([
  [undefined, false, 'None: any flow.'],
  [undefined, true, undefined],
  [[], true, 'Stored as an empty list, which allows nobody: choose some.'],
] as const)('explains the list %j without names', (list, isNobody, help) => {
  expect(emptyHelp(list, isNobody, 'any flow')).toBe(help);
});
