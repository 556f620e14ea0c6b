import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fastify from 'fastify';
import { root } from '../../../tests/support/server.ts';
import { expect, test } from 'vitest';
import { testConfig, testContext } from '../../testing/fake-context.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { guardRoutes, type RouteEntry } from './guard.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { createAccess } from './access.ts';
import { type Scope, scopes } from './scopes.ts';
import { sha256 } from './secrets.ts';

/** The list is the table of SECURITY.md: an open route is a decision, and is described there. */
function openRoutes(): string[] {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const section = /^## Addresses without a key$([^]*?)^## /m.exec(text)?.[1] ?? '';
  const firstCells = [...section.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = '']) => cell);
  return firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, address = '']) => address));
}

const unlessHead = ({ method }: RouteEntry): boolean => method !== 'HEAD';

const closed = (route: RouteEntry): boolean => !['public', 'trigger-auth'].includes(route.scope);

function call(
  bed: Bed,
  { method, url }: RouteEntry,
  headers: Record<string, string> = {},
): Promise<Response> {
  const path = url.replaceAll(/:\w+/g, 'some_id').replace('*', 'some/path');
  return fetch(bed.url + path, { method, headers });
}

test('a route without a scope is refused when it is declared', () => {
  const app = fastify();
  guardRoutes(app, testContext());
  expect(() => app.get('/open', () => 'open')).toThrow('GET /open declares no scope');
});

test('the routes open to everybody are those that SECURITY.md names', async () => {
  // With a built editor, which has a few routes of its own.
  const editorFiles = await tempFolder();
  mkdirSync(join(editorFiles, 'assets'));
  writeFileSync(join(editorFiles, 'index.html'), '');
  const { app } = await startBed({}, { editorFiles });
  const open = app.routeTable.filter(unlessHead).filter(({ scope }) => scope === 'public');
  const own = app.routeTable.filter(({ scope }) => scope === 'trigger-auth').map(({ url }) => url);
  const named = openRoutes();
  expect(named.length).toBeGreaterThan(20);
  expect(new Set([...open.map(({ method, url }) => `${method} ${url}`), ...own])).toEqual(
    // The address without a path belongs to a trigger too.
    new Set(named.flatMap((one) => (one.startsWith('/') ? [one, one.slice(0, -'/*'.length)] : [one]))),
  );
});

test('every other route answers 401 without credentials, in the usual form', async () => {
  const bed = await startBed();
  const routes = bed.app.routeTable.filter(closed);
  expect(routes.length).toBeGreaterThan(20);
  for (const route of routes) {
    const answer = await call(bed, route);
    const text = await answer.text();
    expect(answer.status, `${route.method} ${route.url}`).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="weft"');
    if (route.method !== 'HEAD')
      expect(JSON.parse(text)).toMatchObject({ err_code: 'unauthorized', data: null });
  }
});

test('a key without the scope gets 403 that names it, at every route', async () => {
  const keyWithout = (scope: Scope): string => `a-key-without-${scope}`;
  const records = scopes.map((scope) => ({
    id: scope,
    name: scope,
    hash: sha256(keyWithout(scope)),
    scopes: scopes.filter((other) => other !== scope),
    createdAt: '2026-01-01T00:00:00.000Z',
  }));
  const bed = await startBed({}, { access: createAccess(testConfig(), records) });
  for (const route of bed.app.routeTable.filter(closed)) {
    const missing = route.scope === 'session' ? 'admin' : (route.scope as Scope);
    const answer = await call(bed, route, { authorization: `Bearer ${keyWithout(missing)}` });
    const text = await answer.text();
    expect(answer.status, `${route.method} ${route.url}`).toBe(403);
    if (route.method !== 'HEAD' && route.scope !== 'session') expect(text).toContain(route.scope);
  }
});

test('a session that cannot be looked up closes what needs one, and nothing else', async () => {
  const refuse = (): Promise<never> => Promise.reject(new ServiceError('storage_failed'));
  const store = { find: refuse, add: refuse, extend: refuse, remove: refuse, removeAll: refuse };
  const bed = await startBed({}, { access: createAccess(testConfig(), [], Date.now, { store }) });
  const headers = { cookie: 'weft_session_0=of-another-process' };
  const found = ['/api/v1/session', '/healthz', '/openapi.json'].map(
    async (path) => (await fetch(bed.url + path, { headers })).status,
  );
  expect(await Promise.all(found)).toEqual([503, 200, 200]);
});

