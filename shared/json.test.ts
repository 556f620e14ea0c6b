import { expect, test } from 'vitest';
import { isRecord, isStream, sortedJson, textOrJson } from './json.ts';

test('a record has named fields', () => {
  expect([{}, { a: 1 }, Object.create(null)].every(isRecord)).toBe(true);
  expect([null, undefined, [], 'text', 1, () => {}].some(isRecord)).toBe(false);
});

test('a stream gives its items one after the other', () => {
  expect(isStream((async function* () {})())).toBe(true);
  expect([null, undefined, 'text', [], {}, new Map()].some(isStream)).toBe(false);
});

test('a text is shown as it is, any other value as JSON, and nothing as nothing', () => {
  expect(['text', 1, null, { a: ['b'] }, undefined].map(textOrJson)).toEqual([
    'text',
    '1',
    'null',
    '{"a":["b"]}',
    '',
  ]);
});

test('equal values have the same JSON, whatever the order of their fields', () => {
  const text = '{"a":[{"c":1,"d":null}],"b":"x"}';
  expect(sortedJson({ b: 'x', a: [{ d: null, c: 1 }] })).toBe(text);
  expect(sortedJson({ a: [{ c: 1, d: null }], b: 'x' })).toBe(text);
  expect([['b', 'a'], null, 'text', 1, undefined].map(sortedJson)).toEqual([
    '["b","a"]',
    'null',
    '"text"',
    '1',
    '',
  ]);
});
