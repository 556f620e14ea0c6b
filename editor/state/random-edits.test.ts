import { test } from 'vitest';
import { editAtRandom } from './testing/random-edits.ts';

// Other ones are in `random-edits.full.test.ts`.
test('2,000 random edits keep document, drawing and file the same, and every step can be undone', () =>
  editAtRandom(1));
