import { fc } from './property.ts';
import { type Dispatcher, request } from 'undici';
import { type Answer, parsed } from './client.ts';
import { sayFlow } from './flows.ts';
import { codeOf, leaks } from './leaks.ts';

/** A random request from the server's own routes, fields and ids. */
export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly caller: 'owner' | 'key' | 'wrong' | 'nobody';
  readonly type: string | undefined;
  readonly body: string | undefined;
}

/** A route as a router writes it: `/flows/:id`. */
export interface ShotRoute {
  readonly method: string;
  readonly url: string;
}

const word = fc.oneof(
  fc.constantFrom(
    'simple_dag_example',
    'order_triage',
    'mine',
    'x',
    '__proto__',
    'constructor',
    'stream',
    'check',
  ),
  fc.constantFrom(
    '..',
    '%2e%2e%2f',
    '%00',
    '%ff',
    '%F0%9F%92%A9',
    'a'.repeat(300),
    '*',
    ':id',
    '%',
    ' '.trim(),
  ),
  fc.stringMatching(/^[a-z0-9_.~-]{0,12}$/),
);

const fieldNames = fc.constantFrom(
  ...[
    'id',
    'text',
    'flow',
    'revision',
    'label',
    'input',
    'trigger',
    'draft',
    'wait',
    'value',
    'name',
    'amount',
  ],
  ...[
    'customer',
    'items',
    'password',
    'nodes',
    'notes',
    'viewport',
    'format',
    'q',
    'state',
    'limit',
    'before',
  ],
  ...['after', 'status', 'age', 'token', '__proto__', 'constructor', 'toString'],
);

const scalar = fc.oneof(
  fc.constantFrom(
    0,
    -1,
    1,
    1e308,
    2 ** 53,
    null,
    true,
    '',
    'live',
    'ok',
    'NaN',
    '{',
    '[',
    '\u0000',
    '\ud800',
  ),
  fc.constantFrom(
    JSON.stringify(sayFlow('mine', '{{ input }}')),
    '{"format":1,"id":"mine","nodes":{},"edges":[]}',
  ),
  fc.string({ maxLength: 20 }),
  fc.integer(),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fieldNames, scalar, { maxKeys: 4 }) },
  { weight: 1, arbitrary: fc.constant(sayFlow('mine', 'hello {{ input.name }}')) },
);
const jsonBody = fc
  .dictionary(fieldNames, value, { maxKeys: 5 })
  // Otherwise a listener would wait for a minute.
  .map((fields) => JSON.stringify({ ...fields, timeoutMs: 1 }));
const anyBody = fc.oneof(
  { weight: 6, arbitrary: jsonBody },
  { weight: 1, arbitrary: fc.jsonValue().map((v) => JSON.stringify([v])) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 40 }) },
);

const query = fc
  .array(fc.tuple(fieldNames, fc.oneof(word, fc.constantFrom('1', '-1', '1e9', '%', '%zz', '%00', '[]'))), {
    maxLength: 3,
  })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([k, v]) => `${k}=${v}`).join('&')}`));

const methods = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
);
const types = fc.constantFrom(
  'application/json',
  'application/json',
  'application/json',
  'text/plain',
  'x/y',
  '',
);

export function shots(table: readonly ShotRoute[]): fc.Arbitrary<Shot> {
  const route = fc.constantFrom(...table);
  const parts = {
    word,
    other: methods,
    stray: fc.nat(9),
    caller: fc.nat(9),
    query,
    type: types,
    body: anyBody,
  };
  return fc.tuple(route, fc.record({ ...parts, rest: word })).map(([{ method, url }, chance]) => {
    const sent = chance.stray === 0 ? chance.other : method;
    const path = url.replace(/:\w+/, chance.word).replace(/:\w+|\*/, chance.rest);
    // Signing the owner out would turn all following shots into tests of the 401.
    const callers = [
      'owner',
      'owner',
      'owner',
      'owner',
      'owner',
      'owner',
      'owner',
      'key',
      'wrong',
      'nobody',
    ] as const;
    // The original's API deletes a flow without its revision: the example would be missing for the following shots.
    const removes = sent === 'DELETE' && url.includes('/serve/awel/flows');
    const spared = removes || url === '/api/v1/session';
    const caller = spared ? 'key' : (callers[chance.caller] ?? 'nobody');
    const hasBody = !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(sent);
    return {
      method: sent,
      path: `${path}${chance.query}`.replaceAll(/[^!-~]/g, (c) => encodeURIComponent(c.toWellFormed())),
      caller,
      type: hasBody && chance.type !== '' ? chance.type : undefined,
      body: hasBody ? chance.body : undefined,
    };
  });
}

/** The target of shots. */
export interface ShotTarget {
  readonly url: string;
  readonly headers: Readonly<Record<Shot['caller'], Readonly<Record<string, string>>>>;
  readonly dispatcher: Dispatcher;
}

/** Sends the path unchanged, which no proper client would. */
export async function fire(shot: Shot, { url, headers: callers, dispatcher }: ShotTarget): Promise<Answer> {
  const answer = await request(`${url}${shot.path.startsWith('/') ? '' : '/'}`, {
    path: shot.path,
    method: shot.method as 'GET',
    headers: { ...callers[shot.caller], ...(shot.type !== undefined && { 'content-type': shot.type }) },
    body: shot.body ?? null,
    dispatcher,
    bodyTimeout: 20_000,
    headersTimeout: 20_000,
  } as Parameters<typeof request>[1]);
  const headers = new Headers();
  for (const [name, text] of Object.entries(answer.headers)) headers.set(name, String(text));
  const text = await answer.body.text();
  return { status: answer.statusCode, headers, text, body: parsed(text) };
}

const FOLDERS = 'the path of the server';
/** Administrators see the folders of the server among its settings. */
const isSettings = ({ path }: Shot, status: number): boolean =>
  status === 200 && path.startsWith('/api/v1/settings');

/** The faults of an answer, whatever the request was. */
export function faults(shot: Shot, answer: Answer): string[] {
  const { status, text, headers } = answer;
  const type = headers.get('content-type') ?? '';
  const isOurs = shot.path.startsWith('/api/');
  const found = (isOurs ? leaks(text) : []).filter((one) => !(one === FOLDERS && isSettings(shot, status)));
  if (codeOf(answer) === 'internal') found.push('a bug of ours');
  if (status >= 500 && codeOf(answer) === undefined && !shot.path.startsWith('/readyz'))
    found.push('an uncoded failure');
  if (isOurs && type.includes('html')) found.push('a page');
  const isRefusal = isOurs && status >= 400 && shot.method !== 'HEAD';
  if (isRefusal && codeOf(answer) === undefined) found.push('a refusal without a code');
  if (!headers.has('x-request-id')) found.push('no request id');
  return found;
}
