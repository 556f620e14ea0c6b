import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { App, AppBody } from '#shared/app.ts';
import { aBody } from '../apps/testing/an-app.ts';
import { createAccess } from '../security/access.ts';
import type { Scope } from '../security/scopes.ts';
import { sha256 } from '../security/secrets.ts';
import { type RunningServer, startServer } from '../server.ts';
import { testConfig } from '../testing/fake-context.ts';

const base = '/api/v2/serve/apps';
const past = '2026-01-02T00:00:00Z';

const key = (name: string, scopes: Scope[], expiresAt?: string) => ({
  id: name,
  name,
  hash: sha256(name),
  scopes,
  createdAt: '2026-01-01T00:00:00Z',
  ...(expiresAt !== undefined && { expiresAt }),
});

/** One server for all of it: what is refused changes nothing. */
let server: RunningServer;
let url: string;
let folder: string;
let app: App;
beforeAll(async () => {
  const keys = [
    key('all', ['apps:read', 'apps:write']),
    key('reader', ['apps:read']),
    key('writer', ['apps:write']),
    key('other', ['flows:read', 'chat', 'admin']),
    key('ended', ['apps:read', 'apps:write'], past),
  ];
  folder = await mkdtemp(join(tmpdir(), 'weft-'));
  const config = testConfig({
    flows: [join(folder, 'flows')],
    operators: join(folder, 'o'),
    data: join(folder, 'data'),
  });
  const access = createAccess(config, keys);
  server = await startServer(config, { access, editorFiles: '/nonexistent' });
  url = `http://127.0.0.1:${server.port}`;
  app = await server.ctx.apps.create(aBody('Sales'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: {
    success: boolean;
    err_code: string;
    err_msg: string;
    data: unknown;
    detail?: { loc: unknown[] }[];
  };
}

async function call(
  method: string,
  path: string,
  {
    as = 'all',
    body,
    type = 'application/json',
  }: { as?: string | undefined; body?: unknown; type?: string } = {},
): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(as !== '' && { authorization: `Bearer ${as}` }),
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Answer['body'] };
}

/** The whole of the one error body, and nothing of the machine. */
function expectRefusal({ status, text, body }: Answer, wanted: number, code: string): void {
  expect({ status, code: body.err_code }).toEqual({ status: wanted, code });
  expect(body).toMatchObject({
    success: false,
    err_msg: expect.stringMatching(/./),
    data: null,
    error: { message: body.err_msg, type: expect.any(String), code },
  });
  expect(Object.keys(body).slice(0, 5)).toEqual(['success', 'err_code', 'err_msg', 'data', 'error']);
  expect(text).not.toMatch(/\n\s*at |\.ts:\d|node_modules|<html/i);
  expect(text).not.toContain(folder);
}

interface Row {
  readonly scope: 'apps:read' | 'apps:write';
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Every route of apps, called rightly but for the app, which is unknown where one is named. */
const named = { app_code: 'unknown' };
const rows: Row[] = [
  { scope: 'apps:read', method: 'GET', path: base },
  { scope: 'apps:read', method: 'GET', path: `${base}/unknown` },
  { scope: 'apps:write', method: 'POST', path: base, body: aBody('New') },
  { scope: 'apps:write', method: 'PUT', path: `${base}/unknown`, body: aBody('New') },
  { scope: 'apps:write', method: 'DELETE', path: `${base}/unknown` },
  { scope: 'apps:write', method: 'POST', path: `${base}/unknown/collect` },
  { scope: 'apps:write', method: 'POST', path: `${base}/unknown/uncollect` },
  { scope: 'apps:read', method: 'POST', path: '/api/v1/app/list', body: {} },
  { scope: 'apps:read', method: 'POST', path: '/api/v1/app/detail', body: named },
  { scope: 'apps:write', method: 'POST', path: '/api/v1/app/create', body: aBody('New') },
  { scope: 'apps:write', method: 'POST', path: '/api/v1/app/edit', body: { ...aBody('New'), ...named } },
  { scope: 'apps:write', method: 'POST', path: '/api/v1/app/remove', body: named },
  { scope: 'apps:write', method: 'POST', path: '/api/v1/app/collect', body: named },
  { scope: 'apps:write', method: 'POST', path: '/api/v1/app/uncollect', body: named },
  { scope: 'apps:read', method: 'GET', path: '/api/v1/agents/list' },
  { scope: 'apps:read', method: 'GET', path: '/api/v1/team-mode/list' },
  { scope: 'apps:read', method: 'GET', path: '/api/v1/llm-strategy/list' },
  { scope: 'apps:read', method: 'GET', path: '/api/v1/resource-type/list' },
];

const ask = ({ method, path, body }: Row, more: { as?: string; body?: unknown; type?: string } = {}) =>
  call(method, path, { body, ...more });

test('these are all the routes of apps', () => {
  const isOfApps = (path: string): boolean =>
    /^\/api\/v2\/serve\/apps|^\/api\/v1\/(?:app\/|(?:agents|team-mode|llm-strategy|resource-type)\/list)/.test(
      path,
    );
  const declared = server.app.routeTable
    .filter((route) => route.method !== 'HEAD' && isOfApps(route.url))
    .map((route) => `${route.method} ${route.url} ${route.scope}`);
  const here = rows.map(
    ({ method, path, scope }) => `${method} ${path.replace('unknown', ':app_code')} ${scope}`,
  );
  expect(declared.sort()).toEqual(here.sort());
});

describe.each(rows)('$method $path', (row) => {
  test('asks for a key that is right, lasts and has the scope', async () => {
    for (const as of ['', 'nobody-has-this', 'ended', 'ALL'])
      expectRefusal(await ask(row, { as }), 401, 'unauthorized');
    const others = row.scope === 'apps:read' ? ['writer', 'other'] : ['reader', 'other'];
    for (const as of others) {
      const refused = await ask(row, { as });
      expectRefusal(refused, 403, 'forbidden');
      expect(refused.body.err_msg).toContain(row.scope);
    }
  });
});

test.each(
  rows.filter(({ path, body }) => path.includes('unknown') || (body as typeof named | undefined)?.app_code),
)('$method $path says that there is no such app', async (row) =>
  expectRefusal(await ask(row), 404, 'app_not_found'),
);

describe.each(rows.filter(({ body }) => body !== undefined))('the body of $method $path', (row) => {
  test('is JSON, of a type that says so, and not too large', async () => {
    for (const body of ['{"app_name":', '', '{"a":01}', '{"__proto__":{"x":1}}'])
      expectRefusal(await ask(row, { body }), 400, 'invalid_json');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      expectRefusal(await ask(row, { body: '{}', type }), 415, 'unsupported_media_type');
    expectRefusal(await ask(row, { body: `"${'x'.repeat(11 * 1024 ** 2)}"` }), 413, 'body_too_large');
    expectRefusal(await ask(row, { body: `${'['.repeat(300)}${']'.repeat(300)}` }), 400, 'too_deep');
  });

  test.each([null, 5, 'text', [], true])('is an object: not %j', async (body) =>
    expectRefusal(await ask(row, { body: JSON.stringify(body) }), 400, 'invalid_request'),
  );
});

const long = 'x'.repeat(256);
const detail = (more: object) => ({ details: [{ agent_name: 'A', resources: [], ...more }] });
const resource = (more: object) => detail({ resources: [{ type: 'tool', name: 'n', value: 'v', ...more }] });

/** What is wrong with a field, and where the answer says it is. */
const mistakes: [string, object, string][] = [
  ...['app_name', 'app_describe', 'language', 'team_mode'].flatMap((field): [string, object, string][] => [
    [`${field} missing`, { [field]: undefined }, field],
    [`${field} null`, { [field]: null }, field],
    [`${field} of another type`, { [field]: 5 }, field],
    [`${field} a list`, { [field]: ['en'] }, field],
  ]),
  ['a blank name', { app_name: '   ' }, 'app_name'],
  ['a name too long', { app_name: long }, 'app_name'],
  ['a description too long', { app_describe: 'x'.repeat(4001) }, 'app_describe'],
  ['a language that is none of ours', { language: 'tlh' }, 'language'],
  ['a team mode that is none', { team_mode: 'crowd' }, 'team_mode'],
  ['a team context that is a number', { team_context: 5 }, 'team_context'],
  ['a user code too long', { user_code: long }, 'user_code'],
  ['a system code that is an object', { sys_code: {} }, 'sys_code'],
  ['an icon too long', { icon: 'x'.repeat(65_537) }, 'icon'],
  ['collected, perhaps', { is_collected: 'perhaps' }, 'is_collected'],
  ['details that are no list', { details: {} }, 'details'],
  ['too many details', { details: Array(101).fill({ agent_name: 'A' }) }, 'details'],
  ['a detail that is none', { details: ['A'] }, 'details.0'],
  ['an agent without a name', detail({ agent_name: undefined }), 'details.0.agent_name'],
  ['an agent with a blank name', detail({ agent_name: ' ' }), 'details.0.agent_name'],
  ['an empty node id', detail({ node_id: '' }), 'details.0.node_id'],
  ['a prompt that is no text', detail({ prompt_template: ['x'] }), 'details.0.prompt_template'],
  ['a strategy that is none', detail({ llm_strategy: 'best' }), 'details.0.llm_strategy'],
  ['models that are numbers', detail({ llm_strategy_value: [1] }), 'details.0.llm_strategy_value'],
  ['resources that are no list', detail({ resources: 'all' }), 'details.0.resources'],
  ['a resource without a type', resource({ type: undefined }), 'details.0.resources.0.type'],
  ['a resource without a name', resource({ name: undefined }), 'details.0.resources.0.name'],
  ['a resource with a number for a value', resource({ value: 5 }), 'details.0.resources.0.value'],
  [
    'a resource that is dynamic, perhaps',
    resource({ is_dynamic: 'yes' }),
    'details.0.resources.0.is_dynamic',
  ],
];

test.each(mistakes)('%s is refused by each way to make or change an app', async (_, change, where) => {
  const body = { ...aBody('New'), ...change };
  const answers = [
    await call('POST', base, { body }),
    await call('PUT', `${base}/${app.app_code}`, { body }),
    await call('POST', '/api/v1/app/create', { body }),
    await call('POST', '/api/v1/app/edit', { body: { ...body, app_code: app.app_code } }),
  ];
  for (const answer of answers) {
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.detail?.map(({ loc }) => loc.join('.'))).toContain(`body.${where}`);
  }
  expect(await server.ctx.apps.get(app.app_code)).toEqual(app);
  expect((await call('GET', base)).body.data).toMatchObject({ total_count: 1 });
});

test('whatever the fields hold, an app is made as it should be or refused', async () => {
  const fields = Object.fromEntries(
    Object.keys(AppBody.shape).map((field) => [field, fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 3 }))]),
  );
  const partly = fc.record(fields, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(partly, fc.boolean(), async (some, isWhole) => {
      const body = isWhole ? { ...some, ...aBody(String(Math.random())) } : some;
      const answer = await call('POST', base, { body });
      if (answer.status !== 201) return expectRefusal(answer, 400, 'invalid_request');
      const made = App.parse(answer.body.data);
      expect(made).toEqual(answer.body.data);
      expect((await call('DELETE', `${base}/${made.app_code}`)).status).toBe(200);
    }),
    { numRuns: 200 },
  );
});

