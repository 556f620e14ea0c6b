import { fc } from '../../../tests/support/property.ts';
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
  const words = fc.array(fc.string({ unit, minLength: 6, maxLength: 10 }), { maxLength: 8 });
  const keeps = fc.property(words, fc.string({ unit, maxLength: 60 }), (all, text) => {
    const finder = createFinder();
    for (const word of all) finder.add(word);
    expect(finder.replace(text, '*')).toBe(replaceSlowly(text, all, '*'));
  });
  fc.assert(keeps, { numRuns: 2000 });
});

test('it finds where the beginning of a word stands at the end', () => {
  const unit = fc.constantFrom('a', 'b', 'c');
  const words = fc.array(fc.string({ unit, minLength: 6, maxLength: 12 }), { maxLength: 8 });
  const least = fc.integer({ min: 2, max: 8 });
  const keeps = fc.property(words, fc.string({ unit, maxLength: 30 }), least, (all, text, min) => {
    const finder = createFinder();
    for (const word of all) finder.add(word);
    const places = Array.from({ length: Math.max(0, text.length - min + 1) }, (_, at) => at);
    const begins = (at: number) =>
      all.some((word) => word.startsWith(text.slice(at)) && word.length > text.length - at);
    // A whole word at the end is found as such.
    const whole = all.some((word) => text.endsWith(word));
    if (!whole) expect(finder.beginning(text, min)).toBe(places.find(begins) ?? -1);
  });
  fc.assert(keeps, { numRuns: 2000 });
});

test('a word that begins another one does not hide it', () => {
  const finder = createFinder();
  for (const word of ['secret-1', 'secret-1-and-more']) finder.add(word);
  expect(finder.replace('a secret-1-and-more b secret-1 c', '*')).toBe('a * b * c');
});
