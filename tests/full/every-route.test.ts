import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { errorEntry } from '#shared/errors.ts';
import { asSchema } from '#shared/json-schema.ts';
import { type DescribedRoute, describedRoutes } from '../../server/api/routes/openapi/description.ts';
import { ErrorAnswer } from '../../server/api/routes/openapi/errors.ts';
import { createAccess } from '../../server/access/security/access.ts';
import type { RouteEntry } from '../../server/access/security/guard.ts';
import { scopes } from '../../server/access/security/scopes.ts';
import { sha256 } from '../../server/access/security/secrets.ts';
import { testConfig } from '../../server/testing/fake-context.ts';
import { type Bed, rawRequest, startBed } from '../../server/testing/platform-bed.ts';
import { type Answer, ask } from '../support/client.ts';
import { codeOf, leaks } from '../support/leaks.ts';
import { expectRefusal, rawAnswer } from '../support/raw.ts';

/**
 * Every route of the server, asked wrongly in each way that does not depend on what the route is for. That one asks for a key,
 * and for the right scope, is proved in `server/access/security/guard.test.ts`.
 */
const KEY = 'a-key-with-every-scope';
const ENDED = 'a-key-whose-time-is-over';

const record = (key: string) => ({
  id: key,
  name: key,
  hash: sha256(key),
  scopes: [...scopes],
  createdAt: '2026-01-01T00:00:00Z',
});

let bed: Bed;
let routes: readonly RouteEntry[];
let described: ReadonlyMap<string, DescribedRoute>;

beforeEach(async () => {
  const records = [record(KEY), { ...record(ENDED), expiresAt: '2026-01-02T00:00:00Z' }];
  bed = await startBed({}, { access: createAccess(testConfig(), records) });
  routes = bed.app.routeTable.filter(({ method }) => method !== 'HEAD');
  described = new Map((await describedRoutes(routes)).map((route) => [nameOf(route), route]));
});

const isGuarded = ({ scope }: RouteEntry): boolean => scope !== 'public' && scope !== 'trigger-auth';
const isForKeys = (route: RouteEntry): boolean => isGuarded(route) && route.scope !== 'session';
const takesBody = ({ method }: RouteEntry): boolean => ['POST', 'PUT', 'PATCH'].includes(method);
/** Those that a key may call, with a body, and the one that signs in. */
const withBody = (): RouteEntry[] =>
  routes.filter(
    (route) =>
      takesBody(route) &&
      (isForKeys(route) || route.scope === 'public') &&
      !isOfPage(route) &&
      !isFile(route),
  );
/** Belongs to a page for people, and looks at the address first: at its token, or whether there is a form or an app. */
const isOfPage = ({ url }: RouteEntry): boolean => /^\/(?:wait|form|talk|hooks)\//.test(url);
/** Its body is a file, of any type and with any content. */
const isFile = ({ url }: RouteEntry): boolean => /^(?:\/api)?\/v1\/(?:chat\/)?files$/.test(url);
/** Chats may bring files, so they take twice as much. */
const isChat = ({ url }: RouteEntry): boolean => /\/(?:completions|responses)$/.test(url);
/** Documents, descriptions of services and flows from elsewhere are larger than other bodies. */
const isUpload = ({ url }: RouteEntry): boolean =>
  /\/(?:imports|services|services\/read)$|knowledge\/(?:spaces\/:space\/)?documents$|document\/upload$/.test(
    url,
  );

const nameOf = ({ method, url }: Pick<RouteEntry, 'method' | 'url'>): string => `${method} ${url}`;
const pathOf = ({ url }: RouteEntry): string => url.replaceAll(/:\w+/g, 'unknown').replace('*', 'unknown');

interface Sent {
  readonly key?: string;
  /** With its question mark. */
  readonly query?: string;
  readonly type?: string;
  readonly body?: string;
}

