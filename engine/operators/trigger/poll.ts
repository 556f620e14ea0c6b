import { z } from 'zod';
import { defineOperator, type Lazy, lazy, output, type SourceCall, WeftError } from '../../base/operator.ts';
import { headerFields } from '../_headers.ts';
import { isFailure, readBody, statusError } from '../http/_answer.ts';
import { credentialsFor } from '../http/_auth.ts';
import { auth } from '../http/_params.ts';
import { withQuery } from '../http/_url.ts';
import { EXISTING, type Gathered, poll } from './_poll.ts';

const params = z.object({
  flow: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'The id of a flow that is called with `{ "cursor": … }`, null at first; it gives a list, or `{ items, cursor }`.',
    )
    .meta({ widget: 'flow' })
    .meta({ when: { param: 'url', is: [null] } }),
  url: z
    .string()
    .min(1)
    .max(8192)
    .optional()
    .describe('In place of a flow: an http or https address with JSON.')
    .meta({ when: { param: 'flow', is: [null] } }),
  headers: headerFields
    .default({})
    .describe('Headers to send to the address, by name.')
    .meta({ when: { param: 'flow', is: [null] } }),
  auth: auth
    .prefault({})
    .describe('Credentials for the address, from a secret.')
    .meta({ when: { param: 'flow', is: [null] } }),
  cursorField: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The query field that carries the cursor to the address, if it takes one.')
    .meta({ when: { param: 'flow', is: [null] } }),
  every: z
    .number()
    .min(1)
    .max(86_400)
    .default(60)
    .describe('Seconds from one question to the next.')
    .meta({ unit: 's' }),
  items: lazy(
    'The list in the answer, which is `item`: {{ item.data.orders }}. By default the answer itself, or its `items`.',
  ).optional(),
  cursor: lazy(
    'The cursor in the answer, which is `item`: {{ item.next }}. By default its `cursor`.',
  ).optional(),
  key: lazy(
    'The key of an item, such as {{ item.id }}. An item whose key is known already starts no run. By default the key is the whole content of the item.',
  ).optional(),
  existing: z
    .enum(EXISTING)
    .default('start')
    .describe('Whether items that are there at the first question start runs.'),
});
type Params = z.output<typeof params>;

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 10_000_000;
const MAX_ITEMS = 100_000;

export default defineOperator({
  title: 'Poll',
  doc: 'Asks a flow or an address again and again, and starts a run for each new item. Each item starts one run, even if the server is killed.',
  icon: 'radar',
  summary: '[{flow}][{url|url}] · every {every|seconds}',
  synonyms:
    'polling, check for new, imap, email trigger, email in, watch, new rows, monitor, kafka, mqtt, new email, poll',
  params,
  options: { Request: ['headers', 'auth'], Position: ['cursorField', 'cursor'], Start: ['existing'] },
  inputs: {},
  outputs: { out: output({ doc: 'The item.' }) },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'New orders of an API',
      params: {
        url: 'https://api.example.com/orders',
        cursorField: 'since',
        items: '{{ item.orders }}',
        cursor: '{{ item.next }}',
        key: '{{ item.id }}',
      },
      outputs: { out: { id: 7, total: 12 } },
    },
    {
      title: 'What a flow finds',
      params: { flow: 'new_files', every: 10 },
      outputs: { out: { name: 'a.csv' } },
    },
  ],
  async listen(call) {
    const { flow, url, every, existing } = call.params;
    if ((flow === undefined) === (url === undefined))
      throw new WeftError('bad_params', 'Give either `flow` or `url`.', { field: 'params.url' });
    const of = flow === undefined ? `url ${url}` : `flow ${flow}`;
    await poll(call, { of, everyMs: every * 1000, existing }, async (cursor) =>
      gathered(
        call,
        url === undefined ? await askFlow(call, cursor) : await askUrl(call, url, cursor),
        cursor,
      ),
    );
  },
});

function askFlow(call: SourceCall<Params>, cursor: unknown): unknown {
  const { flow = '' } = call.params;
  const start = { flow, input: { cursor: cursor ?? null }, key: `${call.asker.run}:${call.now()}` };
  return call.service('flows').run(start, call.asker, call.signal);
}

async function askUrl(call: SourceCall<Params>, url: string, cursor: unknown): Promise<unknown> {
  const { cursorField, headers: given } = call.params;
  const query = cursorField === undefined || cursor === undefined ? {} : { [cursorField]: cursor };
  const credentials = await credentialsFor(call, call.params, withQuery(url, query));
  const headers = { accept: 'application/json', ...lowerCased(given), ...credentials.headers };
  const answer = await call.service('http').send(
    {
      method: 'GET',
      url: credentials.url,
      headers,
      secretHeaders: Object.keys(credentials.headers),
      ...(credentials.signing && { signing: credentials.signing }),
      body: undefined,
      redirects: 5,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    },
    call.asker,
    call.signal,
  );
  if (isFailure(answer.status, ['4xx', '5xx']))
    throw await statusError(answer, `GET ${url.replace(/[?#].*$/s, '')}`);
  return await readBody(answer, 'json', (message) => call.log('warn', message));
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The items of an answer, in the order of its list, which counts as oldest first. */
function gathered(call: SourceCall<Params>, answer: unknown, before: unknown): Gathered {
  const { items, cursor, key } = call.params;
  const list = items === undefined ? listIn(answer) : items({ item: answer });
  if (!Array.isArray(list) || list.length > MAX_ITEMS)
    throw new WeftError(
      'bad_answer',
      `The answer holds no list of at most ${MAX_ITEMS} items; say where with \`items\`.`,
    );
  const next = cursor === undefined ? fieldOf(answer, 'cursor') : cursor({ item: answer });
  return {
    items: list.map((value: unknown, index) => ({ id: idOf(call, key, value, index), value })),
    cursor: next ?? before,
  };
}

function idOf(call: SourceCall<Params>, key: Lazy | undefined, item: unknown, index: number): string {
  const id = key === undefined ? item : key({ item, index });
  if (typeof id === 'string' && id !== '' && id.length <= 500) return id;
  if (typeof id === 'number') return String(id);
  if (key !== undefined && (id === undefined || id === null || id === ''))
    throw new WeftError('source_item', `\`key\` gives nothing for item ${index + 1}.`, {
      field: 'params.key',
    });
  return call.hash(id);
}

function listIn(answer: unknown): unknown {
  return Array.isArray(answer) ? answer : fieldOf(answer, 'items');
}

function fieldOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}
