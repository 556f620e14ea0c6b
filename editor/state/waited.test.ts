import { expect, test } from 'vitest';
import { waitedMs } from './waited.ts';

const wait = (from: number, to?: number) => ({ node: 'n', from, to });

test.each([
  ['none', [], 0],
  ['one', [wait(10, 30)], 20],
  ['one that goes on', [wait(10)], 90],
  ['two, one after the other', [wait(10, 20), wait(50, 60)], 20],
  ['two at once count once', [wait(10, 60), wait(30, 80), wait(40, 50)], 70],
])('the time of waits: %s', (_, waits, ms) => {
  expect(waitedMs(waits, 100)).toBe(ms);
});
