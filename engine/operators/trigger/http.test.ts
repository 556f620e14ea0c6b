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
    otherFields: 'keep',
  });
});

const signed = { type: 'hmac', secret: { $secret: 's' } };

test('what a signature looks like is filled in', () => {
  expect(http.params.parse({ path: '/a', auth: signed })).toMatchObject({
    auth: {
      ...signed,
      preset: 'custom',
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: '',
      tolerance: 300,
    },
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
  ['a signature without its settings', { path: '/a', auth: 'hmac' }],
  ['a secret in plain text', { path: '/a', auth: { type: 'hmac', secret: 'hunter2' } }],
  ['a hash that is broken', { path: '/a', auth: { ...signed, algorithm: 'md5' } }],
  ['a header that would begin another one', { path: '/a', auth: { ...signed, header: 'a: b' } }],
  ['a tolerance without end', { path: '/a', auth: { ...signed, tolerance: 1e9 } }],
  ['a user with a colon', { path: '/a', auth: { type: 'basic', user: 'a:b', secret: { $secret: 's' } } }],
  ['an error status for good answers', { path: '/a', response: { status: 404 } }],
  ['a header that would begin another one', { path: '/a', response: { headers: { a: 'b\r\nc: d' } } }],
  ['a request model that is no object', { path: '/a', request: 'text' }],
])('%s is refused', (_, params) => {
  expect(http.params.safeParse(params).success).toBe(false);
});
