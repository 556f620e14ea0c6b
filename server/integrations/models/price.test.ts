import { expect, test } from 'vitest';
import { costOf } from './price.ts';

const usage = { inputTokens: 1000, outputTokens: 500, cachedTokens: 400 };

test.each([
  ['without prices there is no cost', undefined, undefined],
  ['input and output have a price each', { input: 2, output: 8 }, (1000 * 2 + 500 * 8) / 1e6],
  [
    'cached input has its own price',
    { input: 2, output: 8, cached: 0.5 },
    (600 * 2 + 400 * 0.5 + 500 * 8) / 1e6,
  ],
  ['a price of 0 is a price', { input: 0, output: 0 }, 0],
])('%s', (_, prices, cost) => {
  expect(costOf(prices, usage)).toBe(cost);
});
