import { expect, test } from 'vitest';
import { CALM, explore, FAULTY } from './testing/protocol-model.ts';

// With deaths there are a hundred times as many orders: `protocol.model.full.test.ts`.
test('no order of events breaks the protocol without deaths and sweeps', () => {
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

test('C6: without the sweep, a death may leave a run that never ends', () => {
  expect(explore({ ...FAULTY, sweeps: false }).wrong).toBe('C6: a run never ends');
});

test.each([
  ['record-owner', /^C[12]:/],
  ['end-attempt', /^C[17]:/],
  ['begin-attempt', /^C1:/],
  ['read-records', /^C[24]:/],
  // Who proved its claim when the step began, stood still, and sends then, repeats what another one has done.
  ['send-owner', /^C4:/],
  ['place-alive', /^C8: an ended/],
] as const)('a protocol without the guard %s is found out where a process dies', (guard, wrong) => {
  expect(explore(FAULTY, guard).wrong).toMatch(wrong);
});
