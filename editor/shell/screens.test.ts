import { expect, test } from 'vitest';
import { SCREEN_GROUPS } from './screens.ts';

test('each screen has a letter of its own', () => {
  const letters = SCREEN_GROUPS.flatMap(({ screens }) => screens.map(({ letter }) => letter));
  expect(letters.filter((letter, at) => letters.indexOf(letter) !== at)).toEqual([]);
});
