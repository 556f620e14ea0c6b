import { describe, expect, test } from 'vitest';
import { badHeaderLine, curlOf, type RequestParts, requestOf } from './trigger-request.ts';

const parts = (over: Partial<RequestParts> & { path?: string; accept?: string[] }): RequestParts => ({
  trigger: {
    path: over.path ?? '/orders',
    methods: ['GET', 'POST'],
    auth: 'none',
    authParam: 'none',
    accept: over.accept ?? ['json'],
    immediately: false,
  },
  method: 'POST',
  base: 'http://host/t',
  input: { a: 1 },
  headers: '',
  key: '',
  ...over,
});

describe('the request that carries an input', () => {
  test('a method that reads the query gets it there, lists one value each', () => {
    const { url, body } = requestOf(
      parts({ method: 'GET', input: { name: 'Ada & co', tag: ['x', 'y'], n: 2 } }),
    );
    expect([url, body]).toEqual(['http://host/t/orders?name=Ada+%26+co&tag=x&tag=y&n=2', undefined]);
  });

  test('fields that the path names are taken out of the rest', () => {
    const request = requestOf(parts({ path: '/orders/:id/:part', input: { id: 'a/b', count: 2 } }));
    expect([request.url, request.body]).toEqual(['http://host/t/orders/a%2Fb/part', '{"count":2}']);
  });

  test.each([
    [['json'], 'application/json', '{"a":1}'],
    [['form'], 'application/x-www-form-urlencoded', 'a=1'],
    [['text'], 'text/plain', '{"a":1}'],
  ])('a trigger that reads %s gets that', (accept, type, body) => {
    const request = requestOf(parts({ accept }));
    expect([request.headers, request.body]).toEqual([[['content-type', type]], body]);
  });

  test('own headers and a key are added, and an own content type wins', () => {
    const { headers } = requestOf(parts({ headers: 'X-A: 1\n\nContent-Type: text/x', key: 'k' }));
    expect(headers).toEqual([
      ['authorization', 'Bearer k'],
      ['X-A', '1'],
      ['Content-Type', 'text/x'],
    ]);
    expect([badHeaderLine('X-A: 1\n'), badHeaderLine('X-A: 1\nno header')]).toEqual([undefined, 'no header']);
  });

  test('it is written for a shell, which takes it as it is', () => {
    expect(curlOf(requestOf(parts({ input: { a: "it's" }, key: 'k' })))).toBe(
      `curl -X POST 'http://host/t/orders' -H 'content-type: application/json' -H 'authorization: Bearer k' --data-raw '{"a":"it'\\''s"}'`,
    );
    expect(curlOf(requestOf(parts({ method: 'GET', input: {} })))).toBe(`curl 'http://host/t/orders'`);
  });
});
