import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announce, announcedOf } from './announce.ts';
import { startBed } from './testing/platform-bed.ts';

async function announced(changes: Parameters<typeof startBed>[0], terminal: boolean) {
  const bed = await startBed(changes);
  let text = '';
  announce(announcedOf(bed), terminal, (part) => {
    text += part;
  });
  const keyFile = join(bed.ctx.config.data, 'api-key.txt');
  return { bed, text, keyFile };
}

test('on a terminal the first key is shown and kept in no file', async () => {
  const { bed, text, keyFile } = await announced({ logFormat: 'pretty' }, true);
  expect(text).toContain(`API key   ${bed.firstKey}   (shown this once)`);
  expect(existsSync(keyFile)).toBe(false);
});

test('on a terminal the address signs in, and is kept in no file', async () => {
  const { bed, text } = await announced({ logFormat: 'pretty' }, true);
  expect(text).toMatch(/Editor {4}http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n/);
  expect(existsSync(join(bed.ctx.config.data, 'sign-in.txt'))).toBe(false);
});

test('lines that may end in a log show the file of the address that signs in, not the address', async () => {
  for (const [changes, terminal] of [
    [{ logFormat: 'pretty' }, false],
    [{ logFormat: 'json' }, false],
    [{ logFormat: 'json' }, true],
  ] as const) {
    const { bed, text } = await announced(changes, terminal);
    const file = join(bed.ctx.config.data, 'sign-in.txt');
    expect(text).toContain(file);
    expect(text).not.toContain('token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await signedInBy(readFileSync(file, 'utf8').trim())).toBe(303);
  }
});

test('with a password no address signs in at a start', async () => {
  const { bed, text } = await announced({ adminPassword: 'correct horse', logFormat: 'pretty' }, false);
  expect(text).not.toMatch(/token|Sign in/);
  expect(existsSync(join(bed.ctx.config.data, 'sign-in.txt'))).toBe(false);
});

async function signedInBy(address: string): Promise<number> {
  return (await fetch(address, { redirect: 'manual' })).status;
}

test('lines that may end in a log show the file of the key, not the key', async () => {
  for (const changes of [{ logFormat: 'pretty' }, { logFormat: 'json' }] as const) {
    const { bed, text, keyFile } = await announced(changes, false);
    expect(text).toContain(keyFile);
    expect(text).not.toContain(bed.firstKey as string);
  }
});

test('with keys of its own the server makes none', async () => {
  const { bed, text, keyFile } = await announced(
    { apiKeys: ['a-key-of-sixteen'], logFormat: 'pretty' },
    true,
  );
  expect(bed.firstKey).toBeUndefined();
  expect(text).not.toContain('API key');
  expect(existsSync(keyFile)).toBe(false);
});

test('without the editor there is no address to sign in at', async () => {
  const { text } = await announced({ editor: 'off', logFormat: 'pretty' }, true);
  expect(text).not.toMatch(/Editor|token/);
  expect(text).toMatch(/Triggers {2}http:\/\/127\.0\.0\.1:\d+\/api\/v1\/awel\/trigger\/<path>/);
});

test('the public address is the one that is announced', async () => {
  const changes = {
    publicUrl: 'https://flows.example',
    adminPassword: 'correct horse',
    logFormat: 'json',
  } as const;
  expect(JSON.parse((await announced(changes, false)).text)).toMatchObject({
    msg: 'ready',
    url: 'https://flows.example/',
  });
});

test('an address for all of this machine’s addresses is announced as one that works', async () => {
  const { text } = await announced({ host: '0.0.0.0', editor: 'off', logFormat: 'json' }, false);
  const { url } = JSON.parse(text) as { url: string };
  expect((await fetch(new URL('/healthz', url))).status).toBe(200);
});
