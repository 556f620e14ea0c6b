import type { Actor } from '#shared/audit.ts';
import type { Entry } from './entry.ts';
import { isLive } from './entry.ts';
import type { FlowIndex, Settled } from './flow-index.ts';
import type { MutationQueue } from './mutation-queue.ts';
import type { StagedVersion, VersionStore } from './versions.ts';

/** Stores every version that went live, regardless of who published it. */
export interface VersionKeeper {
  /** Stores the serving version, as published by `origin`; `staged` if it was staged. */
  keep(entry: Entry, origin: Origin, staged?: StagedVersion): Promise<void>;
  /** Stores versions that files from outside put live. */
  settled(settled: Settled, by?: Actor): Promise<void>;
  /**
   * Stores the versions found at the start, one by one between other changes; ends early if the data folder is not
   * writable or `stopped` returns true.
   */
  loaded(index: FlowIndex, queue: MutationQueue, stopped: () => boolean): Promise<void>;
}

export interface Origin {
  readonly actor: Actor;
  readonly label?: string | undefined;
}

/** The origin of a version that came as a file, not through the API. */
const FROM_FILE: Origin = { actor: { kind: 'file', id: 'file', name: 'file' } };

export function createVersionKeeper(versions: VersionStore, now: () => number): VersionKeeper {
  async function keep(
    entry: Entry,
    { actor, label }: Origin,
    options: Parameters<VersionStore['keep']>[2],
  ): Promise<boolean> {
    if (!entry.file || !isLive(entry)) return true;
    const { version, text } = entry.file.examined;
    const kept = { version, text, actor, label, at: new Date(now()).toISOString() };
    return versions.keep(entry.id, kept, options);
  }

  /** Not forced to disk: the next start would write it again. */
  async function keepIfNew(entry: Entry): Promise<boolean> {
    const isKept = (await versions.lastLive(entry.id)) === entry.serving?.live.version;
    return isKept || keep(entry, FROM_FILE, { durable: false });
  }

  return {
    keep: async (entry, origin, staged) => void (await keep(entry, origin, { staged })),
    async settled({ live, gone }, actor = FROM_FILE.actor) {
      for (const entry of live) await keep(entry, { actor }, {});
      for (const id of gone) await versions.retire(id);
    },
    async loaded(index, queue, stopped) {
      for (const entry of [...index.entries.values()]) {
        if (stopped() || !(await queue.run(() => keepIfNew(entry)))) return;
      }
    },
  };
}
