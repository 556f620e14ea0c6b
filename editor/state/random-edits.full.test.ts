import { test } from 'vitest';
import { editAtRandom } from './testing/random-edits.ts';

test.each([1, 2, 3])(
  '%i. time: 2,000 random edits keep document, drawing and file the same, and every step can be undone',
  (seed) => editAtRandom(seed, 2_000),
);
