import { expect, test } from 'vitest';
import { createSessions, type KeptSession } from './sessions.ts';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;

/** Sessions across restarts, with a clock that a test sets. */
function world() {
  let kept: readonly KeptSession[] = [];
  let writes = 0;
  const clock = { now: 0 };
  const shelf = {
    read: () => kept,
    write(sessions: readonly KeptSession[]) {
      kept = sessions;
      writes++;
    },
  };
  return { clock, start: () => createSessions(() => clock.now, shelf), writes: () => writes };
}

test('a session ends a week after its last use, also where a restart came between', () => {
  const { clock, start } = world();
  const { token, session } = start().open();
  clock.now = WEEK - HOUR;
  expect(start().find(token)).toEqual(session);
  clock.now += WEEK - 1;
  expect(start().find(token)).toEqual(session);
  clock.now += WEEK;
  expect(start().find(token)).toBeUndefined();
});

test('a use is written down at most once an hour', () => {
  const { clock, start, writes } = world();
  const sessions = start();
  const { token } = sessions.open();
  for (clock.now = 0; clock.now < HOUR; clock.now += HOUR / 100) sessions.find(token);
  expect(writes()).toBe(1);
  sessions.find(token);
  expect(writes()).toBe(2);
});

test('of more than 200 the longest unused one ends, over a restart too', () => {
  const { clock, start } = world();
  const first = start();
  const tokens = Array.from({ length: 200 }, () => {
    clock.now++;
    return first.open().token;
  });
  const again = start();
  again.open();
  expect(again.find(tokens[0] as string)).toBeUndefined();
  expect(again.find(tokens[1] as string)).toBeDefined();
});
