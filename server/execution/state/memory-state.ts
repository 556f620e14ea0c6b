import { checkKey, encodeState, endOf, ONCE_MS, type StateStore, sumOf, SWEEP_EVERY } from './state-store.ts';

interface Entry {
  readonly json: string;
  /** Unix milliseconds; undefined for never. */
  readonly end: number | undefined;
}

/** State that lives as long as the process, when there is no data folder. */
export function createMemoryState(now: () => number): StateStore {
  const values = new Map<string, Entry>();
  const added = new Map<string, Entry>();
  let writes = 0;

  function read(entries: Map<string, Entry>, name: string): unknown {
    const entry = entries.get(name);
    return entry === undefined || isOver(entry) ? undefined : (JSON.parse(entry.json) as unknown);
  }

  const isOver = ({ end }: Entry): boolean => end !== undefined && end <= now();

  function sweep(): void {
    if (++writes % SWEEP_EVERY !== 0) return;
    for (const entries of [values, added]) {
      for (const [name, entry] of entries) if (isOver(entry)) entries.delete(name);
    }
  }

  return {
    async get(scope, key) {
      checkKey(key);
      return read(values, nameOf(scope, key));
    },
    async set(scope, key, value, { ttlMs } = {}) {
      checkKey(key);
      const name = nameOf(scope, key);
      if (value === undefined) values.delete(name);
      else values.set(name, { json: encodeState(key, value), end: endOf(now(), ttlMs) });
      sweep();
    },
    async add(scope, key, by, { ttlMs, once } = {}) {
      checkKey(key);
      const name = nameOf(scope, key);
      const known = once === undefined ? undefined : read(added, `${name} ${once}`);
      if (known !== undefined) return known as number;
      const before = read(values, name);
      const sum = sumOf(key, before, by);
      const end = before === undefined ? endOf(now(), ttlMs) : values.get(name)?.end;
      values.set(name, { json: JSON.stringify(sum), end });
      if (once !== undefined) {
        added.set(`${name} ${once}`, { json: JSON.stringify(sum), end: now() + ONCE_MS });
      }
      sweep();
      return sum;
    },
  };
}

/** A scope contains no space. */
function nameOf(scope: string, key: string): string {
  return `${scope} ${key}`;
}
