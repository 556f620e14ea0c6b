/** Finds many words in texts at once; the time a text takes hardly depends on how many words there are. */
export interface Finder {
  /** A word of at least four characters. */
  add(word: string): void;
  /** The text with each of the words replaced, of several at one place the longest; the same text when there is none. */
  replace(text: string, by: string): string;
}

const HEAD = 4;
const TABLE = 1 << 16;

export function createFinder(): Finder {
  /** Which hashes of four characters some word begins with: sorts out nearly every place of a text. */
  const beginnings = new Uint8Array(TABLE);
  /** Words by their first four characters, the longest first. */
  const byHead = new Map<string, string[]>();

  function wordAt(text: string, at: number): string | undefined {
    return byHead.get(text.slice(at, at + HEAD))?.find((word) => text.startsWith(word, at));
  }

  return {
    add(word) {
      const head = word.slice(0, HEAD);
      beginnings[hashAt(word, 0)] = 1;
      const words = new Set(byHead.get(head)).add(word);
      byHead.set(
        head,
        [...words].sort((a, b) => b.length - a.length),
      );
    },
    replace(text, by) {
      let result = '';
      let done = 0;
      for (let at = 0; at <= text.length - HEAD; at++) {
        if (beginnings[hashAt(text, at)] === 0) continue;
        const word = wordAt(text, at);
        if (word === undefined) continue;
        result += text.slice(done, at) + by;
        done = at + word.length;
        at = done - 1;
      }
      return done === 0 ? text : result + text.slice(done);
    },
  };
}

function hashAt(text: string, at: number): number {
  const first = text.charCodeAt(at) + text.charCodeAt(at + 1) * 31;
  return (first + text.charCodeAt(at + 2) * 961 + text.charCodeAt(at + 3) * 29_791) & (TABLE - 1);
}
