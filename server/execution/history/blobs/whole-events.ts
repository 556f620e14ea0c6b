import type { LargeValue } from './run-values.ts';

/** Returns a large value's JSON; undefined if it is not stored. */
export type LoadValue = (hash: string) => Promise<string | undefined> | string | undefined;

const FIELDS = ['value', 'input', 'data'] as const;

/** The hashes of large values in the events, each once. */
export function namedValues(events: Iterable<unknown>): string[] {
  const hashes = new Set<string>();
  for (const event of events)
    for (const field of FIELDS) {
      const hash = hashIn((event as Partial<Record<string, unknown>>)[field]);
      if (hash !== undefined) hashes.add(hash);
    }
  return [...hashes];
}

/** The events with their large values whole, where these are stored. */
export async function wholeEvents<T extends object>(events: readonly T[], load: LoadValue): Promise<T[]> {
  const values = await loadValues(events, load);
  if (values.size === 0) return [...events];
  return events.map((event) => whole(event, values));
}

/** The values by hash, without those that are no longer stored. */
export async function loadValues(events: Iterable<unknown>, load: LoadValue): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  for (const hash of namedValues(events)) {
    const json = await load(hash);
    if (json !== undefined) values.set(hash, JSON.parse(json));
  }
  return values;
}

function whole<T extends object>(event: T, values: ReadonlyMap<string, unknown>): T {
  const fields = FIELDS.flatMap((field) => {
    const hash = hashIn((event as Partial<Record<string, unknown>>)[field]);
    return hash !== undefined && values.has(hash) ? [[field, values.get(hash)] as const] : [];
  });
  return fields.length === 0 ? event : { ...event, ...Object.fromEntries(fields) };
}

function hashIn(value: unknown): string | undefined {
  const { $large } = (value ?? {}) as Partial<LargeValue>;
  return typeof $large?.hash === 'string' ? $large.hash : undefined;
}
