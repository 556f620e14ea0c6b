/** The beginning of a value, for places with one line for it. */
export interface ValueHead {
  /** Its kind and how much of it there is: `list of 3 items`, `text of 120 characters`. */
  readonly kind: string;
  /** The first characters of its JSON, or of a text. */
  readonly head: string;
}

const LENGTH = 120;

/** Reads only as far into the value as the head needs it: values may have millions of items. */
export function valueHead(value: unknown, length = LENGTH): ValueHead {
  const large = largeOf(value);
  if (large) return { kind: `${bytes(large.size)}, not kept`, head: cut(large.preview, length) };
  if (typeof value === 'string')
    return {
      kind: value.length <= length ? 'text' : `text of ${count(value.length, 'character')}`,
      head: cut(value, length),
    };
  if (Array.isArray(value))
    return { kind: `list of ${count(value.length, 'item')}`, head: json(value, length) };
  if (typeof value === 'object' && value !== null)
    return { kind: `object with ${count(Object.keys(value).length, 'field')}`, head: json(value, length) };
  if (value === undefined || value === null) return { kind: 'nothing', head: 'null' };
  return { kind: typeof value, head: String(value as number | boolean) };
}

/** How many items a value has; undefined if it is no list. */
export function listLength(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

interface Large {
  readonly size: number;
  readonly preview: string;
}

/** The stand-in that a run keeps for a value that is too large. */
function largeOf(value: unknown): Large | undefined {
  const large = (value as { $large?: Partial<Large> } | null | undefined)?.$large;
  return typeof large?.size === 'number' ? { size: large.size, preview: large.preview ?? '' } : undefined;
}

function count(n: number, one: string): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : `${one}s`}`;
}

function bytes(size: number): string {
  return size < 1_000_000 ? `${Math.round(size / 1000)} kB` : `${Number((size / 1_000_000).toFixed(1))} MB`;
}

function cut(text: string, length: number): string {
  const line = text.slice(0, length).replaceAll(/\s+/g, ' ').trim();
  return text.length > length ? `${line}…` : line;
}

/** JSON until it is long enough. */
function json(value: unknown, length: number): string {
  let text = '';
  const isLong = (): boolean => text.length > length;
  const write = (part: unknown): void => {
    if (isLong()) return;
    if (Array.isArray(part)) writeAll('[]', part, write);
    else if (typeof part === 'object' && part !== null)
      writeAll('{}', Object.keys(part), (key) => {
        text += `${JSON.stringify(key)}: `;
        write((part as Record<string, unknown>)[key as string]);
      });
    else text += typeof part === 'string' ? JSON.stringify(part.slice(0, length)) : String(part);
  };
  const writeAll = (marks: string, items: readonly unknown[], each: (item: unknown) => void): void => {
    text += marks[0];
    for (const [i, item] of items.entries()) {
      if (isLong()) return;
      if (i > 0) text += ', ';
      each(item);
    }
    text += marks[1];
  };
  write(value);
  return cut(text, length);
}
