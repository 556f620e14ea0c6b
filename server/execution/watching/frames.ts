/** Limits of one websocket message; small enough that a slow connection shows progress. */
const FRAME_ITEMS = 1000;
const FRAME_LENGTH = 128 * 1024;
const REMEMBERED = 8;

/**
 * Makes websocket messages of items that are already text: one JSON array for many items. Clients that follow the same
 * run or feed are flushed one after the other with the same items; they share one buffer, which is made once.
 */
export function createFrames(): (items: string[]) => Buffer[] {
  const made: { items: readonly string[]; buffer: Buffer }[] = [];

  function frame(items: readonly string[]): Buffer {
    const known = made.find((other) => sameItems(other.items, items));
    if (known !== undefined) return known.buffer;
    const buffer = Buffer.from(`[${items.join(',')}]`);
    made.unshift({ items, buffer });
    if (made.length > REMEMBERED) made.pop();
    return buffer;
  }

  return (items) => split(items).map(frame);
}

function split(items: string[]): string[][] {
  const parts: string[][] = [];
  let start = 0;
  let length = 0;
  items.forEach((item, i) => {
    const full = i - start >= FRAME_ITEMS || (i > start && length + item.length > FRAME_LENGTH);
    if (full) {
      parts.push(items.slice(start, i));
      start = i;
      length = 0;
    }
    length += item.length;
  });
  parts.push(start === 0 ? items : items.slice(start));
  return parts;
}

function sameItems(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a[0] === b[0] && a.every((item, i) => item === b[i]);
}
