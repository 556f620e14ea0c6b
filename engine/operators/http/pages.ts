import { z } from 'zod';
import { isRecord } from '#shared/json.ts';
import {
  type Call,
  defineOperator,
  type HttpResponse,
  type Lazy,
  lazy,
  optionalInput,
  output,
  WeftError,
} from '../../base/operator.ts';
import { isFailure, readBody, statusError } from './_answer.ts';
import { linkOf, resolved } from './_link.ts';
import { type Params as RequestParams, params as requestParams } from './_params.ts';
import { requestOf } from './_request.ts';

const { connection, url, query, headers, auth, body, cookies, redirects, timeoutMs, maxBytes, failOn } =
  requestParams.shape;

const params = z.object({
  method: z
    .enum(['GET', 'POST'])
    .default('GET')
    .describe('GET, or POST for a search that takes a JSON body.'),
  connection,
  url,
  query,
  headers,
  auth,
  body: body
    .describe('With POST, the JSON body of the first request.')
    .meta({ when: { param: 'method', is: ['POST'] } }),
  items: lazy(
    'The list of items on a page, an expression over `item` (the answer: its `body`, `headers` and `status`) and `index` (0 for the first page); the body itself by default.',
  )
    .optional()
    .meta({ widget: 'expression' }),
  next: lazy(
    'The next page, an expression over the same: its address, or an object of fields for the query (with POST: for the body); null after the last page, such as {{ item.body?.next }}. By default the link `next` in the header `Link`.',
  )
    .optional()
    .meta({ widget: 'expression' }),
  maxPages: z
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe('The most pages; more are an error, so that no page is left out unnoticed.'),
  pauseMs: z
    .int()
    .min(0)
    .max(3_600_000)
    .default(0)
    .describe('Milliseconds to wait between two pages, for a server that asks for it.')
    .meta({ title: 'Pause' }),
  failOn,
  cookies,
  redirects,
  timeoutMs: timeoutMs.describe('Milliseconds for each page, including the wait for a connection.'),
  maxBytes: maxBytes.describe('Largest page in bytes, after decompression.'),
});

type Params = z.output<typeof params>;

export default defineOperator({
  title: 'Read pages over HTTP',
  doc: 'Reads a list that another server gives page by page, as a stream of its items. The next page is read when its items are needed.',
  icon: 'book-open',
  summary: '[{connection} · ]{url|url}',
  synonyms: 'pagination, paginate, next page, cursor, offset, all pages, load more, link header, http loop',
  params,
  options: {
    Request: ['connection', 'query', 'headers', 'auth', 'cookies', 'body'],
    Answer: ['failOn'],
    Limits: ['maxPages', 'pauseMs', 'redirects', 'timeoutMs', 'maxBytes'],
  },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The items of all pages.', kind: 'stream' }) },
  effects: 'read',
  examples: [
    {
      title: 'One page',
      params: { url: 'https://api.example.com/items', items: '{{ [item.body.url] }}' },
      outputs: { out: ['https://api.example.com/items'] },
    },
    {
      title: 'A cursor in the query',
      params: {
        url: 'https://api.example.com/items',
        items: '{{ [item.body.url] }}',
        next: '{{ index < 2 ? { page: index + 2 } : null }}',
      },
      outputs: {
        out: [
          'https://api.example.com/items',
          'https://api.example.com/items?page=2',
          'https://api.example.com/items?page=3',
        ],
      },
    },
    {
      title: 'Not a list',
      params: { url: 'https://api.example.com/items' },
      error: 'bad_answer',
    },
  ],
  run: (call) => pages(call),
});

/** A page as its expressions read it. */
interface Page {
  readonly body: unknown;
  readonly headers: HttpResponse['headers'];
  readonly status: number;
}

async function* pages(call: Call<Params>): AsyncGenerator<unknown> {
  const { maxPages, pauseMs, items, next } = call.params;
  let asked: Asked = { url: call.params.url, fields: {} };
  const seen = new Set<string>();
  for (let index = 0; ; index++) {
    if (index === maxPages)
      throw new WeftError('too_many_items', `There are more than ${maxPages} pages; raise \`maxPages\`.`, {
        field: 'params.maxPages',
      });
    const key = JSON.stringify(asked);
    if (seen.has(key))
      throw new WeftError('bad_answer', `Page ${index + 1} is one that was read before; check \`next\`.`, {
        field: 'params.next',
      });
    seen.add(key);
    if (index > 0 && pauseMs > 0) await call.sleep(pauseMs);
    const { page, address } = await read(call, asked);
    yield* listOf(items, page, index);
    const following = next === undefined ? linkOf(page.headers) : next({ item: page, index });
    const after = askedFor(following, asked, address);
    if (after === undefined) return;
    asked = after;
  }
}

/** Where a page is, and the fields that it adds to query or body. */
interface Asked {
  readonly url: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function read(call: Call<Params>, { url, fields }: Asked): Promise<{ page: Page; address: string }> {
  const { method, query, body, failOn } = call.params;
  const wanted: RequestParams = {
    ...call.params,
    url,
    // A link to a page has the fields of its query in it.
    query: { ...(url === call.params.url && query), ...(method === 'GET' && fields) },
    bodyType: method === 'POST' ? 'json' : 'none',
    body: method === 'POST' ? bodyWith(body, fields) : undefined,
    response: 'auto',
    idempotencyKey: false,
  };
  const request = await requestOf(call, wanted);
  const answer = await call.service('http').send(request, call.asker, call.signal);
  if (isFailure(answer.status, failOn))
    throw await statusError(answer, `${method} ${url.replace(/[?#].*$/s, '')}`);
  const { status, headers } = answer;
  const content = await readBody(answer, 'auto', (message) => call.log('warn', message));
  return { page: { body: content, headers, status }, address: answer.url };
}

function bodyWith(body: unknown, fields: Asked['fields']): unknown {
  if (Object.keys(fields).length === 0) return body;
  if (body === undefined || body === null || isRecord(body)) return { ...body, ...fields };
  throw new WeftError('bad_params', 'The body is not an object, so `next` cannot add fields to it.', {
    field: 'params.next',
  });
}

function listOf(items: Lazy | undefined, page: Page, index: number): readonly unknown[] {
  const list = items === undefined ? page.body : items({ item: page, index });
  if (Array.isArray(list)) return list;
  throw new WeftError(
    'bad_answer',
    items === undefined
      ? `Page ${index + 1} is not a list; say in \`items\` where its list is, such as {{ item.body.data }}.`
      : `\`items\` of page ${index + 1} is not a list.`,
    { field: 'params.items' },
  );
}

/** `address` is that of the page before, to which a link is relative. */
function askedFor(following: unknown, before: Asked, address: string): Asked | undefined {
  if (following === null || following === undefined || following === '' || following === false)
    return undefined;
  if (isRecord(following)) return { url: before.url, fields: following };
  if (typeof following !== 'string')
    throw new WeftError('bad_params', '`next` gives neither an address, nor an object of fields, nor null.', {
      field: 'params.next',
    });
  return { url: resolved(following, address), fields: {} };
}
