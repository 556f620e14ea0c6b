import { expect, test } from 'vitest';
import { readQuery } from './run-query.ts';

test('a field is read once its value is followed by a space, and is no word to search for before', () => {
  expect(readQuery('pens status:fai')).toEqual({ filter: {}, text: 'pens status:fai', words: 'pens' });
  expect(readQuery('pens value:"two wo')).toEqual({ filter: {}, text: 'pens value:"two wo', words: 'pens' });
  expect(readQuery('status:failed ')).toEqual({ filter: { status: 'failed' }, text: '', words: '' });
  expect(readQuery('status:failed', true)).toEqual({ filter: { status: 'failed' }, text: '', words: '' });
});

test('words and several fields stand in any order', () => {
  expect(readQuery('pens by:schedule Flow:orders empty value:"two words" shelf', true)).toEqual({
    filter: { source: 'schedule', flow: 'orders', value: 'two words' },
    text: 'pens empty shelf',
    words: 'pens empty shelf',
  });
});

test('what names no field stays a word', () => {
  for (const text of ['http://shop', 'constructor:x', 'status:', 'mystatus:failed', 'value:"open'])
    expect(readQuery(text, true)).toEqual({ filter: {}, text, words: text });
});

test('spaces stay while somebody types', () => {
  expect(readQuery('two  words ')).toEqual({ filter: {}, text: 'two  words ', words: 'two words' });
});
