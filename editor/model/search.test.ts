import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { searchOperators } from './search.ts';
import { catalog } from './testing/catalog.ts';

const found = (query: string) => searchOperators(catalog, query, { isEmpty: true }).map((info) => info.type);

test('a title that begins with the word comes before one that has it inside', () => {
  expect(found('stre').slice(0, 2)).toEqual(['core.streamify', 'core.unstreamify']);
  expect(found('equest')).toEqual(['trigger.http']);
});

test('the type and the description are searched too', () => {
  expect(found('unstream')).toEqual(['core.unstreamify']);
  expect(found('pattern')).toEqual(['text.template']);
});

test('all words must be found', () => {
  expect(found('http request')).toEqual(['trigger.http']);
  expect(found('http nothing')).toEqual([]);
});

test('without words everything is there', () => {
  expect(found('  ')).toHaveLength(Object.keys(catalog.operators).length);
});

test('inline functions of a flow in code are offered to none', () => {
  const info = { ...catalog.operators['core.merge'], type: 'inline.a-map', flow: 'a' } as OperatorInfo;
  const own = { operators: { ...catalog.operators, [info.type]: info } };
  expect(searchOperators(own, '')).toEqual(searchOperators(catalog, ''));
});
