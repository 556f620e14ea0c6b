import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOutbound } from '../../../base/outbound/outbound.ts';
import {
  serveTriggers,
  fakeAccess,
  type TriggerServer,
} from '../../../api/triggers/testing/trigger-server.ts';
import { liveFlow } from '../../../api/triggers/testing/live-flow.ts';
import { createTriggerGate } from './gate.ts';

const AUDIENCE = 'orders';
const pairs = await Promise.all([generateKeyPair('RS256', { extractable: true }), generateKeyPair('RS256')]);
const [own, other] = pairs as [(typeof pairs)[0], (typeof pairs)[0]];
const secrets: Record<string, string> = {
  shared: 'a secret that both sides of the call know',
  pem: await exportSPKI(own.publicKey),
};

/** What the issuer answers with, and how often it was asked for its keys. */
const issuer = { origin: '', keys: [] as object[], asked: 0, answers: 'keys' as 'keys' | 'html' | 'nothing' };
const http = createServer((request, response) => {
  if (issuer.answers === 'nothing') return response.destroy();
  if (issuer.answers === 'html') return response.end('<h1>Down</h1>');
  const keysAt = `${issuer.origin}/keys`;
  if (request.url === '/keys') issuer.asked++;
  return response.end(
    JSON.stringify(
      request.url === '/keys' ? { keys: issuer.keys } : { issuer: issuer.origin, jwks_uri: keysAt },
    ),
  );
});
let outbound: ReturnType<typeof createOutbound>;
let now = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  issuer.origin = `http://127.0.0.1:${port}`;
  outbound = createOutbound({ allow: [`127.0.0.1:${port}`] });
});

beforeEach(async () => {
  now = Date.now();
  Object.assign(issuer, {
    keys: [{ ...(await exportJWK(own.publicKey)), kid: 'one' }],
    asked: 0,
    answers: 'keys',
  });
});

afterAll(async () => {
  await outbound.close();
  http.close();
});

async function serve(auth: object): Promise<TriggerServer> {
  const use = (name: string): string => secrets[name] as string;
  const gate = createTriggerGate({ access: fakeAccess, secrets: { use }, http: outbound, now: () => now });
  const flow = liveFlow('f', { path: '/f', methods: ['GET'], auth });
  return serveTriggers(
    [flow],
    ({ request }) => ({ kind: 'value', status: 200, headers: undefined, body: request }),
    gate,
  );
}

async function ask(server: TriggerServer, headers: Record<string, string>) {
  const { status, text } = await server.call('/f', { headers });
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}

interface Made {
  readonly key?: CryptoKey | Uint8Array;
  readonly alg?: string;
  readonly kid?: string;
  readonly iss?: string;
  readonly aud?: string;
  readonly exp?: string | null;
}

function token({ key = own.privateKey, alg = 'RS256', kid = 'one', ...claims }: Made = {}): Promise<string> {
  const { iss = issuer.origin, aud = AUDIENCE, exp = '1h' } = claims;
  const made = new SignJWT({ role: 'clerk' }).setProtectedHeader({ alg, kid }).setIssuedAt(now / 1000);
  made.setSubject('ada').setIssuer(iss).setAudience(aud);
  if (exp !== null) made.setExpirationTime(exp);
  return made.sign(key);
}

const bearer = async (made?: Made) => ({ authorization: `Bearer ${await token(made)}` });
const ofIssuer = () => ({ type: 'jwt', issuer: issuer.origin, audience: AUDIENCE });

