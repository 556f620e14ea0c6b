/** Finds many words in texts at once; the time for a text hardly depends on the number of words. */
export interface Finder {
  /** A word of at least `MIN_WORD` characters. */
  add(word: string): void;
  /** The first word at or after `from`; the longest one if several start at one place. */
  find(text: string, from: number): Found | undefined;
  /** The text with each of the words replaced; the same text if there is none. */
  replace(text: string, by: string): string;
  /**
   * The start of the end of the text that is the beginning of a word, with `least` characters or more (at least two);
   * -1 if there is none.
   */
  beginning(text: string, least: number): number;
  /** Length of the longest word. */
  readonly longest: number;
}

/** The place of a secret in a text, in UTF-16 units. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

export const MIN_WORD = 6;
/** Characters that are looked at together. */
const BLOCK = 3;
const MAX_SHIFT = MIN_WORD - BLOCK + 1;
/** Table entries for each block of a word: the emptier the table, the further a search can skip. */
const PLACES = 16;
const MIN_TABLE = 1 << 10;
const MAX_TABLE = 1 << 20;

export function createFinder(): Finder {
  return new BlockFinder();
}

/**
 * After Wu and Manber: only the last three characters of each window of `MIN_WORD` are read. A table contains the distance
 * to the next place where they could be in the beginning of a word, so that most characters of a text
 * are never read. It is built at the first search after words were added.
 */
class BlockFinder implements Finder {
  longest = 0;
  /** Words by their first `MIN_WORD` characters, the longest first. */
  private readonly byHead = new Map<string, string[]>();
  private blocks = 0;
  private shifts: Uint8Array | undefined = undefined;
  /** The hashes of two characters that some word starts with. */
  private readonly pairs = new Uint8Array(1 << 12);

  add(word: string): void {
    const head = word.slice(0, MIN_WORD);
    const words = new Set(this.byHead.get(head)).add(word);
    if (!this.byHead.has(head)) this.blocks += MAX_SHIFT;
    this.byHead.set(
      head,
      [...words].sort((a, b) => b.length - a.length),
    );
    this.pairs[pairAt(word, 0)] = 1;
    this.longest = Math.max(this.longest, word.length);
    this.shifts = undefined;
  }

  find(text: string, from: number): Found | undefined {
    const shifts = (this.shifts ??= this.build());
    const mask = shifts.length - 1;
    const { length } = text;
    let at = from + MIN_WORD - BLOCK;
    while (at <= length - BLOCK) {
      const shift = shifts[blockAt(text, at) & mask] as number;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at + BLOCK - MIN_WORD;
      const word = this.wordAt(text, start);
      if (word !== undefined) return { start, end: start + word.length };
      at++;
    }
    return undefined;
  }

  replace(text: string, by: string): string {
    if (text.length < MIN_WORD) return text;
    let found = this.find(text, 0);
    if (found === undefined) return text;
    let result = '';
    let done = 0;
    for (; found !== undefined; found = this.find(text, done)) {
      result += text.slice(done, found.start) + by;
      done = found.end;
    }
    return result + text.slice(done);
  }

  beginning(text: string, least: number): number {
    const { length } = text;
    for (let at = Math.max(0, length - this.longest + 1); at <= length - least; at++) {
      if (this.pairs[pairAt(text, at)] === 0) continue;
      if (this.beginsAWord(text.slice(at))) return at;
    }
    return -1;
  }

  private beginsAWord(end: string): boolean {
    if (end.length >= MIN_WORD)
      return this.byHead.get(end.slice(0, MIN_WORD))?.some((word) => word.startsWith(end)) ?? false;
    for (const head of this.byHead.keys()) if (head.startsWith(end)) return true;
    return false;
  }

  private wordAt(text: string, at: number): string | undefined {
    return this.byHead.get(text.slice(at, at + MIN_WORD))?.find((word) => text.startsWith(word, at));
  }

  private build(): Uint8Array {
    let size = MIN_TABLE;
    while (size < this.blocks * PLACES && size < MAX_TABLE) size *= 2;
    const shifts = new Uint8Array(size).fill(MAX_SHIFT);
    for (const head of this.byHead.keys()) {
      for (let i = 0; i < MAX_SHIFT; i++) {
        const place = blockAt(head, i) & (size - 1);
        shifts[place] = Math.min(shifts[place] as number, MAX_SHIFT - 1 - i);
      }
    }
    return shifts;
  }
}

function blockAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) * 0x9e3) ^ (text.charCodeAt(at + 1) * 0x3d4d) ^ (text.charCodeAt(at + 2) * 0x1f123)
  );
}

function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) & 0xfff;
}