test('all mistakes are told at once', async () => {
  const { body } = await call('POST', base, { body: { team_mode: 'crowd', language: 5, details: [{}] } });
  expect(body.detail?.map(({ loc }) => loc.join('.'))).toEqual([
    'body.app_name',
    'body.app_describe',
    'body.team_mode',
    'body.language',
    'body.details.0.agent_name',
  ]);
});

test('an app that is larger than one may be is refused', async () => {
  const details = Array.from({ length: 5 }, () => ({ agent_name: 'A', prompt_template: 'x'.repeat(60_000) }));
  expectRefusal(await call('POST', base, { body: aBody('New', { details }) }), 413, 'body_too_large');
});

test.each([
  'page=0',
  'page=-1',
  'page=abc',
  'page=1.5',
  'page=',
  'page=1&page=2',
  'page=99999999999999999999',
  'page_size=0',
  'page_size=101',
  'page_size=all',
  'is_collected=perhaps',
  'is_collected=true&is_collected=false',
  `name=${long}`,
  'name=a&name=b',
  'user_name=a&user_name=b',
  'colour=red',
  '__proto__=1',
])('the query %s is refused', async (query) => {
  const answer = await call('GET', `${base}?${query}`);
  expectRefusal(answer, 400, 'invalid_request');
  expect(answer.body.detail?.[0]?.loc[0]).toBe('query');
});

test.each([
  '..%2F..%2Fetc%2Fpasswd',
  'a%00b',
  '__proto__',
  'constructor',
  '%F0%9F%92%A5',
  "'; DROP TABLE apps; --",
  '<script>alert(1)</script>',
])('the code %s is that of no app', async (code) =>
  expectRefusal(await call('GET', `${base}/${code.replaceAll('/', '%2F')}`), 404, 'app_not_found'),
);

test('a code of endless length and one that is badly encoded are refused', async () => {
  expectRefusal(await call('GET', `${base}/${'x'.repeat(300)}`), 414, 'uri_too_long');
  expectRefusal(await call('GET', `${base}/%zz`), 400, 'invalid_request');
});
