import { expect, test } from 'vitest';
import { barsOf, chartWords, dollarsText, firstDay, tokensText } from './usage-numbers.ts';

const NOW = Date.parse('2026-03-02T23:59:59Z');

test('the chart has a bar for each day, across the end of a month', () => {
  const since = firstDay(NOW, 4);
  expect(since).toBe('2026-02-27');
  const tokens = { input: 10, output: 5, cached: 3 };
  const rows = [{ name: '2026-03-01', calls: 1, tokens, cost: 0.5, unpriced: 0 }];
  expect(barsOf(rows, since, NOW)).toEqual([
    { day: '2026-02-27', tokens: 0, cost: 0 },
    { day: '2026-02-28', tokens: 0, cost: 0 },
    { day: '2026-03-01', tokens: 15, cost: 0.5 },
    { day: '2026-03-02', tokens: 0, cost: 0 },
  ]);
});

test('numbers are short, and small sums keep their digits', () => {
  expect(tokensText(1_234_567)).toBe('1.2M');
  expect([dollarsText(2.5), dollarsText(0.0042)]).toEqual(['$2.50', '$0.0042']);
  const bar = { day: '2026-03-01', tokens: 15, cost: 0 };
  expect(chartWords([{ ...bar, day: '2026-02-28', tokens: 3 }, bar])).toBe(
    'Tokens of 2 days; most on 2026-03-01: 15.',
  );
});
