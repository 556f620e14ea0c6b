import { describe, expect, test } from 'vitest';
import type { Config } from '../../base/config/config.ts';
import { testConfig } from '../../testing/fake-context.ts';
import { type Access, createAccess } from './access.ts';
import type { AccessRequest } from './request.ts';
import { defaultKeyScopes } from './scopes.ts';
import { sha256 } from './secrets.ts';

const key = 'weft_a-key-that-was-kept-as-its-hash';
const kept = [
  {
    id: '1',
    name: 'reader',
    hash: sha256(key),
    scopes: ['runs:read' as const],
    createdAt: '2026-01-01T00:00:00.000Z',
  },
];

function bearer(secret: string): AccessRequest {
  return { method: 'GET', headers: { authorization: `Bearer ${secret}` } };
}

function access(changes: Partial<Config> = {}, now?: () => number): Access {
  return createAccess(testConfig(changes), kept, now);
}

/** The refusal of the request, or its caller. */
function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

async function browser(
  of: Access,
): Promise<{ request(more?: object, method?: string): AccessRequest; csrf: string }> {
  const signIn = await of.exchangeStartToken({ headers: {} }, of.issueStartToken());
  if (signIn === undefined) throw new Error('The start token was refused.');
  const cookie = signIn.cookie.split(';', 1)[0] as string;
  return {
    csrf: signIn.csrf,
    request: (more = {}, method = 'GET') => ({
      method,
      headers: { host: 'localhost:5670', cookie, ...more },
    }),
  };
}

describe('keys', () => {
  test('a kept key has the scopes it was given and no others', () => {
    const a = access();
    expect(a.keyHasScope(`Bearer ${key}`, 'runs:read')).toBe(true);
    expect(a.keyHasScope(`Bearer ${key}`, 'triggers')).toBe(false);
    expect(a.require(bearer(key), 'runs:read')).toMatchObject({ kind: 'key', name: 'key reader' });
    expect(outcome(() => a.require(bearer(key), 'flows:write'))).toBe('forbidden');
  });

  test('the refusal names the scope that lacks', () => {
    expect(() => access().require(bearer(key), 'flows:publish')).toThrow('flows:publish');
  });

  test('a key of the environment may do what such keys may', () => {
    const a = access({ apiKeys: ['environment-key-1234'] });
    expect([...a.require(bearer('environment-key-1234'), 'triggers').scopes]).toEqual([...defaultKeyScopes]);
    expect(outcome(() => a.require(bearer('environment-key-1234'), 'admin'))).toBe('forbidden');
  });

  test.each([`bearer ${key}`, `BEARER   ${key} `])(
    'the scheme is read as HTTP defines: %j',
    (authorization) => {
      expect(access().keyHasScope(authorization, 'runs:read')).toBe(true);
    },
  );

  test.each([
    undefined,
    '',
    key,
    'Bearer',
    'Bearer ',
    `Basic ${key}`,
    `Bearer ${key}x`,
    `Bearer ${sha256(key)}`,
    `Bearer ${'x'.repeat(100_000)}`,
  ])('%s is no key', (authorization) => {
    expect(access().keyHasScope(authorization, 'runs:read')).toBe(false);
  });

  test('a wrong key is not made good by a session', async () => {
    const a = access();
    const { request } = await browser(a);
    expect(a.ofRequest(request())?.kind).toBe('session');
    expect(a.ofRequest(request({ authorization: 'Bearer wrong' }))).toBeUndefined();
  });

  test('a key needs no CSRF token and comes from any origin', () => {
    const request = { method: 'POST', headers: { ...bearer(key).headers, origin: 'https://evil.example' } };
    expect(access().require(request, 'runs:read').kind).toBe('key');
  });

  test('a key is not enough for what is a browser’s', () => {
    expect(outcome(() => access().require(bearer(key), 'session'))).toBe('forbidden');
  });
});

