import { WeftError } from '#engine';
import type { Job } from './protocol.ts';
import type { Reader } from './processes.ts';

/**
 * Documents that are open at the same time. A stream keeps its process for as long as its reader takes. Documents that may need
 * much memory are fewer, so that all of them together need no more than 2 GB; tables of plain text need little.
 */
const MOST = { text: 8, unpacked: 4 } as const;
type Lane = keyof typeof MOST;
const LANES: Readonly<Record<Job['kind'], Lane>> = {
  csv: 'text',
  workbook: 'text',
  xlsx: 'unpacked',
  sheets: 'unpacked',
  docx: 'unpacked',
  pdf: 'unpacked',
  html: 'unpacked',
  xml: 'unpacked',
};
/** How long a document waits for its turn, in milliseconds. */
const WAIT_MS = 30_000;
/** A process costs memory; it ends when it has read nothing for so long, in milliseconds. */
const IDLE_MS = 30_000;
/** How many documents a process reads, and how much memory it may keep, before another takes its place. */
const MAX_DOCUMENTS = 500;
const MAX_KEPT_MB = 200;

type Turn = () => void;

/**
 * The processes that read documents.
 *
 * RP1. A document has a process to itself, and the next one gets the same if the document was read to its end.
 * RP2. A turn is over when the process is free again or gone, with its memory.
 */
export function createReaderPool(start: (onEnd: () => void) => Reader) {
  const readers = new Map<Reader, Lane | undefined>();
  const free: Reader[] = [];
  const idle = new Map<Reader, NodeJS.Timeout>();
  const lanes = { text: createLane(MOST.text), unpacked: createLane(MOST.unpacked) };

  /** Passes the turn on if it throws. */
  function begin(lane: Lane): Reader {
    try {
      const reader: Reader = start(() => over(reader));
      readers.set(reader, lane);
      return reader;
    } catch (error) {
      lanes[lane].release();
      throw error;
    }
  }

  function over(reader: Reader): void {
    leave(reader);
    const lane = readers.get(reader);
    readers.delete(reader);
    if (lane !== undefined) lanes[lane].release();
  }

  /** It is no longer free. */
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
      const lane = LANES[kind];
      await lanes[lane].turn(signal);
      const reader = free.pop();
      if (reader === undefined) return begin(lane);
      leave(reader);
      readers.set(reader, lane);
      return reader;
    },
    give(reader: Reader): void {
      const lane = readers.get(reader);
      if (lane === undefined) return;
      reader.documents++;
      if (reader.documents >= MAX_DOCUMENTS || reader.residentMb > MAX_KEPT_MB) return reader.end();
      readers.set(reader, undefined);
      idle.set(reader, setTimeout(() => reader.end(), IDLE_MS).unref());
      free.push(reader);
      lanes[lane].release();
    },
    async close(): Promise<void> {
      for (const reader of readers.keys()) reader.end();
    },
  };
}

/** Turns of which so many may be taken at the same time; the others wait in their order. */
function createLane(most: number) {
  let taken = 0;
  const waiting: Turn[] = [];

  async function wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (error: unknown): void => {
      const at = waiting.indexOf(resolve);
      // It has its turn already.
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
    /** Passes the turn on. */
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
