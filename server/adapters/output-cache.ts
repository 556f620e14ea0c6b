import type { OutputCache } from '#engine';

type Entry = NonNullable<ReturnType<OutputCache['get']>>;

/** Outputs in memory. Above `maxBytes` the least recently used ones are removed first. */
export function createOutputCache(maxBytes: number): OutputCache {
  /** In the order of their last use, which a Map preserves. */
  const entries = new Map<string, { readonly entry: Entry; readonly bytes: number }>();
  let used = 0;

  function remove(key: string): void {
    used -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const found = entries.get(key);
      if (!found) return undefined;
      entries.delete(key);
      entries.set(key, found);
      return found.entry;
    },
    set(key, entry, bytes) {
      remove(key);
      // One output must not evict all others.
      if (bytes > maxBytes / 10) return false;
      entries.set(key, { entry, bytes });
      used += bytes;
      for (const oldest of entries.keys()) {
        if (used <= maxBytes) break;
        remove(oldest);
      }
      return true;
    },
  };
}
