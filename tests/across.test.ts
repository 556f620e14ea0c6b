import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { call } from './support/client.ts';
import { publish, startPair } from './support/cluster.ts';
import { httpTrigger, sayFlow } from './support/flows.ts';

describe('a signed request that was used', () => {
  const secret = 'the shared secret';
  const sign = (at: number, body: string): string =>
    createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const signed = (body: string, at = Math.floor(Date.now() / 1000)): RequestInit => ({
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-time': String(at),
      'x-signature': sign(at, body),
    },
  });

  test('is refused by the other servers too, and of many at once one starts a run', async () => {
    const { a, b } = await startPair();
    await a.owner.data('PUT', '/secrets/hook', {
      value: secret,
      grants: { operators: ['trigger.http'] },
    });
    const auth = { type: 'hmac', secret: { $secret: 'hook' }, timestampHeader: 'x-time' };
    const flow = { ...sayFlow('hook', 'taken', httpTrigger('/hook', { methods: ['POST'], auth })) };
    await publish(a, flow);
    const once = signed('{"a":1}');
    expect((await call(a, '/hook', once)).status).toBe(200);
    for (const node of [a, b, b]) {
      const again = await call(node, '/hook', once);
      expect([again.status, again.body]).toMatchObject([401, { err_code: 'signature_invalid' }]);
      expect(again.text).toContain('came before');
    }
    const many = signed('{"a":2}');
    const answers = await Promise.all([a, b, a, b, b, a].map((node) => call(node, '/hook', many)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
  });
});
