import type { Actor } from '#shared/audit.ts';
import type { Entry } from './entry.ts';
import { isLive } from './entry.ts';
import type { FlowIndex, Settled } from './flow-index.ts';
import type { MutationQueue } from './mutation-queue.ts';
import type { KeptVersion, StagedVersion, VersionStore } from './versions.ts';

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
  /** Versions of the start that may not be stored yet, by flow: a later one is stored after them. */
  const found = new Map<string, KeptVersion>();

  /** Not forced to disk: the next start would write it again. */
  async function keepFound(id: string): Promise<boolean> {
    const first = found.get(id);
    if (first === undefined) return true;
    found.delete(id);
    return (await versions.lastLive(id)) === first.version || versions.keep(id, first, { durable: false });
  }

  async function keep(
    entry: Entry,
    { actor, label }: Origin,
    options: Parameters<VersionStore['keep']>[2],
  ): Promise<boolean> {
    const kept = versionOf(entry, { actor, label });
    if (kept === undefined) return true;
    await keepFound(entry.id);
    return versions.keep(entry.id, kept, options);
  }

  function versionOf(entry: Entry, { actor, label }: Origin): KeptVersion | undefined {
    if (!entry.file || !isLive(entry)) return undefined;
    const { version, text } = entry.file.examined;
    return { version, text, actor, label, at: new Date(now()).toISOString() };
  }

  return {
    keep: async (entry, origin, staged) => void (await keep(entry, origin, { staged })),
    async settled({ live, gone }, actor = FROM_FILE.actor) {
      for (const entry of live) await keep(entry, { actor }, {});
      for (const id of gone) {
        await keepFound(id);
        await versions.retire(id);
      }
    },
    async loaded(index, queue, stopped) {
      for (const entry of index.entries.values()) {
        const version = versionOf(entry, FROM_FILE);
        if (version !== undefined) found.set(entry.id, version);
      }
      for (const id of [...found.keys()]) {
        if (stopped() || !(await queue.run(() => keepFound(id)))) return;
      }
    },
  };
}
