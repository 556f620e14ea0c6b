import { tellingWords } from '#shared/everyday-words.ts';

/** Scripts without blanks between words; the index treats each of their characters as a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
/** A word, or words joined by signs within names and numbers: `ERR-42`, `weft.db`. */
const TERM = /[\p{L}\p{N}_]+(?:[-._/:@'’][\p{L}\p{N}_]+)*/gu;
/** The most words of a question that are used; a pasted page would make the search slow. */
const MAX_TERMS = 64;

/** A text in the form in which it is indexed. */
export function indexed(text: string): string {
  return text.replaceAll(UNSPACED, ' $& ');
}

/** A question as a query of the index for any of its words. Undefined if it has none. */
export function matchOf(question: string): string | undefined {
  const terms = termsOf(question);
  return terms.length === 0 ? undefined : terms.map((term) => `"${indexed(term).trim()}"`).join(' OR ');
}

/** Significant words of a question, each once; scripts without blanks as pairs of characters. */
export function termsOf(question: string): string[] {
  const terms = new Set<string>();
  const words = question.match(TERM) ?? [];
  const telling = tellingWords(words);
  // A question of only everyday words is searched with these.
  for (const word of telling.length === 0 ? words : telling) {
    const lower = word.toLowerCase();
    for (const term of lower.match(UNSPACED) ? pairsOf(lower) : [lower]) terms.add(term);
    if (terms.size >= MAX_TERMS) break;
  }
  return [...terms];
}

function pairsOf(word: string): string[] {
  const characters = Array.from(word);
  if (characters.length < 3) return [word];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/**
 * The terms that occur in texts, compared like the index: ignoring case and accents, as whole words, with the words of a term
 * adjacent.
 */
export function matchedTerms(terms: readonly string[], texts: readonly string[]): string[] {
  const all = texts.map((text) => ` ${wordsOf(text).join(' ')} `).join('\n');
  return terms.filter((term) => all.includes(` ${wordsOf(term).join(' ')} `));
}

/** The words of a text in their order, as an index compares them. */
export function wordsOf(text: string): string[] {
  const plain = indexed(text).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
}
