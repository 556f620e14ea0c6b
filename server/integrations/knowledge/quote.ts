/** The longest quote, in characters. */
const MAX = 300;
/** The end of a sentence. */
const END = /[.!?…]["'”’)\]]*\s+|[。！？]|\n+/g;

/** The sentence of a text with most of these words, verbatim, with the following sentences that still fit. */
export function quoteOf(text: string, terms: readonly string[]): string {
  const sentences = sentencesOf(text);
  let best = 0;
  let most = -1;
  for (const [at, { start, end }] of sentences.entries()) {
    const sentence = text.slice(start, end).toLowerCase();
    const count = terms.filter((term) => sentence.includes(term)).length;
    // A heading is no answer, unless no sentence matches as well.
    const worth = count - (sentence.startsWith('#') ? 0.5 : 0);
    if (worth > most) [best, most] = [at, worth];
  }
  const start = sentences[best]?.start ?? 0;
  let end = sentences[best]?.end ?? text.length;
  for (const next of sentences.slice(best + 1)) {
    if (next.end - start > MAX) break;
    end = next.end;
  }
  return cut(text.slice(start, end).trim());
}

function sentencesOf(text: string): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = [];
  let start = 0;
  const add = (end: number): void => {
    if (text.slice(start, end).trim() !== '') sentences.push({ start, end });
    start = end;
  };
  for (const found of text.matchAll(END)) add(found.index + found[0].length);
  add(text.length);
  return sentences;
}

function cut(text: string): string {
  if (text.length <= MAX) return text;
  const room = text.slice(0, MAX);
  const last = room.lastIndexOf(' ');
  return last > MAX / 2 ? room.slice(0, last) : room.toWellFormed().replace(/\uFFFD$/, '');
}
