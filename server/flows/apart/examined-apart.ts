import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Catalog } from '#shared/catalog.ts';
import { ServiceError } from '../../errors/errors.ts';
import { worldFor, type WorldDeps } from '../examine.ts';
import type { FlowWorld, Judged, SeenFlow } from '../judge-text.ts';
import type { ApartSetup, FromThread, ToThread } from './protocol.ts';

/** Texts of more characters are read and checked in a thread: this many take about 20 ms. */
export const LARGE_TEXT = 100_000;

/** What was found of so many texts is kept: a flow that is saved is looked at several times in a row. */
const KEPT = 4;
/** More than so many that wait for the thread are refused. */
const MAX_WAITING = 16;
/** The thread costs memory, and large flows are rare. */
const IDLE_MS = 30_000;

/**
 * Large flows are judged in a thread of their own: a check of ten thousand nodes takes a second.
 * A1. What was found is used only for the very text, and while what surrounds it is the same.
 * A2. Where it is not there, the text is judged on the spot: right, if slow.
 */
export interface ExaminedApart {
  /** Judges a large text ahead of `find`; nothing for others. Throws `overloaded` when too many wait. */
  ahead(id: string | undefined, source: string): Promise<void>;
  find(id: string | undefined, source: string | Uint8Array): Judged | undefined;
  close(): Promise<void>;
}

interface Found {
  readonly id: string | undefined;
  readonly seen: SeenFlow | undefined;
  readonly world: string;
  readonly judged: Judged;
}

export function createExaminedApart(catalog: Catalog, deps: WorldDeps): ExaminedApart {
  const thread = createThread({ catalog });
  let kept: readonly Found[] = [];
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const keyOf = (world: FlowWorld): string => JSON.stringify(world);

  function find(id: string | undefined, source: string | Uint8Array): Judged | undefined {
    if (typeof source !== 'string' || source.length <= LARGE_TEXT) return undefined;
    const found = kept.find((one) => one.id === id && one.judged.source === source);
    if (found === undefined || keyOf(worldFor(deps, found.seen)) !== found.world) return undefined;
    return found.judged;
  }

  async function judge(id: string | undefined, source: string): Promise<void> {
    if (find(id, source) !== undefined) return;
    const { seen } = await thread.ask<'read'>({ op: 'read', id, source });
    const world = worldFor(deps, seen);
    // What is worked out when it is asked for does not go along as it is.
    const key = keyOf(world);
    const judged = await thread.ask<'judge'>({ op: 'judge', world: JSON.parse(key) as FlowWorld });
    const others = kept.filter((one) => one.id !== id || one.judged.source !== source);
    kept = [{ id, seen, world: key, judged: { ...judged, source } }, ...others].slice(0, KEPT);
  }

  return {
    find,
    async ahead(id, source) {
      if (source.length <= LARGE_TEXT) return;
      if (waiting >= MAX_WAITING) throw tooManyWait();
      waiting++;
      // One after the other: the thread reads one text at a time.
      const mine = last.then(() => judge(id, source)).catch(() => {});
      last = mine;
      await mine;
      waiting--;
    },
    close: () => thread.end(),
  };
}

function tooManyWait(): ServiceError {
  return new ServiceError('overloaded', 'Too many large flows wait to be checked.', {
    headers: { 'retry-after': '5' },
  });
}

/** A thread that is there while it is asked, and half a minute longer. */
function createThread(setup: ApartSetup) {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  }

  function running(): Worker {
    clearTimeout(idle);
    if (worker !== undefined) return worker;
    const started = new Worker(new URL('./thread.js', import.meta.url), { workerData: setup });
    // Unheard, it would end the process; who asked hears it too.
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    worker = started;
    return started;
  }

  return {
    end,
    async ask<Op extends ToThread['op']>(message: ToThread & { readonly op: Op }): Promise<FromThread[Op]> {
      const asked = running();
      asked.ref();
      const gone = new AbortController();
      const onExit = (): void => gone.abort();
      asked.once('exit', onExit);
      try {
        asked.postMessage(message);
        // Rejects when the thread fails or ends.
        const [answer] = (await once(asked, 'message', { signal: gone.signal })) as [FromThread[Op]];
        return answer;
      } finally {
        asked.off('exit', onExit);
        asked.unref();
        idle = setTimeout(() => void end(), IDLE_MS).unref();
      }
    },
  };
}
