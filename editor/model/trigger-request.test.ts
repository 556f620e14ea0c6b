import { describe, expect, test } from 'vitest';
import { sampleInput } from './sample-input.ts';
import { badHeaderLine, curlOf, type RequestParts, requestOf } from './trigger-request.ts';

const parts = (over: Partial<RequestParts> & { path?: string; accept?: string[] }): RequestParts => ({
  trigger: {
    path: over.path ?? '/orders',
    methods: ['GET', 'POST'],
    auth: 'none',
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

describe('a sample of an input', () => {
  test.each([
    [{ type: 'string', default: 'x', enum: ['a'] }, 'x'],
    [{ enum: ['a', 'b'] }, 'a'],
    [{ type: 'integer', minimum: 3 }, 3],
    [{ type: 'number', exclusiveMinimum: 3.5 }, 4],
    [{ type: 'string', format: 'email' }, 'ada@example.com'],
    [{ type: 'array', minItems: 2, items: { type: 'boolean' } }, [true, true]],
    [{ anyOf: [{ type: 'null' }, { type: 'integer' }] }, 1],
    [{ $ref: '#/$defs/a', $defs: { a: { const: 7 } } }, 7],
    [{ $ref: '#' }, 'text'],
  ])('of %j', (schema, expected) => {
    expect(sampleInput(schema)).toEqual(expected);
  });

  test('of an object it has what is required or has a default, in its parts too', () => {
    const schema = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, age: { default: 18 }, note: { type: 'string' } },
      allOf: [{ required: ['city'], properties: { city: { type: 'string', minLength: 6 } } }],
    };
    expect(sampleInput(schema)).toEqual({ name: 'name', age: 18, city: 'cityxx' });
  });

  test('of a schema that holds itself it ends', () => {
    const schema = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } };
    expect(JSON.stringify(sampleInput(schema)).length).toBeLessThan(100);
  });
});
