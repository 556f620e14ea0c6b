import { expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../base/operator.ts';
import { runOperator } from '../../testing/call.ts';
import { exampleServices } from '../../testing/services.ts';
import pages from './pages.ts';

interface Given {
  readonly status?: number;
  readonly link?: string;
  readonly body: unknown;
}

/** A server with these pages by path and query, below `https://shop.example/api`. */
function serverWith(answers: Readonly<Record<string, Given>>) {
  const asked: HttpRequest[] = [];
  async function* bytes(body: unknown): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(JSON.stringify(body));
  }
  async function send(request: HttpRequest): Promise<HttpResponse> {
    asked.push(request);
    const { url: given } = request;
    const url = given.startsWith('/') ? `https://shop.example/api${given}` : given;
    const {
      status = 200,
      link,
      body,
    } = answers[url.replace('https://shop.example/api', '')] ?? {
      status: 404,
      body: 'not there',
    };
    const headers = { 'content-type': 'application/json', ...(link !== undefined && { link }) };
    return { status, headers, url, body: bytes(body) };
  }
  const services = { ...exampleServices(), http: { send } };
  const read = async (params: Record<string, unknown>): Promise<unknown[]> => {
    const outputs = await runOperator('http.pages', pages as never, {
      params,
      services: services as never,
    });
    return (outputs as { out: unknown[] }).out;
  };
  return { asked, read };
}

const url = 'https://shop.example/api/orders';

test.each([
  ['absolute', '<https://shop.example/api/orders?page=2>; rel="next"'],
  ['from the root', '</api/orders?page=2>; rel=next'],
  ['beside the page', '<orders?page=2>; title="x"; rel="last next"'],
  ['a query alone', '<?page=1>; rel="prev", <?page=2>; rel="next"'],
])('the header Link leads to the next page: %s', async (_form, link) => {
  const { asked, read } = serverWith({
    '/orders?size=2': { link, body: [1, 2] },
    '/orders?page=2': { body: [3] },
  });
  expect(await read({ url, query: { size: 2 } })).toEqual([1, 2, 3]);
  expect(asked.map((one) => one.url)).toEqual([`${url}?size=2`, `${url}?page=2`]);
});

test('a link is asked for through the connection', async () => {
  const { asked, read } = serverWith({
    '/orders': { body: { data: [1], next: '?after=1' } },
    '/orders?after=1': { body: { data: [2] } },
  });
  const params = {
    connection: 'shop',
    url: '/orders',
    items: '{{ item.body.data }}',
    next: '{{ item.body?.next }}',
  };
  expect(await read(params)).toEqual([1, 2]);
  expect(asked[1]).toMatchObject({ connection: 'shop', url: `${url}?after=1` });
});

test('a cursor goes into the body of a POST', async () => {
  const { asked, read } = serverWith({ '/orders': { body: { data: [1], more: true } } });
  const params = {
    url,
    method: 'POST',
    body: { size: 1 },
    items: '{{ item.body.data }}',
    next: '{{ index < 2 ? { cursor: index + 1 } : null }}',
  };
  expect(await read(params)).toEqual([1, 1, 1]);
  expect(asked.map(({ body }) => body)).toEqual([
    '{"size":1}',
    '{"size":1,"cursor":1}',
    '{"size":1,"cursor":2}',
  ]);
});

test.each([
  ['the same page again', { next: '{{ { page: 1 } }}' }, 'bad_answer'],
  ['more pages than are allowed', { next: '{{ { page: index } }}', maxPages: 3 }, 'too_many_items'],
  ['a next page that is a number', { next: '{{ 2 }}' }, 'bad_params'],
  ['items that are no list', { items: '{{ item.status }}' }, 'bad_answer'],
  ['a next page that is not there', { next: 'https://shop.example/api/none' }, 'http_status'],
])('%s is an error, not an end', async (_case, params, code) => {
  const page = { body: [1] };
  const { read } = serverWith({ '/orders': page, '/orders?page=0': page, '/orders?page=1': page });
  await expect(read({ url, ...params })).rejects.toMatchObject({ code });
});

test('a pause between pages is kept, and none before the first one', async () => {
  const asked: string[] = [];
  const call = {
    params: {
      url,
      method: 'GET',
      pauseMs: 50,
      maxPages: 10,
      next: ({ index }: { index: number }) => (index < 2 ? { page: index } : null),
      failOn: [],
      auth: { type: 'none' },
      query: {},
      headers: {},
    },
    sleep: async (ms: number) => void asked.push(`${ms} ms`),
    signal: new AbortController().signal,
    log: () => undefined,
    service: () => ({
      async send({ url: address }: HttpRequest) {
        asked.push(address.slice(url.length));
        return {
          status: 200,
          headers: { 'content-type': 'application/json' },
          url: address,
          body: [new TextEncoder().encode('[1]')],
        };
      },
    }),
  };
  const items: unknown[] = [];
  const run = pages.run as unknown as (of: typeof call) => AsyncIterable<unknown>;
  for await (const item of run(call)) items.push(item);
  expect(items).toEqual([1, 1, 1]);
  expect(asked).toEqual(['', '50 ms', '?page=0', '50 ms', '?page=1']);
});
