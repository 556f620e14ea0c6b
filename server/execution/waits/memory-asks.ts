import type { Asker, Host, WaitFor } from '#engine';
import type { WaitAsk } from '#shared/wait.ts';
import type { Waits } from './wait-store.ts';

/** The longest that a run in memory waits for people, in milliseconds: its reader is there, or leaves. */
const LONGEST_MS = 600_000;

interface Deps {
  readonly waits: Pick<Waits, 'open' | 'answer' | 'close' | 'onAnswer'>;
  readonly host: Pick<Host, 'now' | 'timer'>;
}

interface Asked {
  readonly key: string;
  readonly what: WaitFor;
}

/**
 * Waits of runs that are only in memory.
 * MW1. A wait ends with its decision, at its time, or with its run; then it is closed for others too.
 */
export function createMemoryAsks({ waits, host }: Deps) {
  const looks = new Map<string, Set<() => void>>();
  waits.onAnswer((run) => {
    for (const look of looks.get(run) ?? []) look();
  });

  async function ask({ key, what }: Asked, by: Asker, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (what.kind === 'time') throw new Error('A wait for a time asks nobody.');
    const { run, flow, node } = by;
    const at = host.now();
    const until = Math.min(what.until ?? Number.POSITIVE_INFINITY, at + LONGEST_MS);
    const inMemory = { ...(what.ask as WaitAsk), inMemory: true as const };
    await waits.open({ run, key, node, flow, at, what: { ...what, until, ask: inMemory } });
    try {
      return await answered({ run, key, until }, signal);
    } finally {
      // The last one closes those that nobody decided.
      if (looks.get(run) === undefined) await waits.close(run);
    }
  }

  function answered(
    { run, key, until }: { readonly run: string; readonly key: string; readonly until: number },
    signal: AbortSignal,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const all = looks.get(run) ?? new Set();
      looks.set(run, all);
      const end = (settle: () => void): void => {
        if (!all.delete(look)) return;
        if (all.size === 0) looks.delete(run);
        stop();
        signal.removeEventListener('abort', leave);
        settle();
      };
      const leave = (): void => end(() => reject(signal.reason as Error));
      function look(): void {
        waits.answer(run, key).then(
          (answer) => {
            if (answer !== undefined) end(() => resolve(answer.value));
            else if (host.now() >= until) end(() => resolve(undefined));
          },
          (error: unknown) => end(() => reject(error as Error)),
        );
      }
      const stop = host.timer(until - host.now() + 1, look);
      signal.addEventListener('abort', leave, { once: true });
      all.add(look);
      look();
    });
  }

  return { ask };
}
