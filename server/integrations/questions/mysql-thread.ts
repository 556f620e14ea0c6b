import { Worker } from 'node:worker_threads';
import { WeftError } from '#engine';
import { AskedThread } from '../../base/adapters/asked-thread.ts';

/** A statement, and the tables that it may read. */
export interface ReadJob {
  readonly sql: string;
  readonly tables: readonly { readonly schema: string; readonly name: string }[];
}

/** The reason for a refusal, and whether the statement could be parsed. */
export interface Refusal {
  readonly why: string;
  readonly isRead: boolean;
}

/** The functions of the thread. */
export interface ReaderCalls {
  read(job: ReadJob): Refusal | undefined;
}

/** The time limit, since the grammar needs exponential time for some statements, such as casts of casts of casts. */
const READ_MS = 5000;
/** The memory for one statement, in megabytes. */
const HEAP_MB = 256;
/** How long an idle thread lives, in milliseconds, since it costs memory. */
const IDLE_MS = 30_000;
const MAX_WAITING = 32;

const thread = new AskedThread<ReaderCalls>({
  start: () =>
    new Worker(new URL('./mysql-thread.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    }),
  failure: ({ message }) => new Error(message),
  idleMs: IDLE_MS,
});
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** Reads a statement in a thread, one at a time. Throws `overloaded` if too many wait. */
export async function readMysql(job: ReadJob): Promise<Refusal | undefined> {
  if (waiting >= MAX_WAITING)
    throw new WeftError('overloaded', `${MAX_WAITING} statements are being read already; try again later.`);
  waiting++;
  const mine = last.then(() => read(job)).finally(() => waiting--);
  last = mine.catch(() => {});
  return mine;
}

async function read(job: ReadJob): Promise<Refusal | undefined> {
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    void thread.end();
  }, READ_MS);
  try {
    return await thread.ask('read', job);
  } catch {
    return { why: isLate ? 'it takes too long to read' : 'it cannot be read', isRead: true };
  } finally {
    clearTimeout(late);
  }
}
