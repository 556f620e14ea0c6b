import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { FastifyRequest } from 'fastify';
import { WeftError } from '#engine';
import {
  fakeAccess,
  serveTriggers,
  type TriggerServer,
} from '../../../api/triggers/testing/trigger-server.ts';
import { liveFlow } from '../../../api/triggers/testing/live-flow.ts';
import type { Endpoint } from '../../../api/triggers/endpoint.ts';
import { createTriggerGate } from './gate.ts';

const values: Record<string, string> = { hook: 'the shared secret', door: 'pass:wörd' };
let time = 1_700_000_000_000;
let server: TriggerServer;
/** Bodies that runs have received. */
let seen: unknown[] = [];

afterEach(async () => {
  time = 1_700_000_000_000;
  await server.close();
});

async function serve(auth: unknown, params: Record<string, unknown> = {}): Promise<void> {
  seen = [];
  const secrets = {
    use(name: string) {
      const value = values[name];
      if (value === undefined) throw new WeftError('secret_unknown', `There is no secret ${name}.`);
      return value;
    },
  };
  const gate = createTriggerGate({ access: fakeAccess, secrets, now: () => time });
  const flow = liveFlow('f', { path: '/f', methods: ['POST'], auth, ...params });
  server = await serveTriggers(
    [flow],
    ({ output, request }) => {
      seen.push(output);
      return { kind: 'value', status: 200, headers: undefined, body: request.headers };
    },
    gate,
  );
}

const hook = { type: 'hmac', secret: { $secret: 'hook' } } as const;
const sign = (text: string) => createHmac('sha256', 'the shared secret').update(text).digest('hex');

