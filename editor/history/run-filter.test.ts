import { expect, test } from 'vitest';
import { searchOf } from './run-filter.ts';

const NOW = 1_800_000_000_000;

test('an address is read as what the server is asked', () => {
  const filter = { flow: 'shop', status: 'failed', source: 'http', time: 'day', code: 'timeout', text: 'x' };
  expect(searchOf(filter, NOW)).toEqual({
    flow: 'shop',
    status: 'failed',
    source: 'http',
    since: NOW - 86_400_000,
    code: 'timeout',
    text: 'x',
  });
});

test('what an address says that nobody knows is not asked for', () => {
  expect(searchOf({ status: 'great', source: 'constructor', time: 'ever', text: '' }, NOW)).toEqual({});
});
