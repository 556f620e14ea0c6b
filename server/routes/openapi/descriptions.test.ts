import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ErrorCode } from '#shared/errors.ts';
import { errorTable } from '#shared/errors.ts';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';
import { routeDescriptions } from './descriptions.ts';

/** A server that has all routes that there can be. */
async function declaredRoutes(): Promise<string[]> {
  const editorFiles = await tempFolder();
  await mkdir(join(editorFiles, 'assets'));
  await writeFile(join(editorFiles, 'index.html'), '<!doctype html>');
  const { app } = await startBed({}, { editorFiles });
  return app.routeTable
    .filter(({ method, scope }) => method !== 'HEAD' && method !== 'OPTIONS' && scope !== 'trigger-auth')
    .map(({ method, url }) => `${method} ${url}`);
}

test('every route has its description, and every description its route', async () => {
  expect(Object.keys(routeDescriptions).sort()).toEqual((await declaredRoutes()).sort());
});

test('a description that leads to a page leads to one that is there', () => {
  const guides = Object.values(routeDescriptions).flatMap(({ guide }) => guide ?? []);
  expect(guides.length).toBeGreaterThan(10);
  const docs = join(import.meta.dirname, '../../../docs');
  expect(guides.filter((guide) => !existsSync(join(docs, `${guide}.md`)))).toEqual([]);
});

test('a route answers in the envelope or in a form of its own, and only what is always refused in none', () => {
  const odd = Object.entries(routeDescriptions).filter(
    ([, { data, content }]) => (data === undefined) === (content === undefined),
  );
  expect(odd.map(([route]) => route)).toEqual(['DELETE /mcp']);
});

test('a GET takes no body, and what is looked up by a name says how it may be missing', () => {
  for (const [route, { body, errors = [] }] of Object.entries(routeDescriptions)) {
    const [method = '', url = ''] = route.split(' ');
    if (method === 'GET') expect(body, route).toBeUndefined();
    const named = method === 'GET' && url.includes(':');
    const missing = errors.some((code: ErrorCode) => errorTable[code].status === 404);
    if (named) expect([route, missing]).toEqual([route, true]);
  }
});
