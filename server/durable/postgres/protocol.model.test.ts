import { expect, test } from 'vitest';
import { CALM, explore } from './testing/protocol-model.ts';

// With deaths there are many more orders: `protocol.model.full.test.ts`.
test('no order of events breaks the protocol while nobody dies and nothing is swept', () => {
  const { states, wrong } = explore(CALM);
  expect(wrong).toBeUndefined();
  expect(states).toBeGreaterThan(500);
});

test.each([
  ['park-recheck', /^C6:/],
  ['place-first', /^C8:/],
  ['place-count', /^C8:/],
] as const)('a protocol without the guard %s is found out', (guard, wrong) => {
  expect(explore(CALM, guard).wrong).toMatch(wrong);
});
