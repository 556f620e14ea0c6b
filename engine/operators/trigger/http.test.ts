import { expect, test } from 'vitest';
import http from './http.ts';

test('only the path has to be given; a trigger asks for a key unless it says otherwise', () => {
  expect(http.params.parse({ path: '/a' })).toEqual({
    path: '/a',
    methods: ['GET'],
    auth: 'api-key',
    accept: ['json'],
    answer: 'result',
    response: { as: 'json' },
  });
});

test.each([
  ['no path', {}],
  ['an empty path', { path: '' }],
  ['a path with a blank', { path: '/a b' }],
  ['a path with a query', { path: '/a?b=c' }],
  ['a path with an expression', { path: '/{{input.a}}' }],
  ['no method', { path: '/a', methods: [] }],
  ['a method twice', { path: '/a', methods: ['GET', 'GET'] }],
  ['a method in small letters', { path: '/a', methods: ['get'] }],
  ['an auth that does not exist', { path: '/a', auth: 'open' }],
  ['an error status for good answers', { path: '/a', response: { status: 404 } }],
  ['a header that would begin another one', { path: '/a', response: { headers: { a: 'b\r\nc: d' } } }],
  ['a request model that is no object', { path: '/a', request: 'text' }],
])('%s is refused', (_, params) => {
  expect(http.params.safeParse(params).success).toBe(false);
});
