import { describe, expect, test } from 'vitest';
import { aBody } from '../../chat/apps/testing/an-app.ts';
import { appsBed, base } from './testing/apps-bed.ts';

const bed = appsBed();
const { call, expectRefusal } = bed;

interface Row {
  readonly scope: 'apps:read' | 'apps:write';
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Valid calls of every route of apps, except that a named app is unknown. */
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

test('these are all the routes of apps', async () => {
  const isOfApps = (path: string): boolean =>
    /^\/api\/v2\/serve\/apps|^\/api\/v1\/(?:app\/|(?:agents|team-mode|llm-strategy|resource-type)\/list)/.test(
      path,
    );
  const { routeTable } = await bed.server.front.app();
  const declared = routeTable
    .filter((route) => route.method !== 'HEAD' && isOfApps(route.url))
    .map((route) => `${route.method} ${route.url} ${route.scope}`);
  const here = rows.map(
    ({ method, path, scope }) => `${method} ${path.replace('unknown', ':app_code')} ${scope}`,
  );
  expect(declared.sort()).toEqual(here.sort());
});

/** Credentials are checked first, then the request, then whether the app exists. */
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
)('$method $path answers that there is no such app', async (row) =>
  expectRefusal(await ask(row), 404, 'app_not_found'),
);

describe.each(rows.filter(({ body }) => body !== undefined))('the body of $method $path', (row) => {
  test('is JSON, of a JSON type, and not too large', async () => {
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
