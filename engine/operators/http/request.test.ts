import { expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../base/operator.ts';
import { runOperator } from '../../testing/call.ts';
import { exampleServices } from '../../testing/services.ts';
import request from './request.ts';

test.each([
  ['https://a.example/f/my%20notes.pdf?v=1#top', 'my notes.pdf'],
  ['https://a.example/f/100%.pdf', '100%.pdf'],
  ['https://a.example', 'file'],
])('a file at %s that is found out has its name', async (url, name) => {
  const made: unknown[] = [];
  async function* content(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array([1, 2]);
  }
  const services = {
    ...exampleServices(),
    files: {
      async create(given: { readonly name: string }) {
        made.push(given.name);
        return { $file: 'f', ...given };
      },
    },
    http: {
      async send({ url: sent }: HttpRequest): Promise<HttpResponse> {
        return { status: 200, headers: { 'content-type': 'application/pdf' }, url: sent, body: content() };
      },
    },
  };
  const params = { url, response: 'any' };
  await runOperator('http.request', request as never, { params, services: services as never });
  expect(made).toEqual([name]);
});
