import { rm, writeFile, mkdir } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Hook, HookPage } from '#shared/hook-api.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { flowText } from '../../admin/cli/testing/temp-project.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';
import {
  deliver,
  hmac,
  slackSignature,
  startVendor,
  stripeSignature,
  type Vendor,
  type VendorName,
} from './testing/vendors.ts';

/** Triggers that register themselves, against stand-ins that follow the descriptions of their vendors. */

/** The public address has to be known before the server listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const params: Readonly<Record<VendorName, Record<string, unknown>>> = {
  github: { repository: 'acme/shop', events: ['issues', 'push'] },
  stripe: { events: ['invoice.paid', 'checkout.session.completed'] },
  telegram: { events: ['message'] },
};
const operators: Readonly<Record<VendorName, string>> = {
  github: 'github.events',
  stripe: 'stripe.events',
  telegram: 'telegram.updates',
};
const event: Readonly<Record<VendorName, string>> = {
  github: 'issues',
  stripe: 'invoice.paid',
  telegram: 'message',
};
const bodyOf: Readonly<Record<VendorName, (n: number) => Record<string, unknown>>> = {
  github: (n) => ({ action: 'opened', issue: { number: n } }),
  stripe: (n) => ({ id: `evt_${n}`, object: 'event', type: 'invoice.paid' }),
  telegram: (n) => ({ update_id: n, message: { message_id: n, text: 'Hello' } }),
};

async function stand(name: VendorName) {
  const vendor = await startVendor(name);
  onTestFinished(() => vendor.close());
  const folder = await tempFolder();
  const flows = join(folder, 'flows');
  await mkdir(flows);
  const flow = (more: Record<string, unknown> = {}) =>
    flowText('take', {
      called: { operator: operators[name], params: { connection: 'it', ...params[name], ...more } },
    });
  const port = await freePort();
  const own = `http://127.0.0.1:${port}`;
  const start = async (data = 'data', publicUrl: string | null = own, at = port): Promise<Bed> => {
    const address = publicUrl === null ? {} : { publicUrl };
    const bed = await startBed({ flows: [flows], data: join(folder, data), port: at, ...address });
    await connect(bed, name, vendor);
    return bed;
  };
  const file = join(flows, 'take.json');
  return { vendor, flow, start, file, own, put: (text: string) => writeFile(file, text) };
}

async function connect(bed: Bed, name: VendorName, { url }: Vendor): Promise<void> {
  const auth = name === 'telegram' ? 'address' : 'bearer';
  await bed.ctx.connections.put('it', {
    kind: 'http',
    settings: { address: url, secret: '123:abc', auth },
    grants: { flows: ['take'] },
  });
  await bed.ctx.flows.worldChanged('connections');
}

async function looks(bed: Bed) {
  const { call } = await routeCaller(bed);
  const hooks = async (): Promise<Hook[]> => call('GET /api/v1/flows/:id/hooks', { params: { id: 'take' } });
  const again = (replace = false): Promise<unknown> => {
    const to = { params: { flow: 'take', node: 'called' }, body: { replace } };
    return call('POST /api/v1/hooks/:flow/:node', to);
  };
  const inputs = async (): Promise<unknown[]> => {
    const runs = await bed.ctx.durable.list({ flow: 'take', status: ['ok'], limit: 100 });
    return runs.map(({ answer }) => answer?.body).reverse();
  };
  return { call, hooks, again, inputs };
}

describe.each(['github', 'stripe', 'telegram'] as const)('%s', (name) => {
  test('it is registered when its flow goes live, starts a run for each event, and is gone with the flow', async () => {
    const { vendor, flow, start, put, own, file } = await stand(name);
    await put(flow());
    const bed = await start();
    const { hooks, again, inputs } = await looks(bed);
    await again();
    await eventually(async () => expect(await hooks()).toMatchObject([{ state: 'registered' }]));
    expect(vendor.hooks).toHaveLength(1);
    expect(vendor.hooks[0]?.url.startsWith(`${own}/hooks/`)).toBe(true);
    const body = bodyOf[name](1);
    expect(await vendor.send(event[name], body, 'one')).toEqual([200]);
    expect(await vendor.send(event[name], body, 'one')).toEqual([200]);
    expect(await vendor.send(event[name], bodyOf[name](2), 'two')).toEqual([200]);
    await eventually(async () => expect(await inputs()).toEqual([body, bodyOf[name](2)]));
    expect(await hooks()).toMatchObject([{ lastEventAt: expect.any(String) }]);
    await rm(file);
    await eventually(() => expect(vendor.hooks).toEqual([]));
    await eventually(async () => expect(await (await bed.ctx.hooks()).store.all()).toEqual([]));
  });

  test('a restart registers nothing again, and what was removed meanwhile is', async () => {
    const { vendor, flow, start, put } = await stand(name);
    await put(flow());
    let bed = await start();
    const first = await looks(bed);
    await first.again();
    await eventually(async () => expect(await first.hooks()).toMatchObject([{ state: 'registered' }]));
    const [before] = vendor.hooks;
    await bed.stop();
    bed = await start();
    await eventually(() =>
      expect(vendor.asked.filter((one) => one.startsWith('GET')).length).toBeGreaterThan(1),
    );
    expect(vendor.hooks).toEqual([before]);
    await bed.stop();
    vendor.hooks.length = 0;
    bed = await start();
    await eventually(() => expect(vendor.hooks).toHaveLength(1));
    expect(await vendor.send(event[name], bodyOf[name](3))).toEqual([200]);
  });

  test('an address of another server stays', async () => {
    const { vendor, flow, start, put, own, file } = await stand(name);
    const other = { id: '99', url: 'https://production.example.com/hooks/secret', secret: 's', events: [] };
    vendor.hooks.push(other);
    await put(flow());
    const bed = await start();
    const { hooks, again } = await looks(bed);
    await again();
    if (name !== 'telegram') {
      await eventually(() => expect(vendor.hooks).toHaveLength(2));
      await rm(file);
      await eventually(() => expect(vendor.hooks).toEqual([other]));
      return;
    }
    await eventually(async () =>
      expect(await hooks()).toMatchObject([{ state: 'failed', problem: { code: 'hook_taken' } }]),
    );
    expect((await hooks())[0]?.problem?.message).not.toContain('secret');
    expect(vendor.hooks).toEqual([other]);
    await again(true);
    await eventually(() => expect(vendor.hooks[0]?.url.startsWith(own)).toBe(true));
    // Somebody has taken it over since: it is not ours to remove.
    vendor.hooks.splice(0, 1, other);
    await rm(file);
    await eventually(async () => expect(await (await bed.ctx.hooks()).store.all()).toEqual([]));
    expect(vendor.hooks).toEqual([other]);
  });

  test('a copy of the data at another address leaves the registration alone', async () => {
    const { vendor, flow, start, put, file } = await stand(name);
    await put(flow());
    const bed = await start();
    const { again } = await looks(bed);
    await again();
    await eventually(() => expect(vendor.hooks).toHaveLength(1));
    const [production] = vendor.hooks;
    await bed.stop();
    await rm(file);
    const copy = await start('data', 'https://copy.example.com');
    await eventually(async () =>
      expect(await (await copy.ctx.hooks()).store.all()).toMatchObject([
        { problem: expect.stringContaining('hook_elsewhere') as string },
      ]),
    );
    expect(vendor.hooks).toEqual([production]);
  });

  test('other events make another registration, and the earlier one goes', async () => {
    const { vendor, flow, start, put } = await stand(name);
    await put(flow());
    const bed = await start();
    const { again } = await looks(bed);
    await again();
    await eventually(() => expect(vendor.hooks).toHaveLength(1));
    const [before] = vendor.hooks;
    const more = name === 'github' ? 'release' : name === 'stripe' ? 'charge.refunded' : 'callback_query';
    await put(flow({ events: [more] }));
    await eventually(() => expect(vendor.hooks.map(({ events }) => events)).toEqual([[more]]));
    expect(vendor.hooks[0]?.url).not.toBe(before?.url);
    await eventually(async () => expect(await (await bed.ctx.hooks()).store.all()).toHaveLength(1));
  });
});

test('what nobody signed starts nothing', async () => {
  const { vendor, flow, start, put } = await stand('github');
  await put(flow());
  const bed = await start();
  const { inputs, again } = await looks(bed);
  await again();
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  const { url, secret } = vendor.hooks[0] as { url: string; secret: string };
  const body = JSON.stringify(bodyOf.github(1));
  const headers = (signature: string) => ({
    ...{ 'x-github-event': 'issues', 'x-github-delivery': 'd', 'x-hub-signature-256': signature },
  });
  expect(await deliver(url, body, () => headers(`sha256=${hmac('other', body)}`))).toBe(401);
  expect(await deliver(url, body, () => ({ 'x-github-event': 'issues' }))).toBe(401);
  expect(await deliver(url, `${body} `, () => headers(`sha256=${hmac(secret, body)}`))).toBe(401);
  expect(await deliver(`${url}x`, body, () => headers(`sha256=${hmac(secret, body)}`))).toBe(404);
  // Recorded, and sent again under another id.
  expect(await deliver(url, body, (text) => headers(`sha256=${hmac(secret, text)}`))).toBe(200);
  const again2 = { ...headers(`sha256=${hmac(secret, body)}`), 'x-github-delivery': 'e' };
  expect(await deliver(url, body, () => again2)).toBe(200);
  // An event that nobody chose.
  expect(await vendor.send('issues', bodyOf.github(2))).toEqual([200]);
  const star = JSON.stringify({ action: 'created' });
  const starred = { ...headers(`sha256=${hmac(secret, star)}`), 'x-github-event': 'star' };
  expect(await deliver(url, star, () => starred)).toBe(200);
  await eventually(async () => expect(await inputs()).toEqual([bodyOf.github(1), bodyOf.github(2)]));
});

test('a delivery of Stripe that is too old is refused', async () => {
  const { vendor, flow, start, put } = await stand('stripe');
  await put(flow());
  const bed = await start();
  await (await looks(bed)).again();
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  const { url, secret } = vendor.hooks[0] as { url: string; secret: string };
  const body = JSON.stringify(bodyOf.stripe(1));
  const old = Math.floor(Date.now() / 1000) - 400;
  await eventually(async () =>
    expect(await deliver(url, body, (text) => stripeSignature(secret, text))).toBe(200),
  );
  expect(await deliver(url, body, (text) => stripeSignature(secret, text, old))).toBe(401);
});

test('a delivery of Stripe that comes before its secret is stored waits for it, and starts its run', async () => {
  const { vendor, flow, start, put } = await stand('stripe');
  await put(flow());
  const early: Promise<number[]>[] = [];
  const started = Promise.withResolvers<Bed>();
  // The endpoint is there, and its answer with the secret is on its way. The server may register as soon as it has started.
  vendor.before = async (asked) => {
    if (!asked.startsWith('POST') || early.length > 0) return;
    early.push(vendor.send('invoice.paid', bodyOf.stripe(1)));
    const { store } = await (await started.promise).ctx.hooks();
    await eventually(async () => expect(await store.all()).toMatchObject([{ sealed: null, current: 1 }]));
    await new Promise((resolve) => setTimeout(resolve, 300));
  };
  const bed = await start();
  started.resolve(bed);
  const { again, inputs, hooks } = await looks(bed);
  await again();
  await eventually(async () => expect(await hooks()).toMatchObject([{ state: 'registered' }]));
  // On a machine that is slower than the wait it is sent again, as Stripe does; that it waits is in `ready-hook.test.ts`.
  const [status] = (await early[0]) ?? [];
  if (status === 503) expect(await vendor.send('invoice.paid', bodyOf.stripe(1))).toEqual([200]);
  else expect(status).toBe(200);
  await eventually(async () => expect(await inputs()).toEqual([bodyOf.stripe(1)]));
});

test('a delivery before a registration that fails is to be sent again', async () => {
  const { vendor, flow, start, put } = await stand('stripe');
  await put(flow());
  type Told = { status: number; again: string | null; code: unknown };
  const told = Promise.withResolvers<Told>();
  let isSent = false;
  vendor.before = async (asked) => {
    if (!asked.startsWith('POST')) return;
    const { url = '', secret = '' } = vendor.hooks.at(-1) ?? {};
    const body = JSON.stringify(bodyOf.stripe(1));
    const send = async (): Promise<Told> => {
      const answer = await fetch(url, { method: 'POST', body, headers: stripeSignature(secret, body) });
      const { err_code: code } = (await answer.json()) as { err_code?: string };
      return { status: answer.status, again: answer.headers.get('retry-after'), code };
    };
    // The answer is lost on its way, so the secret is not known. Once, since it is registered again later.
    if (!isSent) setTimeout(() => told.resolve(send()), 0);
    isSent = true;
    throw new Error('The connection breaks.');
  };
  const bed = await start();
  await (await looks(bed)).again();
  expect(await told.promise).toEqual({ status: 503, again: '5', code: 'hook_not_ready' });
});

test('the list of all registrations is narrowed, comes in pages, and tells no address that is a secret', async () => {
  const { vendor, flow, start, put, own } = await stand('github');
  await put(flow());
  const bed = await start();
  const { call, again } = await looks(bed);
  const list = (query = ''): Promise<HookPage> => call('GET /api/v1/hooks', { query });
  await again();
  await eventually(async () =>
    expect((await list()).hooks).toMatchObject([
      {
        ...{ flow: 'take', node: 'called', operator: 'github.events', service: 'github', use: 'live' },
        ...{ connection: 'it', at: own, state: 'registered', remote: '1', since: expect.any(String) },
      },
    ]),
  );
  const { store } = await bed.ctx.hooks();
  for (let n = 1; n <= 4; n++) {
    const row = {
      key: `key${n}`,
      flow: 'take',
      node: `n${n}`,
      operator: 'stripe.events',
      use: 'live' as const,
    };
    await store.add({ ...row, of: 'x', base: 'https://production.example', params: '{}', listens_until: 0 });
  }
  const first = await list('?limit=2');
  expect(first.hooks.map(({ node }) => node)).toEqual(['called', 'n1']);
  const rest = await list(`?limit=3&after=${encodeURIComponent(first.next ?? '')}`);
  expect([rest.hooks.map(({ node }) => node), rest.next]).toEqual([['n2', 'n3', 'n4'], undefined]);
  expect((await list('?service=stripe')).hooks).toHaveLength(4);
  expect((await list('?connection=it&state=registered')).hooks).toHaveLength(1);
  expect((await list('?flow=other')).hooks).toEqual([]);
  const told = JSON.stringify(await list());
  expect(told).not.toContain(vendor.hooks[0]?.url.split('/').at(-1));
  expect(told).not.toContain('key1');

  const [ours] = (await list('?service=github')).hooks;
  const [theirs] = (await list('?service=stripe')).hooks;
  expect(theirs).toMatchObject({ state: 'elsewhere', at: 'https://production.example' });
  await call('DELETE /api/v1/hooks/:id', { params: { id: theirs?.id ?? '' } });
  expect((await list('?service=stripe')).hooks).toHaveLength(3);
  const asked = vendor.asked.length;
  const forgotten = call('DELETE /api/v1/hooks/:id', { params: { id: ours?.id ?? '' } });
  await expect(forgotten).rejects.toMatchObject({
    actual: [expect.anything(), 404, expect.stringContaining('hook_not_found')],
  });
  expect([vendor.hooks.length, vendor.asked.length]).toEqual([1, asked]);
});

test('Slack gets the answer to its challenge, and starts runs once its flow is live', async () => {
  const { start, put } = await stand('github');
  const slack = (events: string[]) =>
    flowText('take', {
      called: { operator: 'slack.events', params: { events, signingSecret: { $secret: 'slack' } } },
    });
  await put(slack(['message']));
  const bed = await start();
  await bed.ctx.secrets.put('slack', { value: 'signing', grants: { flows: ['take'] } });
  await bed.ctx.flows.worldChanged('secrets');
  const { again, hooks, inputs } = await looks(bed);
  await again();
  const [hook] = await hooks();
  expect(hook).toMatchObject({ state: 'by-hand', address: expect.stringContaining('/hooks/') });
  const url = hook?.address ?? '';
  const text = JSON.stringify({ type: 'url_verification', token: 't', challenge: '3eZbrw1aB' });
  const headers = { 'content-type': 'application/json' };
  const refused = await fetch(url, { method: 'POST', headers, body: text });
  expect(refused.status).toBe(401);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...slackSignature('signing', text) },
    body: text,
  });
  expect([answer.status, await answer.text()]).toEqual([200, '3eZbrw1aB']);
  const sent = { type: 'event_callback', event_id: 'Ev1', event: { type: 'message', text: 'hi' } };
  await deliver(url, JSON.stringify(sent), (body) => slackSignature('signing', body));
  const other = { ...sent, event_id: 'Ev2', event: { type: 'team_join' } };
  await deliver(url, JSON.stringify(other), (body) => slackSignature('signing', body));
  await eventually(async () => expect(await inputs()).toEqual([sent]));

  // Somebody listens to the draft now: one event is theirs, and the live flow has all others.
  const { store } = await bed.ctx.hooks();
  const [row] = await store.ofFlow('take');
  await store.change(row?.key ?? '', { listens_until: Date.now() + 60_000 });
  const events = [3, 4, 5].map((n) => ({ ...sent, event_id: `Ev${n}` }));
  const deliveries = events.map((event) =>
    deliver(url, JSON.stringify(event), (body) => slackSignature('signing', body)),
  );
  await Promise.all(deliveries);
  const { value } = JSON.parse((await store.find(row?.key ?? ''))?.heard ?? 'null') as { value: unknown };
  const rest = events.filter(({ event_id: id }) => id !== (value as typeof sent).event_id);
  expect(rest).toHaveLength(2);
  await eventually(async () => {
    const found = (await inputs()) as (typeof sent)[];
    expect(found.map(({ event_id: id }) => id).toSorted()).toEqual(
      ['Ev1', ...rest.map(({ event_id: id }) => id)].toSorted(),
    );
  });
});

test('without a public address the trigger says which setting is missing', async () => {
  const { vendor, flow, start, put } = await stand('github');
  await put(flow());
  const bed = await start('data', null);
  const { hooks, call } = await looks(bed);
  expect(await hooks()).toMatchObject([{ state: 'failed', problem: { code: 'public_address_missing' } }]);
  expect(await call('GET /api/v1/hooks')).toMatchObject({
    hooks: [{ flow: 'take', state: 'failed', problem: { code: 'public_address_missing' } }],
  });
  await eventually(async () =>
    expect(await call('GET /api/v1/sources')).toMatchObject([
      { problem: { code: 'public_address_missing' } },
    ]),
  );
  expect(vendor.hooks).toEqual([]);
  // All would be another server's, also those that this one made before it lost its address.
  const { store } = await bed.ctx.hooks();
  const row = {
    key: 'before',
    flow: 'take',
    node: 'called',
    operator: 'github.events',
    use: 'live' as const,
  };
  await store.add({ ...row, of: 'x', base: 'http://127.0.0.1:1', params: '{}', listens_until: 0 });
  const list: HookPage = await call('GET /api/v1/hooks');
  for (const { id } of list.hooks)
    await expect(call('DELETE /api/v1/hooks/:id', { params: { id } })).rejects.toMatchObject({
      actual: [expect.anything(), 409, expect.stringContaining('public_address_missing')],
    });
  expect(await store.find('before')).toBeDefined();
});

test('a draft is registered while somebody listens, runs with what comes first, and is gone from the service after that', async () => {
  const { vendor, flow, start } = await stand('github');
  const bed = await start();
  const { call } = await looks(bed);
  await call('POST /api/v1/flows', { body: { id: 'take', text: flow(), mode: 'draft' } });
  const listening = call('POST /api/v1/flows/:id/listen', {
    params: { id: 'take' },
    body: { timeoutMs: 60_000 },
  });
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  await eventually(async () => expect(await vendor.send('issues', bodyOf.github(5))).toEqual([200]));
  const { run } = (await listening) as { run: string };
  expect(run).toEqual(expect.any(String));
  expect(vendor.hooks).toEqual([]);
  expect(await (await bed.ctx.hooks()).store.all()).toEqual([]);
});

/** A service that registers for a while, and asks for a challenge in the query, as Meta and Microsoft Graph do. */
const post = (id: string, path: string, names: readonly string[], answer: object = {}) => ({
  ...{ id, title: id, doc: id, method: 'POST', path, body: { send: 'json' }, hidden: true },
  parameters: names.map((name) => ({ name, in: 'body', doc: name, schema: { type: 'string' } })),
  answer: { schema: { type: 'object', ...answer } },
});
const subscriptions = {
  format: 'weft-service/1',
  ...{ id: 'subs', title: 'Subs', doc: 'Subscriptions.', icon: 'bell', color: '#123456', version: 1 },
  source: { address: 'https://example.com', form: 'documentation', version: '1', date: '2026-11-28' },
  base: 'https://subs.example.com',
  connect: [{ kind: 'http', auth: 'bearer', label: 'Key', help: 'Ask for one.' }],
  calls: [post('subscribe', '/subscriptions', ['url', 'state']), post('renew', '/renewals', ['id'])],
  triggers: [
    {
      ...{ id: 'changed', title: 'On a change', doc: 'Starts a run for each change.', example: {} },
      webhook: {
        register: {
          call: 'subscribe',
          given: { url: '{address}', state: '{secret}' },
          id: 'id',
          ends: { at: 'expires', as: 'milliseconds' },
        },
        renew: { call: 'renew', given: { id: '{id}' } },
        verify: { by: 'address' },
        challenge: {
          ...{ in: 'query', when: { field: 'hub.mode', is: 'subscribe' } },
          ...{ answer: 'hub.challenge', token: 'hub.verify_token' },
        },
        key: { field: 'id' },
      },
    },
  ],
};

