import { expect, test } from 'vitest';
import { isEmptyFilter, searchOf } from './run-filter.ts';

const NOW = 1_800_000_000_000;

test('an address is read as what the server is asked', () => {
  const filter = {
    flow: 'shop',
    status: 'failed',
    source: 'http',
    time: 'day',
    until: '2026-11-01T08:00Z',
    code: 'timeout',
    text: 'x',
    value: 'v',
  };
  expect(searchOf(filter, NOW)).toEqual({
    flow: 'shop',
    status: 'failed',
    source: 'http',
    since: NOW - 86_400_000,
    until: Date.UTC(2026, 10, 1, 8),
    code: 'timeout',
    text: 'x',
    value: 'v',
  });
});

test('what an address says that nobody knows is not asked for', () => {
  const unknown = { status: 'great', source: 'constructor', time: 'ever', until: 'soon', text: '' };
  expect(searchOf(unknown, NOW)).toEqual({});
  // Otherwise an invalid filter could delete “all matching” runs.
  expect(isEmptyFilter(unknown)).toBe(true);
  expect(isEmptyFilter({ ...unknown, code: 'timeout' })).toBe(false);
});
