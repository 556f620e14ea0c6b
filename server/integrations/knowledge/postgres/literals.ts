import { termsOf, wordsOf } from '../words.ts';

/** Values that PostgreSQL parses from texts. */

/** The longest word that PostgreSQL stores; longer ones are left out. */
const MAX_WORD = 200;
/** The most characters of headings and names that are indexed; nobody searches by their end. */
const MAX_NAME_WORDS = 1000;
/** The last position that PostgreSQL distinguishes. */
const MAX_PLACE = 16_383;

export function arrayOf(values: Iterable<string | number>): string {
  const items = Array.from(values, (value) =>
    typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`,
  );
  return `{${items.join(',')}}`;
}

/**
 * The words of a chunk with their positions: headings have the weight A, the name B, the text D. This code, not PostgreSQL,
 * splits the words: the parser of PostgreSQL depends on the language of the database, and these words equal those of the embedded
 * store.
 */
export function termVector(text: string, heading: string, name: string): { vector: string; words: number } {
  const places = new Map<string, string[]>();
  let place = 0;
  const add = (words: readonly string[], weight: string): void => {
    for (const word of words) {
      place = Math.min(place + 1, MAX_PLACE);
      const known = places.get(word);
      if (known === undefined) places.set(word, [`${place}${weight}`]);
      else known.push(`${place}${weight}`);
    }
    // So that no phrase matches across both.
    place++;
  };
  add(wordsIn(heading).slice(0, MAX_NAME_WORDS), 'A');
  add(wordsIn(name).slice(0, MAX_NAME_WORDS), 'B');
  const words = wordsIn(text);
  add(words, '');
  const vector = [...places].map(([word, at]) => `'${word}':${at.join(',')}`).join(' ');
  return { vector, words: words.length };
}

/** The words of a question, each as a query of PostgreSQL; words that a sign joins must be adjacent in a text. */
export function termQueries(question: string): string[] {
  const queries = termsOf(question).map((term) =>
    wordsIn(term)
      .map((word) => `'${word}'`)
      .join(' <-> '),
  );
  return [...new Set(queries)].filter((query) => query !== '');
}

function wordsIn(text: string): string[] {
  return wordsOf(text).map((word) =>
    word.length > MAX_WORD ? word.slice(0, MAX_WORD).toWellFormed() : word,
  );
}
