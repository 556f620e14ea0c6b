import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Catalog } from '#shared/catalog.ts';
import { AskedThread } from '../../../base/adapters/asked-thread.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { InferSchemas } from '../called-flows.ts';
import { type FlowText, type FlowWorld, type PlacesIn, displayText, type Verdict } from '../judge-text.ts';
import type { ApartSetup, JudgeCalls } from './protocol.ts';

/** Most texts that wait for the thread; further ones are refused. */
const MAX_WAITING = 16;
/** The thread costs memory, and large flows are rare. */
const IDLE_MS = 30_000;

/** A text for the thread to read and check. */
export interface ApartText {
  readonly id: string | undefined;
  readonly source: string | Uint8Array;
  readonly places: PlacesIn;
}

/** Reads and checks texts in a separate thread, so a large flow delays no other request. */
export interface JudgeThread {
  /**
   * `around` returns the surroundings of a text that was read; it may infer types of flows meanwhile. Undefined if the thread ended meanwhile. Throws
   * `overloaded` if too many texts wait.
   */
  judge(
    asked: ApartText,
    around: Around,
  ): Promise<{ readonly text: FlowText; readonly verdict: Verdict } | undefined>;
  /** Undefined if the thread ended meanwhile. */
  readonly infer: InferSchemas;
  close(): Promise<void>;
}

type Around = (text: FlowText, infer: InferSchemas) => Promise<FlowWorld>;

export function createJudgeThread(catalog: Catalog): JudgeThread {
  const workerData: ApartSetup = { catalog };
  const thread = new AskedThread<JudgeCalls>({
    start: () => startRoomy(() => new Worker(new URL('./thread.js', import.meta.url), { workerData })),
    failure: ({ message }) => new Error(message),
    idleMs: IDLE_MS,
  });
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** Only while no other text is with the thread. */
  const infer: InferSchemas = (flow) => thread.ask('infer', flow);

  /** One at a time: the thread reads one text at a time. */
  function inTurn<T>(work: () => Promise<T>): Promise<T | undefined> {
    const mine = last.then(work).catch(() => undefined);
    last = mine;
    return mine;
  }

  async function judge({ id, source, places }: ApartText, around: Around) {
    const read = await thread.ask('read', id, source);
    const given = typeof source === 'string' ? source : displayText(source);
    const text = { ...read, source: given, canonical: read.canonical ?? given };
    // Lazy values cannot be sent unresolved.
    const world = JSON.parse(JSON.stringify(await around(text, infer))) as FlowWorld;
    return { text, verdict: await thread.ask('judge', world, places) };
  }

  return {
    async judge(asked, around) {
      if (waiting >= MAX_WAITING) throw tooManyWait();
      waiting++;
      const found = await inTurn(() => judge(asked, around));
      waiting--;
      return found;
    },
    infer: (flow) => inTurn(() => infer(flow)),
    close: () => thread.end(),
  };
}

function tooManyWait(): ServiceError {
  return new ServiceError('overloaded', 'Too many large flows wait to be checked.', {
    headers: { 'retry-after': '5' },
  });
}

/**
 * Half of the young generation of the thread, in MB. A thousand nodes make 30 MB of garbage, and no young generation grows
 * once the server's own is large enough (light-start.js): with V8's first megabyte, half of a check was collections.
 */
const ROOM_MB = 4;

/** V8 reads the flag when the thread begins. */
function startRoomy(start: () => Worker): Worker {
  setFlagsFromString(`--min-semi-space-size=${ROOM_MB}`);
  const started = start();
  const asBefore = (): void => setFlagsFromString('--min-semi-space-size=0');
  started.once('online', asBefore).once('exit', asBefore);
  return started;
}
