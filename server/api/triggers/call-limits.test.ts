import { createHmac } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHost } from '../../base/adapters/node-host.ts';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';
import type { Config } from '../../base/config/config.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';

/** Limits on how often triggers, chats and keys are called, on a whole server whose clock the test moves. */

const PREFIX = '/api/v1/awel/trigger';

/** A flow that returns its input. */
function echo(id: string, trigger: object, operator = 'trigger.http'): { id: string } {
  const params = operator === 'trigger.http' ? { path: `/${id}`, auth: 'none', ...trigger } : trigger;
  const value = operator === 'trigger.http' ? '{{ input }}' : '{{ input.text }}';
  return {
    format: 1,
    id,
    nodes: { trigger: { operator, params }, same: { operator: 'core.map', params: { value } } },
    edges: [{ from: 'trigger.out', to: 'same.in' }],
  } as { id: string };
}

interface LimitBed extends Bed {
  pass(ms: number): void;
  call(path: string, init?: RequestInit): Promise<Response>;
}

async function bed(flows: readonly { id: string }[], changes: Partial<Config> = {}): Promise<LimitBed> {
  const folder = join(await tempFolder(), 'flows');
  await mkdir(folder, { recursive: true });
  for (const flow of flows) await writeFile(join(folder, `${flow.id}.json`), JSON.stringify(flow));
  let time = 1_767_225_600_000;
  const host = { ...createHost(), now: () => time };
  const server = await startBed({ flows: [folder], ...changes }, { host });
  return {
    ...server,
    pass: (ms) => void (time += ms),
    call: (path, init) => fetch(`${server.url}${PREFIX}${path}`, init),
  };
}

const limits = ({ headers }: Response): (string | null)[] =>
  ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name));

test('the answer to a refused call contains the burst', async () => {
  const { call } = await bed([echo('bursts', { rate: { limit: 60, per: 'minute', burst: 1 } })]);
  await call('/bursts');
  expect(await (await call('/bursts')).text()).toContain(
    '60 requests a minute, 1 of them at once, and more came',
  );
});

test('a trigger accepts as many calls as its limit allows, then reports when the next may come', async () => {
  const { call, pass, ctx } = await bed([echo('few', { rate: { limit: 2, per: 'minute' } })]);
  const first = await call('/few?a=1');
  expect([first.status, await first.json()]).toEqual([200, { a: '1' }]);
  expect(limits(first)).toEqual(['"trigger";q=2;w=60', '"trigger";r=1;t=30', null]);
  expect(limits(await call('/few'))).toEqual(['"trigger";q=2;w=60', '"trigger";r=0;t=60', null]);
  const refused = await call('/few');
  expect(limits(refused)).toEqual(['"trigger";q=2;w=60', '"trigger";r=0;t=30', '30']);
  expect([refused.status, await refused.json()]).toEqual([
    429,
    expect.objectContaining({
      err_code: 'rate_limited',
      err_msg: 'This trigger takes 2 requests a minute, and more came; try again in 30 s.',
    }),
  ]);
  expect(ctx.runs.stats().started).toBe(2);
  pass(29_999);
  expect((await call('/few')).status).toBe(429);
  pass(1);
  expect((await call('/few')).status).toBe(200);
  expect((await call('/few', { method: 'HEAD' })).status, 'HEAD starts no run').toBe(200);
});

test('a trigger without a limit has none of its headers, and takes the short way', async () => {
  const { call } = await bed([echo('free', {})]);
  const answers = await Promise.all(Array.from({ length: 50 }, () => call('/free')));
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(limits(answers[0] as Response)).toEqual([null, null, null]);
  // The framework writes this header, the short way does not.
  expect(answers[0]?.headers.get('x-request-id')).toBeNull();
});

test('a limit saved unchanged goes on, a changed one starts full', async () => {
  const flow = (limit: number, more: object = {}) => echo('few', { rate: { limit }, ...more });
  const { call, ctx } = await bed([flow(1)]);
  const save = async (next: object): Promise<void> => {
    const { revision } = await ctx.flows.get('few');
    await ctx.flows.save('few', JSON.stringify(next), {
      revision,
      actor: actorNamed('a test'),
    });
  };
  expect((await call('/few')).status).toBe(200);
  await save(flow(1, { methods: ['GET', 'POST'] }));
  expect((await call('/few')).status).toBe(429);
  await save(flow(2));
  expect((await call('/few')).status).toBe(200);
});

test('behind a trusted proxy each client has its own limit, and a household of IPv6 addresses shares one', async () => {
  const from = (address: string): RequestInit => ({ headers: { 'x-forwarded-for': `1.1.1.1, ${address}` } });
  const flows = [echo('few', { rate: { limit: 1 } }), echo('all', { rate: { limit: 1, by: 'all' } })];
  const { call } = await bed(flows, { trustProxy: true });
  const statuses = [];
  for (const address of ['10.0.0.1', '10.0.0.1', '10.0.0.2', '2001:db8::1', '2001:db8::2'])
    statuses.push((await call('/few', from(address))).status);
  expect(statuses).toEqual([200, 429, 200, 200, 429]);
  expect((await call('/all', from('10.0.0.1'))).status).toBe(200);
  expect((await call('/all', from('10.0.0.2'))).status).toBe(429);
});