describe('a token of an issuer', () => {
  test('lets its holder in, and the flow reads what it says but not the token', async () => {
    const server = await serve(ofIssuer());
    const { status, body } = await ask(server, await bearer());
    expect(status).toBe(200);
    expect(body['claims']).toMatchObject({ sub: 'ada', role: 'clerk', iss: issuer.origin });
    expect(body['headers']).not.toHaveProperty('authorization');
    await ask(server, await bearer());
    expect(issuer.asked).toBe(1);
    await server.close();
  });

  test.each<[string, Made, string]>([
    ['for somebody else', { aud: 'invoices' }, '`aud`'],
    ['of somebody else', { iss: 'https://evil.example' }, '`iss`'],
    ['that has expired', { exp: '-1h' }, 'has expired'],
    ['that never expires', { exp: null }, '`exp`'],
    ['with another key under its name', { key: other.privateKey }, 'not signed by the issuer'],
    [
      'signed with the public key as a secret',
      { key: new TextEncoder().encode(secrets['pem']), alg: 'HS256' },
      'not signed',
    ],
  ])('%s is refused', async (_kind, made, why) => {
    const server = await serve(ofIssuer());
    const { status, body } = await ask(server, await bearer(made));
    expect([status, body['err_code']]).toEqual([401, 'unauthorized']);
    expect(body['err_msg']).toContain(why);
    await server.close();
  });

  test('without a signature is refused', async () => {
    const server = await serve(ofIssuer());
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: issuer.origin, aud: AUDIENCE, exp: now / 1000 + 60 };
    for (const end of ['', '.', '.AA']) {
      const { status } = await ask(server, {
        authorization: `Bearer ${part({ alg: 'none' })}.${part(claims)}${end}`,
      });
      expect(status).toBe(401);
    }
    expect((await ask(server, {})).body['err_msg']).toContain('needs a JSON Web Token');
    await server.close();
  });

  test('with a new key of the issuer is accepted; unknown keys are looked up twice a minute at most', async () => {
    const server = await serve({ ...ofIssuer(), jwks: `${issuer.origin}/keys` });
    expect((await ask(server, await bearer())).status).toBe(200);
    issuer.keys.push({ ...(await exportJWK(other.publicKey)), kid: 'two' });
    const renewed = { key: other.privateKey, kid: 'two' };
    expect((await ask(server, await bearer(renewed))).status).toBe(401);
    now += 31_000;
    expect((await ask(server, await bearer(renewed))).status).toBe(200);
    for (let i = 0; i < 5; i++)
      expect((await ask(server, await bearer({ kid: `no-${i}` }))).status).toBe(401);
    expect(issuer.asked).toBe(2);
    await server.close();
  });

  test.each(['html', 'nothing'] as const)(
    'cannot be checked if the issuer answers with %s',
    async (answers) => {
      issuer.answers = answers;
      const server = await serve(ofIssuer());
      const refused = await ask(server, await bearer());
      expect([refused.status, refused.body['err_code']]).toEqual([503, 'auth_not_ready']);
      issuer.answers = 'keys';
      expect((await ask(server, await bearer())).status).toBe(200);
      await server.close();
    },
  );

  test('of an issuer inside the network is not looked up', async () => {
    const server = await serve({ type: 'jwt', issuer: 'http://169.254.169.254', audience: AUDIENCE });
    expect((await ask(server, await bearer())).body['err_code']).toBe('auth_not_ready');
    await server.close();
  });
});

describe('a token with a shared key', () => {
  const shared = { type: 'jwt-secret', secret: { $secret: 'shared' } };
  const signed = (secret: string, more: Made = {}) =>
    bearer({ key: new TextEncoder().encode(secret), alg: 'HS256', ...more });

  test('is checked with the secret', async () => {
    const server = await serve({ ...shared, audience: AUDIENCE });
    expect((await ask(server, await signed(secrets['shared'] as string))).body['claims']).toMatchObject({
      sub: 'ada',
    });
    expect((await ask(server, await signed('another secret of the same length!!!!'))).status).toBe(401);
    expect((await ask(server, await signed(secrets['shared'] as string, { aud: 'x' }))).status).toBe(401);
    await server.close();
  });

  test('is checked with a public key, which is no shared secret', async () => {
    const server = await serve({ type: 'jwt-secret', secret: { $secret: 'pem' } });
    expect((await ask(server, await bearer())).status).toBe(200);
    expect((await ask(server, await signed(secrets['pem'] as string))).status).toBe(401);
    await server.close();
  });
});

test('a secret in a header lets its holder in, and the flow does not see it', async () => {
  const server = await serve({ type: 'header', header: 'X-Door', secret: { $secret: 'shared' } });
  const right = await ask(server, { 'x-door': secrets['shared'] as string, 'x-mine': 'yes' });
  expect(right.status).toBe(200);
  expect(right.body['headers']).toMatchObject({ 'x-mine': 'yes' });
  expect(right.body['headers']).not.toHaveProperty('x-door');
  const wrong = await ask(server, { 'x-door': 'guess' });
  expect([wrong.status, wrong.body['err_msg']]).toEqual([
    401,
    'The secret is wrong: send `X-Door: <secret>`.',
  ]);
  expect((await ask(server, {})).body['err_msg']).toContain('needs a secret in a header');
  await server.close();
});
