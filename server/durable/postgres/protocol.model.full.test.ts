import { expect, test } from 'vitest';
import { explore, FAULTY } from './testing/protocol-model.ts';

test('no order of events breaks the protocol while a process dies or loses its lease at any moment', () => {
  const { states, wrong } = explore(FAULTY);
  expect(wrong).toBeUndefined();
  expect(states).toBeGreaterThan(500);
});

test('C6: without the sweep, a death may leave a run that never ends', () => {
  expect(explore({ ...FAULTY, sweeps: false }).wrong).toBe('C6: a run never ends');
});

test.each([
  ['record-owner', /^C[12]:/],
  ['end-attempt', /^C[17]:/],
  ['begin-attempt', /^C1:/],
  ['read-records', /^C[24]:/],
  ['place-alive', /^C8: an ended/],
] as const)('a protocol without the guard %s is found out', (guard, wrong) => {
  expect(explore(FAULTY, guard).wrong).toMatch(wrong);
});
