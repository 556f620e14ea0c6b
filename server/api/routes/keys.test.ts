import { eventually } from '../../../tests/support/eventually.ts';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { CreatedKey, KeyInfo } from '#shared/key.ts';
import { createLog } from '../../base/log/log.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import { testConfig } from '../../testing/fake-context.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';

type Answer = { status: number; text: string; body: { data: unknown; err_code: string; err_msg: string } };

/** Calls as a signed-in browser does, or with a key. */
async function client(bed: Bed, key?: string) {
  const headers = key === undefined ? await signIn(bed) : { authorization: `Bearer ${key}` };
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: JSON.parse(text) as Answer['body'] };
  };
}

type Call = Awaited<ReturnType<typeof client>>;

async function make(call: Call, name: string, scopes: string[], more: object = {}): Promise<CreatedKey> {
  const { status, text, body } = await call('POST', '/keys', { name, scopes, ...more });
  expect(status, text).toBe(201);
  return body.data as CreatedKey;
}

describe('/api/v1/keys', () => {
  test('makes a key that is shown once, and revokes it for the next request', async () => {
    const bed = await startBed();
    const owner = await client(bed);
    const { key, id } = await make(owner, 'reader', ['flows:read']);
    const reader = await client(bed, key);
    expect((await reader('GET', '/flows')).status).toBe(200);
    expect((await reader('GET', '/keys')).body).toMatchObject({ err_code: 'forbidden' });
    const list = await owner('GET', '/keys');
    expect(list.body.data).toContainEqual({
      id,
      name: 'reader',
      scopes: ['flows:read'],
      source: 'kept',
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
    });
    expect(list.text).not.toContain(key);
    expect((await owner('DELETE', `/keys/${id}`)).status).toBe(200);
    expect((await reader('GET', '/flows')).status).toBe(401);
    expect((await owner('DELETE', `/keys/${id}`)).body).toMatchObject({ err_code: 'key_not_found' });
  });

  test('a key with the scope admin may make others, and may revoke itself', async () => {
    const bed = await startBed();
    const admin = await client(bed, (await make(await client(bed), 'root', ['admin'])).key);
    await make(admin, 'made by root', ['chat']);
    expect((await admin('DELETE', '/keys/root')).status).toBe(200);
    expect((await admin('GET', '/keys')).status).toBe(401);
  });

  test('an expired key gets an error that names the expiry', async () => {
    const bed = await startBed();
    const soon = new Date(Date.now() + 2000).toISOString();
    const { key } = await make(await client(bed), 'short', ['flows:read'], { expiresAt: soon });
    const short = await client(bed, key);
    const late = await eventually(async () => {
      const answer = await short('GET', '/flows');
      expect(answer.status).toBe(401);
      return answer;
    });
    expect(late.body.err_msg).toBe(`The key in the Authorization header expired at ${soon}; use a new one.`);
  });

  test.each([
    ['no body', undefined, 400, 'invalid_request'],
    ['no name', { scopes: ['chat'] }, 400, 'invalid_request'],
    ['a name of blanks', { name: '  ', scopes: ['chat'] }, 400, 'invalid_request'],
    ['a name with a line break', { name: 'a\nb', scopes: ['chat'] }, 400, 'invalid_request'],
    ['a name without end', { name: 'a'.repeat(101), scopes: ['chat'] }, 400, 'invalid_request'],
    ['no scopes', { name: 'a', scopes: [] }, 400, 'invalid_request'],
    ['a scope that there is not', { name: 'a', scopes: ['everything'] }, 400, 'invalid_request'],
    ['an end that is no time', { name: 'a', scopes: ['chat'], expiresAt: 'soon' }, 400, 'invalid_request'],
    [
      'an end that is over',
      { name: 'a', scopes: ['chat'], expiresAt: '2020-01-01T00:00:00Z' },
      400,
      'invalid_request',
    ],
    ['an unknown field', { name: 'a', scopes: ['chat'], key: 'mine' }, 400, 'invalid_request'],
    ['a name that is taken', { name: 'first', scopes: ['chat'] }, 409, 'conflict'],
    ['a name of the environment', { name: 'WEFT_API_KEYS[0]', scopes: ['chat'] }, 409, 'conflict'],
  ])('refuses %s', async (_, body, status, code) => {
    const call = await client(await startBed());
    const answer = await call('POST', '/keys', body);
    expect(answer).toMatchObject({ status, body: { err_code: code, data: null } });
    expect((await call('GET', '/keys')).body.data as KeyInfo[]).toHaveLength(1);
  });

  test('keys of the environment can only be taken away there', async () => {
    const call = await client(await startBed({ apiKeys: ['a-key-of-the-environment'] }));
    const id = encodeURIComponent('WEFT_API_KEYS[0]');
    expect((await call('DELETE', `/keys/${id}`)).body).toMatchObject({ err_code: 'key_read_only' });
  });

  test('the log names who made and revoked a key, and who signed in or failed to; it contains no keys and passwords', async () => {
    let lines = '';
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines += chunk.toString();
        done();
      },
    });
    const config = testConfig({ logLevel: 'info' });
    const log = createLog(config, output, createRedactor());
    const bed = await startBed({ adminPassword: 'correct horse' }, { log });
    const session = (password: string) =>
      fetch(`${bed.url}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ password }),
      });
    await session('wrong horse');
    await session('correct horse');
    const call = await client(bed);
    const { key, id } = await make(call, 'ci', ['chat']);
    await call('DELETE', `/keys/${id}`);
    const entries = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => 'audit' in line);
    expect(entries).toMatchObject([
      { audit: 'sign-in refused', from: '127.0.0.1' },
      { audit: 'signed in', by: expect.stringMatching(/^session /), from: '127.0.0.1' },
      { audit: 'signed in', by: expect.stringMatching(/^session /), from: '127.0.0.1' },
      { audit: 'API key made', key: 'ci', scopes: ['chat'], by: expect.stringMatching(/^session /) },
      { audit: 'API key revoked', key: 'ci', keyId: id },
    ]);
    expect(lines).not.toContain(key);
    expect(lines).not.toContain('horse');
  });
});
