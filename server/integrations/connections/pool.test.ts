import { expect, test, vi } from 'vitest';
import type { Asker, RunClaim } from '#engine';
import { startDeadline } from '../../base/outbound/deadline.ts';
import { asker } from '../../base/outbound/testing/ask.ts';
import type { Session } from './kind.ts';
import { lending, type Pool } from './pool.ts';

const never = new AbortController().signal;

/** A pool of one session that counts how often it is lent and comes back. */
function onePool() {
  const count = { taken: 0, back: 0 };
  const pool: Pool<Session> = {
    take: async () => {
      count.taken++;
      return { session: {} as Session, wasIdle: false, giveBack: () => void count.back++ };
    },
    counts: () => ({ open: 1, idle: 1, queued: 0 }),
    close: () => undefined,
  };
  return { pool, count };
}

async function use(pool: Pool<Session>, claim: RunClaim, work: () => Promise<unknown>): Promise<unknown> {
  const by: Asker = { ...asker, claim };
  const deadline = startDeadline(60_000, never);
  try {
    return await lending(pool, by, deadline, work);
  } finally {
    deadline.end();
  }
}

test('a run whose claim is in doubt takes no session before it is known to hold', async () => {
  const { pool, count } = onePool();
  const proven = Promise.withResolvers<void>();
  let isFresh = false;
  const claim = { isFresh: () => isFresh, prove: () => proven.promise };
  const done = use(pool, claim, async () => 'sent');
  await new Promise((resolve) => setImmediate(resolve));
  expect(count.taken).toBe(0);
  isFresh = true;
  proven.resolve();
  expect(await done).toBe('sent');
  expect(count).toEqual({ taken: 1, back: 1 });
});

test('nothing is done with a session if the claim was lost while one was waited for', async () => {
  const { pool, count } = onePool();
  const fresh = [true, false];
  const work = vi.fn(async () => 'sent');
  const claim = {
    isFresh: () => fresh.shift() === true,
    prove: () => Promise.reject(new Error('executed elsewhere')),
  };
  await expect(use(pool, claim, work)).rejects.toThrow('executed elsewhere');
  expect(work).not.toHaveBeenCalled();
  expect(count).toEqual({ taken: 1, back: 1 });
});
