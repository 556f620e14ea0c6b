import type { OpenWait, WaitStore } from '../durable-runs.ts';

/** A wait store in memory, for tests. */
export interface MemoryWaits extends WaitStore {
  readonly open_: ReadonlyMap<string, OpenWait>;
  decide(run: string, key: string, value: unknown): void;
}

export function createMemoryWaits(): MemoryWaits {
  const waits = new Map<string, OpenWait>();
  const decisions = new Map<string, { value: unknown }>();
  const listeners: ((run: string) => void)[] = [];
  const nameOf = (run: string, key: string): string => `${run} ${key}`;
  return {
    open_: waits,
    async open(wait) {
      const name = nameOf(wait.run, wait.key);
      if (!waits.has(name)) waits.set(name, wait);
    },
    answer: async (run, key) => decisions.get(nameOf(run, key)),
    async close(run) {
      for (const [name, wait] of waits) if (wait.run === run) waits.delete(name);
    },
    async forget(run) {
      await this.close(run);
      for (const name of decisions.keys()) if (name.startsWith(`${run} `)) decisions.delete(name);
    },
    onAnswer: (fn) => void listeners.push(fn),
    decide(run, key, value) {
      decisions.set(nameOf(run, key), { value });
      for (const listener of listeners) listener(run);
    },
  };
}
