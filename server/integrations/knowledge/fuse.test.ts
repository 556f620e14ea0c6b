import { describe, expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { fuse, type Ranked } from './fuse.ts';

const ranked = (ids: readonly number[]): Ranked[] => ids.map((id, at) => ({ id, score: 100 - at }));
const fusedIds = (words: readonly number[], meaning: readonly number[], limit = 1000): number[] =>
  fuse({ words: ranked(words), meaning: ranked(meaning) }, limit).map(({ id }) => id);
/** The rank from 1; a rank beyond the end for a missing chunk. */
const placeOf = (list: readonly number[], id: number): number =>
  list.includes(id) ? list.indexOf(id) + 1 : Number.POSITIVE_INFINITY;

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 25 });

describe('fusion', () => {
  test('ranks no chunk below twice its best rank, and neither loses nor repeats a chunk', () => {
    fc.assert(
      fc.property(ids, ids, (words, meaning) => {
        const fused = fusedIds(words, meaning);
        expect([...fused].sort()).toEqual([...new Set([...words, ...meaning])].sort());
        for (const id of fused) {
          const best = Math.min(placeOf(words, id), placeOf(meaning, id));
          expect(placeOf(fused, id)).toBeLessThanOrEqual(2 * best);
        }
        expect(fusedIds(words, meaning, 5)).toEqual(fused.slice(0, 5));
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the order of rankings that agree, and of a single ranking', () => {
    fc.assert(
      fc.property(ids, (list) => {
        expect(fusedIds(list, list)).toEqual(list);
        expect(fusedIds(list, [])).toEqual(list);
        expect(fusedIds([], list)).toEqual(list);
      }),
      { numRuns: 100 },
    );
  });

  test('has scores from 1 down that never rise', () => {
    fc.assert(
      fc.property(ids, ids, (words, meaning) => {
        const scores = fuse({ words: ranked(words), meaning: ranked(meaning) }, 100).map(
          ({ score }) => score,
        );
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('alternates between rankings without a common chunk, since neither is known to be better', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (length) => {
        const words = Array.from({ length }, (_, n) => 1 + n);
        const meaning = Array.from({ length }, (_, n) => 101 + n);
        const fused = fusedIds(words, meaning);
        for (const list of [words, meaning])
          for (const [at, id] of list.entries())
            expect([2 * at + 1, 2 * at + 2]).toContain(placeOf(fused, id));
      }),
      { numRuns: 20 },
    );
  });

  test('keeps the first chunk of one ranking, though the other has all chunks but this one', () => {
    const noise = [11, 12, 13, 14, 15];
    expect(placeOf(fusedIds([7, ...noise], noise), 7)).toBe(2);
    expect(placeOf(fusedIds(noise, [7, ...noise]), 7)).toBe(2);
  });
});

/** Reproducible pseudo-random numbers. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** A ranking of 20 with chunk 0 at this rank, or without it; both rankings draw the other chunks from one pool. */
function script(place: number | undefined, random: () => number): number[] {
  const pool = Array.from({ length: 40 }, (_, n) => n + 1);
  const list = Array.from(
    { length: 20 },
    () => pool.splice(Math.floor(random() * pool.length), 1)[0] as number,
  );
  if (place !== undefined) list.splice(place - 1, 1, 0);
  return list;
}

const QUESTIONS = 400;
const draw = (from: number, to: number) => (random: () => number) =>
  from + Math.floor(random() * (to - from + 1));
/** The ranks of the right chunk in both rankings. */
const SCRIPTS = {
  'both are good': [draw(1, 3), draw(1, 3)],
  'words are good, meaning is not': [draw(1, 3), draw(10, 20)],
  'meaning is good, words are not': [draw(8, 20), draw(1, 3)],
  'only words find it, first': [draw(1, 1), () => undefined],
  'only meaning finds it, first': [() => undefined, draw(1, 1)],
  'both are middling': [draw(1, 10), draw(1, 10)],
  'one finds it, then the other': [
    (random: () => number) => (random() < 0.5 ? 1 : undefined),
    (random: () => number) => 1 + Math.floor(random() * 6),
  ],
} as const;

/** The median rank of the right chunk. */
function medianPlace(lists: readonly (readonly number[])[]): number {
  const places = lists.map((list) => placeOf(list, 0)).sort((a, b) => a - b);
  return places[Math.floor(places.length / 2)] as number;
}

/** This cannot hold for every single question: two rankings without a common chunk have each rank twice. */
test.each(Object.entries(SCRIPTS))(
  'the median of scripted rankings is at most one rank below the better one: %s',
  (_name, [words, meaning]) => {
    const random = numbers(7);
    const asked = Array.from({ length: QUESTIONS }, () => ({
      words: script(words(random), random),
      meaning: script(meaning(random), random),
    }));
    const better = Math.min(
      medianPlace(asked.map((one) => one.words)),
      medianPlace(asked.map((one) => one.meaning)),
    );
    expect(medianPlace(asked.map((one) => fusedIds(one.words, one.meaning)))).toBeLessThanOrEqual(better + 1);
  },
);
