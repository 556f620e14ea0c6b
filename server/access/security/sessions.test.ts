import { expect, test } from 'vitest';
import type { SessionStore } from './session-store.ts';
import { createSessions, type Sessions } from './sessions.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const WEEK = 7 * 24 * HOUR;

/** Processes that share a store, which counts and may fail, and a clock that a test sets. */
function world() {
  const ends = new Map<string, number>();
  const clock = { now: 0 };
  const counts = { reads: 0, extended: 0 };
  const disk: { refuses: unknown } = { refuses: undefined };
  const warnings: string[] = [];
  const used = (): void => {
    if (disk.refuses !== undefined) throw disk.refuses;
  };
  const store: SessionStore = {
    async find(hash) {
      counts.reads++;
      used();
      return ends.get(hash);
    },
    async add({ hash, expiresAt }) {
      used();
      ends.set(hash, expiresAt);
    },
    async extend({ hash, expiresAt }) {
      counts.extended++;
      used();
      if (ends.has(hash)) ends.set(hash, expiresAt);
    },
    async remove(hash) {
      used();
      ends.delete(hash);
    },
    async removeAll() {
      used();
      ends.clear();
    },
  };
  const start = () =>
    createSessions({ now: () => clock.now, store, warn: (_, message) => warnings.push(message) });
  return { clock, counts, disk, warnings, start };
}

/** Looks a session up as a request does. */
async function look(sessions: Sessions, token: string) {
  await sessions.refresh(token);
  return sessions.find(token);
}

test('a session ends a week after its last use, also where a restart came between', async () => {
  const { clock, start } = world();
  const { token, session } = await start().open();
  clock.now = WEEK - HOUR;
  expect(await look(start(), token)).toEqual(session);
  clock.now += WEEK - 1;
  const last = start();
  expect(await look(last, token)).toEqual(session);
  clock.now += WEEK;
  expect(await look(start(), token)).toBeUndefined();
  expect(await look(last, token)).toBeUndefined();
});

test('a use is written down at most once an hour', async () => {
  const { clock, start, counts } = world();
  const sessions = start();
  const { token } = await sessions.open();
  for (clock.now = 0; clock.now < HOUR; clock.now += HOUR / 100) await look(sessions, token);
  expect(counts.extended).toBe(0);
  await look(sessions, token);
  expect(counts.extended).toBe(1);
});

test('memory answers for ten seconds, and many requests at once read once', async () => {
  const { clock, start, counts } = world();
  const sessions = start();
  const { token } = await sessions.open();
  clock.now = 10 * SECOND - 1;
  expect(sessions.refresh(token)).toBeUndefined();
  clock.now++;
  await Promise.all([look(sessions, token), look(sessions, token), look(sessions, token)]);
  expect(counts.reads).toBe(1);
  expect(sessions.refresh(token)).toBeUndefined();
  // A clock that was set back must not make memory answer for longer.
  clock.now = 0;
  await look(sessions, token);
  expect(counts.reads).toBe(2);
});

test('a session opened or ended by one process is so in another at the next look, at most ten seconds later', async () => {
  const { clock, start } = world();
  const [one, two] = [start(), start()];
  const { token, session } = await one.open();
  expect(await look(two, token)).toEqual(session);
  await one.close(token);
  expect(await look(one, token)).toBeUndefined();
  clock.now = 10 * SECOND;
  expect(await look(two, token)).toBeUndefined();
});

test('a session is known all the time while it is read again', async () => {
  const { clock, start } = world();
  const sessions = start();
  const { token, session } = await sessions.open();
  clock.now = 11 * SECOND;
  const reading = sessions.refresh(token);
  expect(sessions.find(token)).toEqual(session);
  await reading;
  expect(sessions.find(token)).toEqual(session);
});

test('a session that ends while it is read stays ended', async () => {
  const { clock, start } = world();
  const sessions = start();
  const [first, second] = [await sessions.open(), await sessions.open()];
  clock.now = 11 * SECOND;
  const reading = [first, second].map(async ({ token }) => sessions.refresh(token));
  await sessions.close(first.token);
  await Promise.all(reading);
  expect([sessions.find(first.token), sessions.find(second.token)]).toEqual([undefined, second.session]);
  clock.now += 11 * SECOND;
  const again = sessions.refresh(second.token);
  await sessions.closeAll();
  await again;
  expect(await look(sessions, second.token)).toBeUndefined();
});

test('where the disk refuses, who signs in is let in until the process ends', async () => {
  const { clock, start, disk, warnings } = world();
  disk.refuses = new Error('full');
  const sessions = start();
  const { token, session } = await sessions.open();
  clock.now = HOUR;
  expect(await look(sessions, token)).toEqual(session);
  disk.refuses = undefined;
  expect(await look(start(), token)).toBeUndefined();
  expect(warnings).toEqual(['A session could not be stored; it ends with this process.']);
});

test('a session that cannot be looked up counts as unknown, and is found again as soon as it can be', async () => {
  const { clock, start, disk } = world();
  const sessions = start();
  const { token, session } = await sessions.open();
  clock.now = 10 * SECOND;
  disk.refuses = new Error('gone');
  await expect(sessions.refresh(token)).rejects.toThrow('gone');
  expect(sessions.find(token)).toBeUndefined();
  disk.refuses = undefined;
  expect(await look(sessions, token)).toEqual(session);
});

test('a sign-out that could not be stored rejects', async () => {
  const { start, disk } = world();
  const sessions = start();
  const { token } = await sessions.open();
  disk.refuses = new Error('full');
  await expect(sessions.close(token)).rejects.toThrow('full');
});