test('a forwarded address from a stranger does not count', async () => {
  const { call } = await bed([echo('few', { rate: { limit: 1 } })]);
  expect((await call('/few', { headers: { 'x-forwarded-for': '10.0.0.1' } })).status).toBe(200);
  expect((await call('/few', { headers: { 'x-forwarded-for': '10.0.0.2' } })).status).toBe(429);
});

test('each key has its own limit at a trigger, and wrong keys use none of it up', async () => {
  const apiKeys = ['a-key-of-the-one-who-calls', 'a-key-of-another-who-calls'];
  const rate = { limit: 1 };
  const { call } = await bed([echo('few', { auth: 'api-key', rate })], { apiKeys });
  const by = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } });
  expect((await call('/few', by('wrong-key-wrong-key'))).status).toBe(401);
  const statuses = [];
  for (const key of [...apiKeys, ...apiKeys]) statuses.push((await call('/few', by(key))).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
});

test('a stranger without the signature does not use up the calls of the one who signs', async () => {
  const auth = { type: 'hmac', secret: { $secret: 'hook' } };
  const flow = echo('hook', { methods: ['POST'], auth, rate: { limit: 1, by: 'all' } });
  const grants = { hook: { operators: ['trigger.http'] } };
  const { call } = await bed([flow], { secrets: { hook: 'the shared secret' }, grants });
  const post = (signature: string): Promise<Response> =>
    call('/hook', {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'x-signature': signature },
    });
  expect((await post('0'.repeat(64))).status).toBe(401);
  const mac = createHmac('sha256', 'the shared secret').update('{"a":1}').digest('hex');
  expect((await post(mac)).status).toBe(200);
  expect((await post(mac)).status).toBe(429);
  expect((await post('0'.repeat(64))).status).toBe(401);
});

test('a key makes as many requests a minute as it may, wherever it sends them, and the metrics count the others', async () => {
  const server = await bed([echo('keyed', { auth: 'api-key', rate: { limit: 60 } })]);
  const { call, pass, ctx, url } = server;
  const scopes = ['triggers', 'flows:read'] as const;
  const { key } = await ctx.keys.create({ name: 'slow', scopes: [...scopes], perMinute: 2 });
  const headers = { authorization: `Bearer ${key}` };
  const first = await call('/keyed', { headers });
  expect(first.status).toBe(200);
  expect(limits(first)).toEqual([
    '"key";q=2;w=60, "trigger";q=60;w=60',
    '"key";r=1;t=30, "trigger";r=59;t=1',
    null,
  ]);
  const second = await fetch(`${url}/api/v1/flows`, { headers });
  expect([second.status, ...limits(second)]).toEqual([200, '"key";q=2;w=60', '"key";r=0;t=60', null]);
  for (const refused of [
    await call('/keyed', { headers }),
    await fetch(`${url}/api/v1/flows`, { headers }),
  ]) {
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await refused.json()).toMatchObject({ err_code: 'rate_limited' });
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('weft_rate_limited_total{kind="key",of=""} 2');
  pass(30_000);
  expect((await call('/keyed', { headers })).status).toBe(200);
});

test('a flow that answers chats accepts as many messages as its limit allows', async () => {
  const flow = echo('talks', { rate: { limit: 1 } }, 'trigger.chat');
  const apiKeys = ['a-key-of-the-one-who-chats'];
  const { url } = await bed([flow], { apiKeys });
  const say = (): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKeys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'flow:talks', messages: [{ role: 'user', content: 'Hello' }] }),
    });
  const answers = [await say(), await say()];
  expect(answers.map(({ status }) => status)).toEqual([200, 429]);
  expect(await answers[1]?.json()).toMatchObject({
    error: { code: 'rate_limited', type: 'rate_limit_error' },
  });
});

test('the description of the API shows which triggers may refuse', async () => {
  const { url } = await bed([echo('few', { rate: { limit: 1 } }), echo('free', {})], {
    apiKeys: ['key-for-the-document'],
  });
  const headers = { authorization: 'Bearer key-for-the-document' };
  const { paths } = (await (await fetch(`${url}/openapi.json`, { headers })).json()) as {
    paths: Record<string, { get: { responses: Record<string, { description: string }> } }>;
  };
  const refusal = (id: string) => paths[`${PREFIX}/${id}`]?.get.responses['429'];
  expect(refusal('few')?.description).toContain('`rate_limited`');
  expect(refusal('free')).toBeUndefined();
});
