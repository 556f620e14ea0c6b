/** A piece of a hit's text. */
export interface Piece {
  readonly text: string;
  /** Where it begins. */
  readonly at: number;
  readonly isQuote: boolean;
  /** A word of the question. */
  readonly isWord: boolean;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Cuts a text where the quote and the matched words begin and end; the pieces together are the text. */
export function marksOf(text: string, quote: string, matched: readonly string[]): Piece[] {
  const from = quote === '' ? -1 : text.indexOf(quote);
  const quoted = from === -1 ? [0, 0] : [from, from + quote.length];
  const [start = 0, end = 0] = quoted;
  const words = wordSpans(text, matched);
  const cuts = [...new Set([0, start, end, ...words.flat(), text.length])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((at, n) => ({
    text: text.slice(at, cuts[n + 1]),
    at,
    isQuote: at >= start && at < end,
    isWord: words.some(([first, last]) => at >= first && at < last),
  }));
}

function wordSpans(text: string, matched: readonly string[]): (readonly [number, number])[] {
  const parts = matched.flatMap((term) => term.match(WORD) ?? []).map(plain);
  const wanted = new Set(parts);
  const spaced = [...text.matchAll(WORD)]
    .filter(([word]) => wanted.has(plain(word)))
    .map((found) => [found.index, found.index + found[0].length] as const);
  // Writing without blanks is one run, in which words are found as they are.
  const within = parts.filter((part) => UNSPACED.test(part)).flatMap((part) => spansOf(text, part));
  return [...spaced, ...within];
}

function spansOf(text: string, part: string): (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length))
    spans.push([at, at + part.length]);
  return spans;
}

/** As the index compares words: without case and accents. */
function plain(word: string): string {
  return word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
