import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { handleError } from '../../access/http/error-handler.ts';
import { guardRoutes } from '../../access/security/guard.ts';
import { testContext } from '../../testing/fake-context.ts';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';
import root from './root.ts';

describe('without a built editor', () => {
  test('the page explains what to do, without scripts and under a strict policy', async () => {
    const { url } = await startBed();
    const answer = await fetch(url);
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain('npm start');
    expect(text).not.toMatch(/<script|style=|https?:/);
    const policy = answer.headers.get('content-security-policy') as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('permissions-policy')).toMatch(/camera=\(\), .*microphone=\(\)/);
  });

  test('answers that are no pages carry no policy', async () => {
    const { url } = await startBed();
    expect((await fetch(`${url}/healthz`)).headers.get('content-security-policy')).toBeNull();
  });
});

describe('with a built editor', () => {
  let app: FastifyInstance;

  beforeEach(async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Editor</title>');
    await writeFile(join(folder, 'assets', 'main-1a2b3c.js'), 'export {};');
    await writeFile(join(folder, 'assets', 'main-1a2b3c.js.br'), 'compressed');
    await writeFile(join(folder, 'secret.txt'), 'not served');
    app = fastify();
    app.setErrorHandler(handleError);
    const ctx = testContext({ editorFiles: folder });
    guardRoutes(app, ctx);
    await app.register((scope) => root(scope, ctx));
    onTestFinished(() => app.close());
  });

  test('the editor is at / and is asked for again each time', async () => {
    const answer = await app.inject('/');
    expect(answer.body).toContain('<title>Editor');
    expect(answer.headers['cache-control']).toBe('no-cache');
  });

  test('files with a hash in their name are kept by browsers for good', async () => {
    const answer = await app.inject('/assets/main-1a2b3c.js');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toMatch(/javascript/);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  test('addresses of the editor’s own give the editor to browsers', async () => {
    const answer = await app.inject({ url: '/flows/my_flow', headers: { accept: 'text/html,*/*' } });
    expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('<title>Editor')]);
  });

  test.each([
    ['a program', '/flows/my_flow', 'application/json'],
    ['the API', '/api/v1/nothing', 'text/html'],
    ['a missing file', '/assets/none.js', '*/*'],
  ])('%s gets 404 as JSON', async (_name, url, accept) => {
    const answer = await app.inject({ url, headers: { accept } });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ err_code: 'not_found' });
  });

  test('a browser that takes it gets an asset compressed, with the type of the asset', async () => {
    const headers = { 'accept-encoding': 'gzip, br' };
    const answer = await app.inject({ url: '/assets/main-1a2b3c.js', headers });
    expect(answer.headers).toMatchObject({ 'content-encoding': 'br' });
    expect(answer.headers['content-type']).toContain('javascript');
    expect(answer.body).toBe('compressed');
    expect((await app.inject('/assets/main-1a2b3c.js')).body).toBe('export {};');
  });

  test.each(['/assets/..%2fsecret.txt', '/assets/%2e%2e/secret.txt', '/assets/../secret.txt', '/secret.txt'])(
    'files outside of the assets are not served: %s',
    async (url) => {
      const answer = await app.inject(url);
      expect([403, 404]).toContain(answer.statusCode);
      expect(answer.json()).toMatchObject({ success: false, data: null });
    },
  );
});