test('a registration that ends is renewed before, and a challenge in the query is answered by who knows the secret', async () => {
  const asked: { path: string; body: { id?: string; url?: string; state?: string } }[] = [];
  const server = createHttpServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      asked.push({ path: request.url ?? '', body: JSON.parse(text) as never });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 's1', expires: Date.now() + 3000 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const folder = await tempFolder();
  await mkdir(join(folder, '.services'));
  await writeFile(join(folder, '.services', 'subs.json'), JSON.stringify(subscriptions));
  const node = { operator: 'subs.changed', params: { connection: 'it' } };
  await writeFile(join(folder, 'take.json'), flowText('take', { called: node }));
  const port = await freePort();
  const bed = await startBed({ flows: [folder], port, publicUrl: `http://127.0.0.1:${port}` });
  const { port: at } = server.address() as AddressInfo;
  await connect(bed, 'github', { url: `http://127.0.0.1:${at}` } as Vendor);
  await (await looks(bed)).again();
  await eventually(() => expect(asked.map(({ path }) => path)).toContain('/renewals'));
  expect(asked.filter(({ path }) => path === '/subscriptions')).toHaveLength(1);
  expect(asked.at(-1)?.body).toEqual({ id: 's1' });
  const { url = '', state = '' } = asked[0]?.body ?? {};
  const challenge = (token: string) =>
    fetch(`${url}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`);
  const right = await challenge(state);
  expect([right.status, await right.text()]).toEqual([200, '1158201444']);
  expect((await challenge('wrong')).status).toBe(401);
});
