import { expect, test } from 'vitest';
import { fetchOf, pythonOf } from './request-code.ts';

const get = { method: 'GET', url: 'http://a/x?n=1', headers: [], body: undefined };
const post = {
  method: 'POST',
  url: 'http://a/x',
  headers: [['content-type', 'application/json']] as const,
  body: '{"ok":true,"none":null,"list":[1,"two"]}',
};

test('a request as JavaScript is what fetch takes', async () => {
  expect(fetchOf(get)).toContain('await fetch("http://a/x?n=1");');
  const calls: unknown[] = [];
  const fetch = async (...given: unknown[]) => {
    calls.push(given);
    return { status: 200, text: async () => '' };
  };
  const AsyncFunction = (async () => {}).constructor as new (
    ...code: string[]
  ) => (...given: unknown[]) => unknown;
  await new AsyncFunction('fetch', 'console', fetchOf(post))(fetch, { log: () => {} });
  expect(calls).toEqual([
    ['http://a/x', { method: 'POST', headers: { 'content-type': 'application/json' }, body: post.body }],
  ]);
});

test('a request as Python has its values', () => {
  expect(pythonOf(get)).toBe(
    'import requests\n\nresponse = requests.request(\n    "GET",\n    "http://a/x?n=1",\n)\nprint(response.status_code, response.text)\n',
  );
  expect(pythonOf(post)).toContain('data=json.dumps({"ok": True, "none": None, "list": [1, "two"]}),');
  expect(pythonOf(post)).toMatch(/^import json\n/);
  expect(pythonOf({ ...post, body: 'plain' })).toContain('data="plain",');
});