function send(
  route: RouteEntry,
  { key = KEY, query = '', type = 'application/json', body }: Sent = {},
): Promise<Answer> {
  const { method, scope } = route;
  const authorization = scope === 'public' ? {} : { authorization: `Bearer ${key}` };
  const content = body === undefined ? {} : { 'content-type': type };
  return ask(bed.url + pathOf(route) + query, {
    method,
    headers: { ...authorization, ...content },
    ...(body !== undefined && { body }),
  });
}

/** What a table of routes got, as `status code` by route; each answer is checked for what it may not tell. */
async function outcomes(table: readonly RouteEntry[], sent: Sent): Promise<Record<string, string>> {
  const got: Record<string, string> = {};
  for (const route of table) got[nameOf(route)] = outcomeOf(await send(route, sent), nameOf(route));
  return got;
}

/** Every error has the one body, which tells nothing of the machine. */
function outcomeOf(answer: Answer, what: string): string {
  expect(leaks(answer.text), what).toEqual([]);
  expect(answer.headers.get('content-type'), what).toBe('application/json; charset=utf-8');
  if (answer.status >= 400) expect(z.safeParse(ErrorAnswer, answer.body).error, what).toBeUndefined();
  return `${answer.status} ${codeOf(answer) ?? null}`;
}

const all = (table: readonly RouteEntry[], outcome: string): Record<string, string> =>
  Object.fromEntries(table.map((route) => [nameOf(route), outcome]));

test.each([
  ['that nobody made', 'a-key-that-nobody-made'],
  ['whose time is over', ENDED],
  ['in upper case', KEY.toUpperCase()],
])('a key %s is refused, before the rest is looked at', async (_, key) => {
  const guarded = routes.filter(isGuarded);
  expect(guarded.length).toBeGreaterThan(30);
  const got = [
    ...Object.values(await outcomes(guarded.filter(takesBody), { key, body: '{' })),
    ...Object.values(await outcomes(guarded, { key })),
  ];
  expect(new Set(got.slice(0, 100))).toEqual(new Set(['401 unauthorized']));
  // After a hundred wrong keys an address may try no more for a while; one that was right before is no guess.
  const later = key === ENDED ? '401 unauthorized' : '429 too_many_requests';
  expect(new Set(got.slice(100))).toEqual(new Set([later]));
});

test('a body that is no JSON is refused', async () => {
  expect(withBody().length).toBeGreaterThan(15);
  expect(await outcomes(withBody(), { body: '{"a":' })).toEqual(all(withBody(), '400 invalid_json'));
});

test('a body of a type that nobody reads is refused', async () => {
  const sent = { body: '<a/>', type: 'application/xml' };
  expect(await outcomes(withBody(), sent)).toEqual(all(withBody(), '415 unsupported_media_type'));
});

test('a body that is too large is refused as soon as it says so', async () => {
  for (const route of withBody().filter((one) => !isChat(one) && !isUpload(one))) {
    const head = `${route.method} ${pathOf(route)} HTTP/1.1\r\nHost: ${new URL(bed.url).host}\r\nAuthorization: Bearer ${KEY}`;
    const text = await rawRequest(
      bed.port,
      `${head}\r\nContent-Type: application/json\r\nContent-Length: 11000000\r\n\r\n`,
    );
    expect(text, nameOf(route)).toContain('body_too_large');
    expectRefusal(rawAnswer(text), 413, 'body_too_large');
  }
});

test.each(['null', '5', '"text"', '[]', '[{}]', 'true'])(
  'the body %s, an object by no means, gets a coded refusal',
  async (body) => {
    // JSON-RPC has errors of its own.
    // An event brings any JSON, as does a call that a run waits for.
    const table = withBody().filter(
      ({ url }) => !url.startsWith('/mcp') && !url.startsWith('/api/v1/events/'),
    );
    for (const [route, outcome] of Object.entries(await outcomes(table, { body })))
      expectRefused(route, outcome);
  },
);

