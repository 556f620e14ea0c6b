import { tellingWords } from '#shared/everyday-words.ts';

/** Writing without blanks between words; the index takes each character as a word there. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
/** A word, or words joined by what names and numbers have in them: `ERR-42`, `weft.db`. */
const TERM = /[\p{L}\p{N}_]+(?:[-._/:@'’][\p{L}\p{N}_]+)*/gu;
/** More words than a question has; a pasted page would make the search slow. */
const MAX_TERMS = 64;

/** A text as it is put into the index. */
export function indexed(text: string): string {
  return text.replaceAll(UNSPACED, ' $& ');
}

/** A question in the language of the index: any of its words. Undefined if it has none. */
export function matchOf(question: string): string | undefined {
  const terms = termsOf(question);
  return terms.length === 0 ? undefined : terms.map((term) => `"${indexed(term).trim()}"`).join(' OR ');
}

/** Telling words of a question, each once; runs of unspaced writing as pairs of characters. */
export function termsOf(question: string): string[] {
  const terms = new Set<string>();
  const words = question.match(TERM) ?? [];
  const telling = tellingWords(words);
  // A question of nothing but everyday words is asked with these.
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

/** Those terms that texts have, as the index compares them: without case and accents, whole words, words of a term side by side. */
export function matchedTerms(terms: readonly string[], texts: readonly string[]): string[] {
  const all = texts.map((text) => ` ${wordsOf(text).join(' ')} `).join('\n');
  return terms.filter((term) => all.includes(` ${wordsOf(term).join(' ')} `));
}

/** The words of a text in their order, as an index compares them. */
export function wordsOf(text: string): string[] {
  const plain = indexed(text).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
}
