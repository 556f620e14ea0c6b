import type { CachePlace, KeptOutput, OutputCache } from '#engine';

/** The most nodes remembered as having stored an output. */
const MAX_PLACES = 10_000;

/** Outputs in memory. Above `maxBytes` the least recently used ones are removed first. */
export function createOutputCache(maxBytes: number): OutputCache {
  /** In the order of their last use, which a Map preserves. */
  const entries = new Map<string, { readonly entry: KeptOutput; readonly bytes: number }>();
  let used = 0;
  /** The definition of each node that has stored outputs, the latest last. */
  const places = new Map<string, string>();
  const nameOf = ({ flow, node }: CachePlace): string => `${flow} ${node}`;

  function remove(key: string): void {
    used -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    get(key, place) {
      const found = entries.get(key);
      const known = places.get(nameOf(place));
      if (!found && known === undefined) return undefined;
      if (!found) return { missing: known === place.definition ? 'other-input' : 'node-changed' };
      entries.delete(key);
      entries.set(key, found);
      return found.entry;
    },
    set(key, entry, bytes, place) {
      remove(key);
      // One output must not evict all others.
      if (bytes > maxBytes / 10) return false;
      entries.set(key, { entry, bytes });
      places.delete(nameOf(place));
      places.set(nameOf(place), place.definition);
      const [oldestPlace] = places.keys();
      if (places.size > MAX_PLACES && oldestPlace !== undefined) places.delete(oldestPlace);
      used += bytes;
      for (const oldest of entries.keys()) {
        if (used <= maxBytes) break;
        remove(oldest);
      }
      return true;
    },
  };
}