test('a name that is not ours is refused everywhere, also at triggers and open routes', async () => {
  const bed = await startBed();
  for (const path of ['/', '/healthz', '/api/v1/flows', '/api/v1/awel/trigger/x', '/nothing']) {
    const answer = await bed.app.inject({ url: path, headers: { host: 'evil.example' } });
    expect(answer.statusCode, path).toBe(403);
    expect(answer.json()).toMatchObject({ err_code: 'bad_host' });
  }
});

test('without the editor there are triggers, forms, chat, knowledge, waits, app look-up, health and metrics, and nothing to manage', async () => {
  const bed = await startBed({ editor: 'off' });
  const urls = [...new Set(bed.app.routeTable.map(({ url }) => url))].sort();
  expect(urls).toEqual([
    '/api/v1/awel/trigger',
    '/api/v1/awel/trigger/*',
    '/api/v1/chat/:id/stop',
    '/api/v1/chat/conversations',
    '/api/v1/chat/conversations/:id',
    '/api/v1/chat/conversations/:id/files/:handle',
    '/api/v1/chat/files',
    '/api/v1/chat/mode/params/list',
    '/api/v1/events/:name/:key',
    '/api/v1/knowledge/documents/:document',
    '/api/v1/knowledge/documents/:document/chunks',
    '/api/v1/knowledge/documents/:document/sync',
    '/api/v1/knowledge/spaces',
    '/api/v1/knowledge/spaces/:space',
    '/api/v1/knowledge/spaces/:space/documents',
    '/api/v1/knowledge/spaces/:space/search',
    '/api/v1/run-status/:id',
    '/api/v1/waits',
    '/api/v1/waits/:id',
    '/api/v1/waits/:id/decide',
    '/api/v2/chat/completions',
    '/api/v2/chat/completions/:id',
    '/api/v2/completions',
    '/api/v2/embeddings',
    '/api/v2/models',
    '/api/v2/models/:id',
    '/api/v2/responses',
    '/api/v2/serve/apps',
    '/api/v2/serve/apps/:app_code',
    '/api/v2/serve/knowledge/documents',
    '/api/v2/serve/knowledge/documents/:document',
    '/api/v2/serve/knowledge/documents/:document/sync',
    '/api/v2/serve/knowledge/documents/batch_sync',
    '/api/v2/serve/knowledge/documents/sync',
    '/api/v2/serve/knowledge/health',
    '/api/v2/serve/knowledge/spaces',
    '/api/v2/serve/knowledge/spaces/:space',
    '/api/v2/serve/knowledge/test_auth',
    '/form/*',
    '/healthz',
    '/hooks/:key',
    '/knowledge/:space/argument/save',
    '/knowledge/:space/arguments',
    '/knowledge/:space/chunk/list',
    '/knowledge/:space/document/add',
    '/knowledge/:space/document/delete',
    '/knowledge/:space/document/list',
    '/knowledge/:space/document/sync',
    '/knowledge/:space/document/sync_batch',
    '/knowledge/:space/document/upload',
    '/knowledge/:space/query',
    '/knowledge/document/chunkstrategies',
    '/knowledge/space/add',
    '/knowledge/space/delete',
    '/knowledge/space/list',
    '/mcp',
    '/mcp/:group',
    '/metrics',
    '/openapi.json',
    '/readyz',
    '/talk/:app',
    '/talk/:app/files',
    '/talk/:app/files/:conversation/:handle',
    '/talk/:app/messages',
    '/v1/chat/completions',
    '/v1/completions',
    '/v1/embeddings',
    '/v1/files',
    '/v1/models',
    '/v1/models/*',
    '/v1/responses',
    '/wait/:id',
    '/wait/:id/call',
  ]);
  expect((await fetch(`${bed.url}/api/v1/flows`)).status).toBe(404);
  expect((await fetch(bed.url)).status).toBe(404);
});

test('pages of configured origins may call the API with a key, others may not', async () => {
  const bed = await startBed({ corsOrigins: ['https://good.example'], apiKeys: ['a-key-of-sixteen'] });
  const ask = (origin: string, init: RequestInit = {}) =>
    fetch(`${bed.url}/api/v1/flows`, {
      ...init,
      headers: { origin, 'access-control-request-method': 'GET', authorization: 'Bearer a-key-of-sixteen' },
    });
  const preflight = await ask('https://good.example', { method: 'OPTIONS' });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://good.example');
  expect((await ask('https://good.example')).headers.get('access-control-allow-origin')).toBe(
    'https://good.example',
  );
  const stranger = await ask('https://evil.example');
  expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
  expect(stranger.headers.get('access-control-allow-credentials')).toBeNull();
  expect(
    (await ask('https://evil.example', { method: 'OPTIONS' })).headers.get('access-control-allow-origin'),
  ).toBeNull();
});
