import { expect, test } from 'vitest';
import { explore, FAULTY } from './testing/protocol-model.ts';

test('no order of events breaks the protocol while a process dies or loses its lease at any moment', () => {
  const { states, wrong } = explore(FAULTY);
  expect(wrong).toBeUndefined();
  expect(states).toBeGreaterThan(500);
});
