import { expect, test } from 'vitest';
import { createLateness, watchLoop } from './loop-load.ts';

test('one long pause is no overload, two bad samples in a row are, and a good one ends it', () => {
  const lateness = createLateness(500);
  const late = [2000, 10, 600, 600, 600, 20].map((delay) => {
    lateness.sample(delay);
    return lateness.late;
  });
  expect(late).toEqual([false, false, false, true, true, false]);
});

test('a process that has just started is not late', () => {
  const load = watchLoop();
  expect(load.late).toBe(false);
  load.close();
});
