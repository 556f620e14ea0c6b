import { expect, it } from 'vitest';
import { reuseText } from './reuse-text.ts';

it.each([
  [
    { hit: true, reason: 'same-input', ageMs: 5000, run: 'r1' },
    'Reused from run r1, 5 s old: the inputs are the same.',
  ],
  [{ hit: true, reason: 'same-key' }, 'Reused from an earlier run: the key is the same.'],
  [{ hit: false, reason: 'other-input' }, 'Not reused: the inputs differ from those of stored outputs.'],
  [{ hit: false, reason: 'expired' }, 'Not reused: the stored output has expired.'],
  [{ hit: false, reason: 'something new' }, 'Not reused: something new.'],
])('says of %j: %s', (note, text) => {
  expect(reuseText(note)).toBe(text);
});