async function post(body: string, headers: Record<string, string> = {}) {
  const answer = await server.call('/f', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const code = answer.status === 200 ? 'ok' : (JSON.parse(answer.text) as { err_code: string }).err_code;
  return { ...answer, result: `${answer.status} ${code}` };
}

describe('a signed request', () => {
  test('is let in, and the flow does not see the signature', async () => {
    await serve({ ...hook, header: 'X-Own-Signature' });
    const answer = await post('{"a":1}', { 'x-own-signature': sign('{"a":1}'), 'x-mine': 'yes' });
    expect(answer.result).toBe('200 ok');
    expect(seen).toEqual([{ a: 1 }]);
    expect(JSON.parse(answer.text)).toMatchObject({ 'x-mine': 'yes' });
    expect(answer.text).not.toContain('x-own-signature');
  });

  test('counts by its bytes, before anybody reads them', async () => {
    await serve(hook);
    const odd = '{ "a" : 1.0 , "b":"\\u00e9" } ';
    expect((await post(odd, { 'x-signature': sign(odd) })).result).toBe('200 ok');
    expect((await post('{"a":1,"b":"é"}', { 'x-signature': sign(odd) })).result).toBe(
      '401 signature_invalid',
    );
    // Invalid JSON is reported only to a caller who signed it.
    expect((await post('{', { 'x-signature': sign(odd) })).result).toBe('401 signature_invalid');
    expect((await post('{', { 'x-signature': sign('{') })).result).toBe('400 invalid_json');
    expect(seen).toHaveLength(1);
  });

  test('without a signature is refused before its body is read, with a challenge and what to send', async () => {
    await serve({ ...hook, preset: 'github' });
    const answer = await post('{}');
    expect(answer.result).toBe('401 unauthorized');
    expect(answer.headers.get('www-authenticate')).toBe('Signature realm="weft"');
    expect(answer.text).toContain('x-hub-signature-256: sha256=<hex of HMAC-SHA256(secret, body)>');
    const half =
      'POST /api/v1/awel/trigger/f HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\nConnection: close\r\n\r\n{';
    expect(await server.raw(half)).toMatch(/^HTTP\/1\.1 401 /);
    expect(seen).toEqual([]);
  });

  test('an API key is no signature', async () => {
    await serve(hook);
    expect((await post('{}', { authorization: 'Bearer good' })).result).toBe('401 unauthorized');
  });

  test('may have an empty body', async () => {
    await serve(hook);
    const answer = await server.call('/f', { method: 'POST', headers: { 'x-signature': sign('') } });
    expect(answer.status).toBe(200);
  });

  test.each(['GET', 'HEAD', 'DELETE'])(
    'is not enough for %s, whose address is not signed',
    async (method) => {
      await serve(hook, { methods: ['GET', 'DELETE'] });
      const answer = await server.call('/f?a=1', { method, headers: { 'x-signature': sign('') } });
      expect(answer.status).toBe(403);
      expect(seen).toEqual([]);
    },
  );
});

describe('a signed request that comes again', () => {
  const timed = { ...hook, timestampHeader: 'x-time' };
  const send = (at: number, body = '{"a":1}') =>
    post(body, { 'x-time': String(at), 'x-signature': sign(`${at}.${body}`) });

  test('is refused within its tolerance by what was sent, and after it by its time', async () => {
    await serve(timed);
    const at = time / 1000;
    expect((await send(at)).result).toBe('200 ok');
    const again = await send(at);
    expect(again.result).toBe('401 signature_invalid');
    expect(again.text).toContain('came before');
    expect((await send(at + 1)).result).toBe('200 ok');
    expect((await send(at, '{"a":2}')).result).toBe('200 ok');
    time += 301_000;
    expect((await send(at)).text).toContain('301 s off');
    expect(seen).toHaveLength(3);
  });

  test('may do so when it has started nothing', async () => {
    await serve(timed, { request: { type: 'object', required: ['a'] } });
    const at = time / 1000;
    expect((await send(at, '{}')).result).toBe('400 invalid_request');
    expect((await send(at, '{}')).result).toBe('400 invalid_request');
  });

  test('may do so where no time is signed, as GitHub redelivers', async () => {
    await serve(hook);
    expect((await post('{}', { 'x-signature': sign('{}') })).result).toBe('200 ok');
    expect((await post('{}', { 'x-signature': sign('{}') })).result).toBe('200 ok');
  });
});

describe('a user with a password', () => {
  const door = { type: 'basic', user: 'ada', secret: { $secret: 'door' } };
  const basic = (text: string, encoding: 'utf8' | 'latin1' = 'utf8') =>
    `Basic ${Buffer.from(text, encoding).toString('base64')}`;
  const call = (authorization?: string) =>
    server.call('/f', authorization === undefined ? {} : { headers: { authorization } });

  test('is let in, for GET too, and neither is shown to the flow', async () => {
    await serve(door, { methods: ['GET'] });
    const answer = await call(basic('ada:pass:wörd'));
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('authorization');
    expect((await call(basic('ada:pass:wörd').replace('Basic', 'bAsIc '))).status).toBe(200);
  });

  test('without one is asked for it, as browsers understand', async () => {
    await serve(door, { methods: ['GET'] });
    const answer = await call();
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="weft", charset="UTF-8"');
    expect(answer.text).toContain('Authorization: Basic base64(ada:<password>)');
  });

  test.each([
    ['another password', basic('ada:pass:word')],
    ['a password that goes on', basic('ada:pass:wördx')],
    ['the beginning of the password', basic('ada:pass:')],
    ['another user', basic('eve:pass:wörd')],
    ['the user in capitals', basic('ADA:pass:wörd')],
    ['no user', basic(':pass:wörd')],
    ['no colon', basic('adapass:wörd')],
    ['nothing', 'Basic '],
    ['no base64', 'Basic ada:pass'],
    ['another encoding', basic('ada:pass:wörd', 'latin1')],
    ['the same letters, composed otherwise', basic('ada:pass:wörd'.normalize('NFD'))],
    ['a key', 'Bearer good'],
    ['two of them', `${basic('ada:pass:wörd')}, ${basic('ada:pass:wörd')}`],
  ])('%s is refused', async (_, authorization) => {
    await serve(door, { methods: ['GET'] });
    expect((await call(authorization)).status).toBe(401);
    expect(seen).toEqual([]);
  });
});

describe('fails closed', () => {
  test('and logs why, once a minute', async () => {
    await serve('none');
    const lines: unknown[] = [];
    const secrets = {
      use(): never {
        throw new WeftError('secret_not_granted', 'The secret hook is not granted to anyone.');
      },
    };
    const gate = createTriggerGate({ access: fakeAccess, secrets, now: () => time });
    const auth = { type: 'basic', user: 'ada', secret: { $secret: 'hook' } } as const;
    const endpoint = { auth, route: { flow: { id: 'f' }, node: 'trigger' } } as unknown as Endpoint;
    const log = { error: (facts: unknown) => lines.push(facts) };
    const request = { id: 'r', raw: { headers: {} }, headers: {}, log } as unknown as FastifyRequest;
    for (const wait of [0, 1000, 58_999, 1]) {
      time += wait;
      expect(() => gate.admit(endpoint, request)).toThrow('cannot check its callers');
    }
    const line = {
      flow: 'f',
      node: 'trigger',
      reqId: 'r',
      problem: 'The secret hook is not granted to anyone.',
    };
    expect(lines).toEqual([line, line]);
  });

  test.each([
    ['a signature', { ...hook, secret: { $secret: 'gone' } }],
    ['a password', { type: 'basic', user: 'ada', secret: { $secret: 'gone' } }],
  ])('where the secret of %s does not exist, and does not name it to callers', async (_, auth) => {
    await serve(auth);
    const answer = await post('{}', {
      'x-signature': sign('{}'),
      authorization: `Basic ${Buffer.from('ada:').toString('base64')}`,
    });
    expect(answer.result).toBe('503 auth_not_ready');
    expect(answer.text).not.toContain('gone');
    expect(seen).toEqual([]);
  });
});
