import { expect, test } from 'vitest';
import type { RunEvent } from '#shared/run-event.ts';
import { runEventText } from './run-event-text.ts';

test('an event of a node in a body says in which round', () => {
  const event: RunEvent = { run: 'r', seq: 1, at: 5, kind: 'node-started', node: 'price', attempt: 1 };
  expect(runEventText(event, 0)).toMatch(/ price$/);
  expect(runEventText({ ...event, round: 'loop#3/group#0' }, 0)).toMatch(/ loop#3\/group#0 price$/);
});
