import { Worker } from 'node:worker_threads';
import { WeftError } from '#engine';

/** A statement, and the tables that it may read. */
export interface ReadJob {
  readonly sql: string;
  readonly tables: readonly { readonly schema: string; readonly name: string }[];
}

/** Why a statement does not pass, and whether it could be read at all. */
export interface Refusal {
  readonly why: string;
  readonly isRead: boolean;
}

/** The grammar needs exponential time for some statements, such as casts of casts of casts. */
const READ_MS = 5000;
/** Memory for one statement, in megabytes. */
const HEAP_MB = 256;
/** The thread costs memory; it ends when nothing was read for so long, in milliseconds. */
const IDLE_MS = 30_000;
const MAX_WAITING = 32;

let kept: Worker | undefined;
let ending: NodeJS.Timeout | undefined;
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
  clearTimeout(ending);
  const worker = (kept ??= start());
  const { promise, resolve } = Promise.withResolvers<Refusal | undefined>();
  const lost = (why: string) => (): void => {
    if (kept === worker) kept = undefined;
    void worker.terminate();
    resolve({ why, isRead: true });
  };
  const late = setTimeout(lost('it takes too long to read'), READ_MS);
  const ended = lost('it cannot be read');
  worker.once('message', resolve);
  worker.once('exit', ended);
  worker.ref();
  worker.postMessage(job);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    worker.off('message', resolve);
    worker.off('exit', ended);
    worker.unref();
    ending = setTimeout(() => end(worker), IDLE_MS).unref();
  }
}

function start(): Worker {
  const limits = { maxOldGenerationSizeMb: HEAP_MB };
  const worker = new Worker(new URL('./mysql-thread.js', import.meta.url), { resourceLimits: limits });
  // Whoever waits learns it from its end.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}

function end(worker: Worker): void {
  if (kept === worker) kept = undefined;
  void worker.terminate();
}
