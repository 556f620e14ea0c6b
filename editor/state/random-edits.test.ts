import { test } from 'vitest';
import { editAtRandom } from './testing/random-edits.ts';

// More are in `random-edits.full.test.ts`.
test('500 random edits keep document, drawing and file the same, and every step can be undone', () =>
  editAtRandom(1, 500));
