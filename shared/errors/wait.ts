import type { ErrorEntry } from './entry.ts';

/** Runs that wait for people. */
export const waitErrors = {
  wait_not_found: {
    status: 404,
    meaning: 'There is no wait with this id, and there was none.',
    remedy: 'GET /api/v1/waits lists the waits. An id is `<run>.<node>`.',
  },
  wait_decided: {
    status: 409,
    meaning: 'Somebody else has decided it already; the first decision counts.',
    remedy: 'The message says who and when. There is nothing left to do.',
  },
  wait_expired: {
    status: 409,
    meaning: 'The time to decide is over; the run continued without a decision.',
    remedy: 'Start the run again, or give the node a longer `expiresAfter`.',
  },
  wait_void: {
    status: 409,
    meaning: 'The run is over, so there is nothing to decide any more.',
    remedy: 'Look at the run: it says how it ended.',
  },
  wait_run_lost: {
    status: 410,
    meaning: 'The waiting run is no longer in durable.db, so a decision would reach nobody.',
    remedy: 'Stop the server and restore durable.db from a backup; the log says since when it is missing.',
  },
  wait_answer_invalid: {
    status: 422,
    meaning: 'The decision does not match what the wait asks for.',
    remedy: 'Fix what `detail` lists, or send a decision that the wait accepts.',
  },
} as const satisfies Record<string, ErrorEntry>;
