import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { handleError } from '../../access/http/error-handler.ts';
import { guardRoutes } from '../../access/security/guard.ts';
import { HELP_FILE, type HelpFile } from '../../base/files/built-editor.ts';
import { testContext } from '../../testing/fake-context.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { openPages } from './root.ts';

const help: HelpFile = {
  pages: { '': '<h1>Help – first</h1>', keys: '<h1>Keys</h1>', reference: '<h1>Reference</h1>' },
  notFound: '<h1>There is no such page</h1>',
  search: '{"index":"{}","places":[]}',
  theme: 'dark();',
};

let app: FastifyInstance;
let folder: string;

async function serve(): Promise<void> {
  app = fastify();
  app.setErrorHandler(handleError);
  guardRoutes(app, testContext());
  await app.register((scope) => openPages(scope, folder, undefined));
}

beforeEach(async () => {
  folder = await tempFolder();
  await writeFile(join(folder, 'index.html'), '');
  await writeFile(join(folder, HELP_FILE), brotliCompressSync(JSON.stringify(help)));
  await serve();
  onTestFinished(() => app.close());
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

test('pages and files come with their types, under a strict policy', async () => {
  const pages = await Promise.all(['/help', '/help/', '/help/keys'].map((url) => get(url)));
  expect(pages.map(({ body }) => body)).toEqual([help.pages[''], help.pages[''], help.pages['keys']]);
  expect(pages[0]?.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(pages[0]?.headers['content-security-policy']).toMatch(/script-src 'self';/);
  const [search, theme] = await Promise.all([get('/help/search.json'), get('/help/theme.js')]);
  expect([search.json(), theme.body]).toEqual([{ index: '{}', places: [] }, help.theme]);
  expect([search.headers['content-type'], theme.headers['content-type']]).toEqual([
    'application/json; charset=utf-8',
    'text/javascript; charset=utf-8',
  ]);
});

test('a browser that has a page is told that it is still the same', async () => {
  const { headers } = await get('/help/keys');
  const etag = headers['etag'] as string;
  expect(headers['cache-control']).toBe('no-cache');
  expect(await get('/help/keys', { 'if-none-match': etag })).toMatchObject({ statusCode: 304, body: '' });
  expect(await get('/help', { 'if-none-match': etag })).toMatchObject({ statusCode: 200 });
});

test.each([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip, br;q=0', 'gzip', gunzipSync],
  ['gzip', 'gzip', gunzipSync],
])('who accepts %s gets it in that form', async (accepted, coding, decode) => {
  for (const _again of [1, 2]) {
    const answer = await get('/help/keys', { 'accept-encoding': accepted });
    expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' });
    expect(decode(answer.rawPayload).toString()).toBe(help.pages['keys']);
  }
});

test.each([
  ['/help/keys.md', '/help/keys'],
  ['/help/Keys/', '/help/keys'],
  ['/help/reference/README.md', '/help/reference'],
  ['/help/README.md', '/help'],
])('%s leads to the page', async (url, to) => {
  expect(await get(url)).toMatchObject({ statusCode: 301, headers: { location: to } });
});

test('an address without a page gives browsers a page that says so, and programs an error', async () => {
  const forPeople = await get('/help/nothing', { accept: 'text/html' });
  expect([forPeople.statusCode, forPeople.body]).toEqual([404, help.notFound]);
  const forPrograms = await get('/help/nothing', { accept: '*/*' });
  expect([forPrograms.statusCode, forPrograms.json().err_code]).toEqual([404, 'not_found']);
});

test('pictures of the docs are served, and nothing else of the disk', async () => {
  const picture = await get('/help/images/editor-dark.png');
  expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/png']);
  expect(picture.headers['cache-control']).toContain('max-age=3600');
  for (const path of [
    'none.png',
    '../secret.md',
    '..%2fkeys%2fx.png',
    '%2e%2e/architecture.md',
    'a/../../site.json',
    '__proto__',
  ])
    expect((await get(`/help/images/${path}`)).statusCode, path).toBe(404);
  expect((await get('/help/__proto__')).statusCode).toBe(404);
  expect((await get('/help/constructor')).statusCode).toBe(404);
});

test('without a build the page says how to make it', async () => {
  folder = await tempFolder();
  await serve();
  const { statusCode, body } = await get('/help/keys');
  expect([statusCode, body]).toEqual([200, expect.stringContaining('npm start')]);
});

test('without a built editor the page that says so keeps its look: the policy allows its style', async () => {
  await rm(join(folder, HELP_FILE));
  const { headers, body } = await get('/help');
  expect(body).toContain('The editor is not built yet');
  const style = /<style>([^]*?)<\/style>/.exec(body)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
});
