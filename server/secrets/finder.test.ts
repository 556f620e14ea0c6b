import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFinder } from './finder.ts';

/** The same by trying every word at every place. */
function replaceSlowly(text: string, words: readonly string[], by: string): string {
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  let result = '';
  for (let at = 0; at < text.length; ) {
    const word = longestFirst.find((one) => text.startsWith(one, at));
    result += word === undefined ? text.charAt(at) : by;
    at += word?.length ?? 1;
  }
  return result;
}

test('it finds what trying every word at every place finds', () => {
  const unit = fc.constantFrom('a', 'b', 'ü', '\ud83d');
  const words = fc.array(fc.string({ unit, minLength: 4, maxLength: 8 }), { maxLength: 8 });
  const keeps = fc.property(words, fc.string({ unit, maxLength: 60 }), (all, text) => {
    const finder = createFinder();
    for (const word of all) finder.add(word);
    expect(finder.replace(text, '*')).toBe(replaceSlowly(text, all, '*'));
  });
  fc.assert(keeps, { seed: 1, numRuns: 2000 });
});

test('a word that begins another one does not hide it', () => {
  const finder = createFinder();
  for (const word of ['secret-1', 'secret-1-and-more']) finder.add(word);
  expect(finder.replace('a secret-1-and-more b secret-1 c', '*')).toBe('a * b * c');
});