test('a name that nothing has gets a coded refusal, whatever is to be done with it', async () => {
  const named = routes.filter((route) => isForKeys(route) && route.url.includes(':'));
  expect(named.length).toBeGreaterThan(15);
  const bare = await outcomes(
    named.filter((route) => !takesBody(route)),
    {},
  );
  const filled = await outcomes(named.filter(takesBody), { body: '{}' });
  for (const [route, outcome] of Object.entries({ ...bare, ...filled })) expectRefused(route, outcome);
});

/** A field of each kind that a schema may ask for, and what is none. */
const wrongFor: Readonly<Record<string, unknown>> = {
  string: { an: 'object' },
  number: 'no number',
  integer: 'no number',
  boolean: 'neither',
  // A text alone counts as a list of one in a chat.
  array: 7,
  object: 'no object',
};

/** For each field that a body may have: a body in which it alone is of a wrong type. */
function wrongBodies(route: RouteEntry): [string, string][] {
  return fieldsOf(described.get(nameOf(route))?.body).flatMap(([name, schema]) => {
    const wrong = wrongFor[String(schema['type'])];
    return wrong === undefined ? [] : [[name, JSON.stringify({ [name]: wrong })] as [string, string]];
  });
}

function fieldsOf(schema: z.ZodType | undefined) {
  const json = schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(json?.properties ?? {}).map(([name, one]) => [name, asSchema(one) ?? {}] as const);
}

test('each field of a body that is of a wrong type is refused, at every route that says what it reads', async () => {
  let cases = 0;
  for (const route of withBody().filter(({ url }) => !url.startsWith('/mcp'))) {
    for (const [field, body] of wrongBodies(route)) {
      const what = `${nameOf(route)} with a wrong ${field}`;
      const answer = await send(route, { body });
      expectRefused(what, outcomeOf(answer, what));
      expect([what, namesProblem(answer, 'body', field)]).toEqual([what, true]);
      cases++;
    }
  }
  expect(cases).toBeGreaterThan(60);
});

test('a query that cannot be read is refused, and so is one that a strict route does not know', async () => {
  let cases = 0;
  for (const route of routes.filter(isForKeys)) {
    const numbers = fieldsOf(described.get(nameOf(route))?.query).filter(([, schema]) =>
      ['integer', 'number'].includes(String(schema['type'])),
    );
    for (const [field] of numbers) {
      const what = `${nameOf(route)}?${field}=none`;
      const answer = await send(route, { query: `?${field}=none` });
      expectRefused(what, outcomeOf(answer, what));
      expect([what, namesProblem(answer, 'query', field)]).toEqual([what, true]);
      cases++;
    }
  }
  expect(cases).toBeGreaterThan(5);
});

/** Whether the field is named, as the first problem or as one of all; where nothing has the name, that is said first. */
function namesProblem({ status, body }: Answer, part: string, field: string): boolean {
  if (status === 404) return true;
  const { detail = [], error } = body as z.infer<typeof ErrorAnswer>;
  if (error.param === field) return true;
  return detail.some(({ loc }) => Array.isArray(loc) && loc[0] === part && loc[1] === field);
}

/**
 * Stopping a chat that does not go on is no mistake: it may have ended by itself a moment before. The list takes no body. An event that
 * no run waits for is not kept.
 */
const neverAtFault = new Set([
  'POST /api/v1/chat/:id/stop',
  'POST /api/v1/chat/mode/params/list',
  'POST /api/v1/events/:name/:key',
]);

/** The caller is told that it is at fault, with the status of the code. */
function expectRefused(route: string, outcome: string): void {
  if (neverAtFault.has(route)) return expect(outcome).toBe('200 null');
  const [status, code = ''] = outcome.split(' ');
  expect(`${route}: ${errorEntry(code)?.status} ${code}`).toBe(`${route}: ${outcome}`);
  expect([route, Number(status) >= 400 && Number(status) < 500]).toEqual([route, true]);
}
