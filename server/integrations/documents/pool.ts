import { WeftError } from '#engine';
import type { Job } from './protocol.ts';
import type { Reader } from './processes.ts';

/**
 * The most documents that are open at the same time. A stream keeps its process until its reader has finished. Fewer documents
 * may be open if they may need much memory, so that together they need no more than 2 GB; tables of plain text need little.
 */
const MOST = { text: 8, unpacked: 4 } as const;
type QueueName = keyof typeof MOST;
const QUEUES: Readonly<Record<Job['kind'], QueueName>> = {
  csv: 'text',
  workbook: 'text',
  xlsx: 'unpacked',
  sheets: 'unpacked',
  docx: 'unpacked',
  mail: 'unpacked',
  pdf: 'unpacked',
  html: 'unpacked',
  select: 'unpacked',
  markdown: 'unpacked',
  xml: 'unpacked',
};
/** How long a document waits for its turn, in milliseconds. */
const WAIT_MS = 30_000;
/** How long an idle process lives, in milliseconds, since it costs memory. */
const IDLE_MS = 30_000;
/** How many documents a process reads, and how much memory it may keep, before a new one replaces it. */
const MAX_DOCUMENTS = 500;
const MAX_KEPT_MB = 200;

type Turn = () => void;

/**
 * The processes that read documents.
 *
 * RP1. A document has a process to itself, which is reused if the document was read to its end.
 * RP2. A turn ends when the process is free again or has ended, and its memory is released.
 */
export function createReaderPool(start: (onEnd: () => void) => Reader) {
  const readers = new Map<Reader, QueueName | undefined>();
  const free: Reader[] = [];
  const idle = new Map<Reader, NodeJS.Timeout>();
  const queues = { text: createQueue(MOST.text), unpacked: createQueue(MOST.unpacked) };

  /** Passes the turn to the next document if it throws. */
  function begin(queue: QueueName): Reader {
    try {
      const reader: Reader = start(() => over(reader));
      readers.set(reader, queue);
      return reader;
    } catch (error) {
      queues[queue].release();
      throw error;
    }
  }

  function over(reader: Reader): void {
    leave(reader);
    const queue = readers.get(reader);
    readers.delete(reader);
    if (queue !== undefined) queues[queue].release();
  }

  /** Takes a process out of the free ones. */
  function leave(reader: Reader): void {
    clearTimeout(idle.get(reader));
    idle.delete(reader);
    const at = free.indexOf(reader);
    if (at !== -1) free.splice(at, 1);
  }

  return {
    get readers() {
      return [...readers.keys()];
    },
    async take(kind: Job['kind'], signal: AbortSignal): Promise<Reader> {
      const queue = QUEUES[kind];
      await queues[queue].turn(signal);
      const reader = free.pop();
      if (reader === undefined) return begin(queue);
      leave(reader);
      readers.set(reader, queue);
      return reader;
    },
    give(reader: Reader): void {
      const queue = readers.get(reader);
      if (queue === undefined) return;
      reader.documents++;
      if (reader.documents >= MAX_DOCUMENTS || reader.residentMb > MAX_KEPT_MB) return reader.end();
      readers.set(reader, undefined);
      idle.set(reader, setTimeout(() => reader.end(), IDLE_MS).unref());
      free.push(reader);
      queues[queue].release();
    },
    async close(): Promise<void> {
      for (const reader of readers.keys()) reader.end();
    },
  };
}

/** A queue in which so many turns may be taken at the same time; the others wait in order. */
function createQueue(most: number) {
  let taken = 0;
  const waiting: Turn[] = [];

  async function wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (error: unknown): void => {
      const at = waiting.indexOf(resolve);
      // The document has its turn already.
      if (at === -1) return;
      waiting.splice(at, 1);
      reject(error as Error);
    };
    const late = setTimeout(() => fail(tooMany(most)), WAIT_MS);
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    waiting.push(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
    }
  }

  return {
    async turn(signal: AbortSignal): Promise<void> {
      if (taken < most) taken++;
      else await wait(signal);
    },
    /** Passes the turn to the next document. */
    release(): void {
      const next = waiting.shift();
      if (next === undefined) taken--;
      else next();
    },
  };
}

function tooMany(most: number): WeftError {
  return new WeftError('overloaded', `${most} documents are being read already; try again later.`);
}
