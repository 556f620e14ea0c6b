import { expect, test } from 'vitest';
import { agoText, bytesText, countText, durationText } from './format.ts';

test('counts take the right word', () => {
  expect([countText(1, 'flow'), countText(0, 'flow'), countText(1234, 'entry', 'entries')]).toEqual([
    '1 flow',
    '0 flows',
    '1,234 entries',
  ]);
});

test('durations keep the digits that matter', () => {
  expect([0, 0.84, 12.3, 3_449, 125_000, 18_125_000, 274_000_000].map(durationText)).toEqual([
    '< 1 ms',
    '0.8 ms',
    '12 ms',
    '3.4 s',
    '2 min 5 s',
    '5 h 2 min',
    '3 d 4 h',
  ]);
});

test('times are told by their distance', () => {
  const now = Date.UTC(2026, 0, 31, 12);
  const ago = (ms: number): string => agoText(now - ms, now);
  expect([ago(5_000), ago(5 * 60_000), ago(3 * 3_600_000), ago(86_400_000)]).toEqual([
    'just now',
    '5 min. ago',
    '3 hr. ago',
    'yesterday',
  ]);
  expect(agoText(new Date(now - 120_000).toISOString(), now)).toBe('2 min. ago');
});

test('sizes are told in the unit that fits', () => {
  expect([12, 1_500, 5_250_000].map(bytesText)).toEqual(['12 B', '1.5 kB', '5.3 MB']);
});
