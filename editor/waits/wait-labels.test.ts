import { expect, test } from 'vitest';
import { endWords, expiryWords } from './wait-labels.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const left = (ms: number) => expiryWords({ expiresAt: new Date(now + ms).toISOString() }, now);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [-1, 'no time left'],
  [0, 'no time left'],
  [59 * SECOND, 'less than a minute left'],
  [MINUTE, '1 min left'],
  [59 * MINUTE + 59 * SECOND, '59 min left'],
  [HOUR, '1 h left'],
  [3 * DAY - SECOND, '72 h left'],
  [4 * DAY - SECOND, '4 days left'],
  [30 * DAY, '30 days left'],
])('%i ms before the end there is “%s”', (ms, words) => {
  expect(left(ms)).toBe(words);
});

test('where there is always time nothing is said of it', () => {
  expect(expiryWords({ expiresAt: undefined }, now)).toBeUndefined();
});

test('an open question has not ended; one that was decided says by whom, when and why', () => {
  const at = new Date(now - 2 * HOUR).toISOString();
  const decided = (comment: string) => ({
    status: 'decided' as const,
    decision: { by: 'Ada', decision: 'approved' as const, via: 'session' as const, at, comment },
  });
  expect(endWords({ status: 'open' }, now)).toBeUndefined();
  expect(endWords(decided(''), now)).toBe('Ada approved it 2 hr. ago.');
  expect(endWords(decided('It is fine'), now)).toBe('Ada approved it 2 hr. ago: “It is fine”');
  expect(endWords({ status: 'expired' }, now)).toMatch(/time to decide is over/);
  expect(endWords({ status: 'void' }, now)).toMatch(/run is over/);
});
