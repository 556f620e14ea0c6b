/** Where a text occurs in a value: in names of fields, and in texts, numbers and words. */
export interface ValueHits {
  readonly count: number;
  /** The search ended before it had seen everything. */
  readonly isCut: boolean;
  /** The paths of all hits and of what is around them, as JSON. */
  readonly shown: ReadonlySet<string>;
}

type Path = readonly (string | number)[];

const MOST_HITS = 500;
/** Parts of a value that are looked at: a second of work at most. */
const MOST_PARTS = 300_000;

/** Looks without regard to upper case; works without recursion, so that deep values do no harm. */
export function searchValue(value: unknown, query: string): ValueHits {
  const wanted = query.toLowerCase();
  const shown = new Set<string>();
  let [count, seen] = [0, 0];
  const open: { readonly path: Path; readonly value: unknown }[] = [{ path: [], value }];
  while (open.length > 0 && count < MOST_HITS && seen < MOST_PARTS) {
    const { path, value: part } = open.pop() as (typeof open)[number];
    seen++;
    if (isHit(path.at(-1), part, wanted)) {
      count++;
      for (let end = path.length; end >= 0; end--) shown.add(JSON.stringify(path.slice(0, end)));
    }
    if (typeof part !== 'object' || part === null) continue;
    const inner = Object.entries(part);
    for (let i = Math.min(inner.length, MOST_PARTS) - 1; i >= 0; i--) {
      const [key, child] = inner[i] as [string, unknown];
      open.push({ path: [...path, Array.isArray(part) ? Number(key) : key], value: child });
    }
  }
  return { count, isCut: open.length > 0, shown };
}

function isHit(key: string | number | undefined, value: unknown, wanted: string): boolean {
  if (typeof key === 'string' && key.toLowerCase().includes(wanted)) return true;
  if (typeof value === 'string') return value.toLowerCase().includes(wanted);
  return (typeof value === 'number' || typeof value === 'boolean') && `${value}`.includes(wanted);
}
