/** Deeper parts are not looked at; whoever writes the value refuses them. */
const MAX_DEPTH = 250;
/** Small parts of scalars are sooner counted again than remembered. */
const SMALL = 16;

interface Count {
  left: number;
  /** What parts come to that hold others; 0 while they are counted. */
  readonly known: Map<object, number>;
}

/**
 * Whether a value has more than `limit` characters as JSON. Counts a part that is held in many places once, and stops where the
 * limit is reached: a few lists that hold each other twice can stand for more text than there is memory, and walking through
 * all of it takes as long. Never says so of a value that has fewer; what is no JSON counts for little. Throws what reading throws.
 */
export function isLongerJson(value: unknown, limit: number): boolean {
  const count: Count = { left: limit + 1, known: new Map() };
  add(count, value, 0);
  return count.left < 0;
}

/** Counts a value with the comma that follows it. */
function add(count: Count, value: unknown, depth: number): void {
  switch (typeof value) {
    case 'string':
      count.left -= value.length + 3;
      return;
    case 'object':
      if (value === null) count.left -= 5;
      else if (depth <= MAX_DEPTH) addObject(count, value, depth + 1);
      return;
    default:
      count.left -= 2;
  }
}

function addObject(count: Count, value: object, depth: number): void {
  const before = count.known.get(value);
  if (before !== undefined) {
    count.left -= before;
    return;
  }
  const start = count.left;
  // One bracket and a comma: where there are parts, the comma of the last one stands for the other bracket.
  count.left -= 2;
  if (ArrayBuffer.isView(value)) return;
  const parts = Array.isArray(value) ? addItems(count, value, depth) : addFields(count, value, depth);
  if (parts > SMALL || count.known.has(value)) count.known.set(value, start - count.left);
}

function addItems(count: Count, list: readonly unknown[], depth: number): number {
  for (let i = 0; i < list.length && count.left >= 0; i++) addPart(count, list, list[i], depth);
  return list.length;
}

function addFields(count: Count, record: object, depth: number): number {
  const keys = Object.keys(record);
  for (let i = 0; i < keys.length && count.left >= 0; i++) {
    const key = keys[i] as string;
    const field = (record as Readonly<Record<string, unknown>>)[key];
    if (field === undefined) continue;
    count.left -= key.length + 3;
    addPart(count, record, field, depth);
  }
  return keys.length;
}

/** What holds another one may hold itself, so it is known from there on. */
function addPart(count: Count, holder: object, part: unknown, depth: number): void {
  if (typeof part === 'object' && part !== null && !count.known.has(holder)) count.known.set(holder, 0);
  add(count, part, depth);
}