describe('sessions', () => {
  test('the start token signs in once', async () => {
    const a = access();
    const token = a.issueStartToken();
    expect(await a.exchangeStartToken({ headers: {} }, `${token}x`)).toBeUndefined();
    expect((await a.exchangeStartToken({ headers: {} }, token))?.csrf).toEqual(expect.any(String));
    expect(await a.exchangeStartToken({ headers: {} }, token)).toBeUndefined();
  });

  test('a new start token ends the one before', async () => {
    const a = access();
    const first = a.issueStartToken();
    a.issueStartToken();
    expect(await a.exchangeStartToken({ headers: {} }, first)).toBeUndefined();
  });

  test('a start token is over after a quarter of an hour', async () => {
    let now = 0;
    const a = createAccess(testConfig(), [], () => now);
    const token = a.issueStartToken();
    now = 15 * 60_000;
    expect(await a.exchangeStartToken({ headers: {} }, token)).toBeUndefined();
    const next = a.issueStartToken();
    now += 15 * 60_000 - 1;
    expect(await a.exchangeStartToken({ headers: {} }, next)).toBeDefined();
  });

  test('the cookie is for HTTP alone, for this site alone, and secure where the server is', async () => {
    const local = access();
    expect((await local.exchangeStartToken({ headers: {} }, local.issueStartToken()))?.cookie).toMatch(
      /^weft_session_0=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const open = access({ publicUrl: 'https://flows.example' });
    expect((await open.exchangeStartToken({ headers: {} }, open.issueStartToken()))?.cookie).toMatch(
      /; Secure$/,
    );
  });

  test('a session may do everything, and reads need no CSRF token', async () => {
    const a = access();
    expect(a.require((await browser(a)).request(), 'admin')).toMatchObject({ kind: 'session' });
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'])(
    '%s needs the CSRF token of this very session',
    async (method) => {
      const a = access();
      const one = await browser(a);
      const other = await browser(a);
      expect(outcome(() => a.require(one.request({}, method), 'admin'))).toBe('csrf_missing');
      expect(outcome(() => a.require(one.request({ 'x-weft-csrf': other.csrf }, method), 'admin'))).toBe(
        'csrf_missing',
      );
      expect(a.require(one.request({ 'x-weft-csrf': one.csrf }, method), 'admin').kind).toBe('session');
    },
  );

  test.each(['https://evil.example', 'http://localhost:8080', 'null', 'http://localhost:5670.evil.example'])(
    'a page of %s cannot use it',
    async (origin) => {
      const a = access();
      const { request } = await browser(a);
      expect(outcome(() => a.require(request({ origin }), 'admin'))).toBe('bad_origin');
    },
  );

  test('our own pages can, also under the public address', async () => {
    const a = access({ publicUrl: 'https://flows.example/' });
    const { request } = await browser(a);
    expect(a.require(request({ origin: 'http://localhost:5670' }), 'admin').kind).toBe('session');
    expect(a.require(request({ origin: 'https://flows.example' }), 'admin').kind).toBe('session');
  });

  test('signing out ends it', async () => {
    const a = access();
    const { request } = await browser(a);
    expect(await a.signOut(request())).toMatch(/^weft_session_0=; Max-Age=0; /);
    expect(outcome(() => a.require(request(), 'session'))).toBe('unauthorized');
  });

  test('a week without use ends it, use keeps it', async () => {
    const day = 24 * 3600 * 1000;
    let now = 0;
    const a = access({}, () => now);
    const { request } = await browser(a);
    now = 6 * day;
    expect(a.ofRequest(request())).toBeDefined();
    now = 12 * day;
    expect(a.ofRequest(request())).toBeDefined();
    now = 19 * day;
    expect(a.ofRequest(request())).toBeUndefined();
  });

  test('the least recently used of more than 200 ends first', async () => {
    const a = access();
    const first = await browser(a);
    const second = await browser(a);
    for (let i = 0; i < 198; i++) await browser(a);
    expect(a.ofRequest(first.request())).toBeDefined();
    await browser(a);
    expect(a.ofRequest(first.request())).toBeDefined();
    expect(a.ofRequest(second.request())).toBeUndefined();
  });
});

describe('a proxy that is not configured', () => {
  const headers = { ...bearer(key).headers, 'x-forwarded-for': '203.0.113.7' };

  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-anything'])(
    'closes management: %s',
    async (name) => {
      const request = { headers: { ...bearer(key).headers, [name]: 'x' } };
      expect(outcome(() => access().require(request, 'runs:read'))).toBe('forbidden');
      const a = access();
      await expect(a.exchangeStartToken(request, a.issueStartToken())).rejects.toMatchObject({
        code: 'forbidden',
      });
    },
  );

  test('is fine with a password, or when it is trusted', () => {
    expect(access({ adminPassword: 'long enough' }).require({ headers }, 'runs:read').kind).toBe('key');
    expect(access({ trustProxy: true }).require({ headers }, 'runs:read').kind).toBe('key');
  });
});

describe('the password', () => {
  const here = { headers: { host: 'localhost:5670' } };

  test('signs in, and a wrong one does not', async () => {
    const a = access({ adminPassword: 'correct horse' });
    await expect(a.signIn(here, 'wrong horse', '10.0.0.1')).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await a.signIn(here, 'correct horse', '10.0.0.1')).csrf).toEqual(expect.any(String));
  });

  test('cannot be tried more than five times a minute from one address', async () => {
    let now = 0;
    const a = access({ adminPassword: 'correct horse' }, () => now);
    for (let i = 0; i < 5; i++) {
      await expect(a.signIn(here, 'guess', '10.0.0.1')).rejects.toMatchObject({ code: 'unauthorized' });
    }
    now = 20_000;
    await expect(a.signIn(here, 'correct horse', '10.0.0.1')).rejects.toMatchObject({
      code: 'too_many_requests',
      headers: { 'retry-after': '40' },
    });
    expect((await a.signIn(here, 'correct horse', '10.0.0.2')).csrf).toEqual(expect.any(String));
    now = 60_001;
    expect((await a.signIn(here, 'correct horse', '10.0.0.1')).csrf).toEqual(expect.any(String));
  });

  test('is not there when none is set', async () => {
    await expect(access().signIn(here, '', '10.0.0.1')).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('is not taken from a page of another origin', async () => {
    const request = { headers: { host: 'localhost:5670', origin: 'https://evil.example' } };
    const a = access({ adminPassword: 'correct horse' });
    await expect(a.signIn(request, 'correct horse', '10.0.0.1')).rejects.toMatchObject({
      code: 'bad_origin',
    });
  });
});

describe('websockets', () => {
  test('open with a session and our own origin, and with nothing less', async () => {
    const a = access();
    const { request } = await browser(a);
    expect(await a.authorizeUpgrade(request({ origin: 'http://localhost:5670' }), 'runs:read')).toMatchObject(
      {
        kind: 'session',
      },
    );
    expect(await a.authorizeUpgrade(request(), 'runs:read')).toMatchObject({ code: 'bad_origin' });
    expect(await a.authorizeUpgrade(request({ origin: 'https://evil.example' }), 'runs:read')).toMatchObject({
      code: 'bad_origin',
    });
    expect(await a.authorizeUpgrade({ headers: { host: 'localhost:5670' } }, 'runs:read')).toMatchObject({
      code: 'unauthorized',
    });
  });

  test('open with a key of the scope', async () => {
    expect(await access().authorizeUpgrade(bearer(key), 'runs:read')).toMatchObject({ kind: 'key' });
    expect(await access().authorizeUpgrade(bearer(key), 'runs:write')).toMatchObject({ code: 'forbidden' });
  });
});
