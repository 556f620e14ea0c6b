import type { Entry } from './entry.ts';
import { isLive } from './entry.ts';
import type { FlowIndex, Settled } from './flow-index.ts';
import type { MutationQueue } from './mutation-queue.ts';
import type { VersionStore } from './versions.ts';

/** Stores every version that went live, whoever published it. */
export interface VersionKeeper {
  /** Stores the serving version, as published by `origin`. */
  keep(entry: Entry, origin: Origin): Promise<void>;
  /** Stores versions that files from outside put live. */
  settled(settled: Settled): Promise<void>;
  /**
   * Stores the versions found at the start, one by one between other changes; ends early if the data folder is not
   * writable or `stopped` returns true.
   */
  loaded(index: FlowIndex, queue: MutationQueue, stopped: () => boolean): Promise<void>;
}

export interface Origin {
  readonly author: string;
  readonly label?: string | undefined;
}

/** The origin of a version that came as a file, not through the API. */
const FROM_FILE: Origin = { author: 'file' };

export function createVersionKeeper(versions: VersionStore, now: () => number): VersionKeeper {
  async function keep(entry: Entry, { author, label }: Origin, durable: boolean): Promise<boolean> {
    if (!entry.file || !isLive(entry)) return true;
    const { version, text } = entry.file.examined;
    return versions.keep(
      entry.id,
      { version, text, author, label, at: new Date(now()).toISOString() },
      { durable },
    );
  }

  /** Not forced to disk: the next start would write it again. */
  async function keepIfNew(entry: Entry): Promise<boolean> {
    const isKept = (await versions.lastLive(entry.id)) === entry.serving?.live.version;
    return isKept || keep(entry, FROM_FILE, false);
  }

  return {
    keep: async (entry, origin) => void (await keep(entry, origin, true)),
    async settled({ live, gone }) {
      for (const entry of live) await keep(entry, FROM_FILE, true);
      for (const id of gone) await versions.retire(id);
    },
    async loaded(index, queue, stopped) {
      for (const entry of [...index.entries.values()]) {
        if (stopped() || !(await queue.run(() => keepIfNew(entry)))) return;
      }
    },
  };
}
