import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { call, type Owner, signIn } from './support/client.ts';
import { type FlowJson, httpTrigger } from './support/flows.ts';
import { discard, startServer, type TestServer } from './support/server.ts';
import { startSite } from './support/site.ts';
import { followFeed } from './support/sockets.ts';

/** Flows that send requests, from a real server to a real one. */
interface Caller {
  readonly server: TestServer;
  readonly owner: Owner;
}

/** May send requests to 127.0.0.1, and to no other address of this machine. */
async function start(env: Record<string, string> = {}): Promise<Caller> {
  const server = await startServer({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', ...env } });
  return { server, owner: await signIn(server) };
}

let caller: Caller;

beforeAll(async () => {
  caller = await start({ WEFT_SECRET_TOKEN: 'not-granted-0123456789' });
});

afterAll(() => discard(caller.server));

/** Passes the request on with these params; what comes back is the answer. */
function askFlow(id: string, params: object, node: object = {}): FlowJson {
  return {
    format: 1,
    id,
    nodes: {
      ask: { operator: 'http.request', params, ...node },
      trigger: httpTrigger(`/${id}`, { methods: ['POST'] }),
    },
    edges: [{ from: 'trigger.out', to: 'ask.in' }],
  };
}

/** Makes the flow live and calls it. */
async function run(flow: FlowJson, input: unknown = {}) {
  await caller.owner.data('POST', '/flows', { flow });
  return send(caller.server, flow.id, input);
}

const send = (server: TestServer, id: string, input: unknown = {}) =>
  call(server, `/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });

/** Sends back what it got, as JSON. */
const echo = () =>
  startSite(({ method, url, headers, body }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, headers, body: body.toString() }));
  });

describe('a request', () => {
  test('keeps whole numbers of its answer that would lose digits as texts, and says so', async () => {
    const site = await startSite((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        '{"id": 12345678901234567890, "snowflake": 1212092628029698048, "n": 9007199254740991, "t": "9007199254740993"}',
      );
    });
    const answer = await run(askFlow('long', { url: site.url }));
    const body = {
      id: '12345678901234567890',
      snowflake: '1212092628029698048',
      n: 9007199254740991,
      t: '9007199254740993',
    };
    expect(answer.body).toMatchObject({ status: 200, body });
    const { events } = await caller.owner.data<{ events: { kind: string; text?: string }[] }>(
      'GET',
      `/runs/${answer.headers.get('x-weft-run')}/events`,
    );
    expect(events.find(({ kind }) => kind === 'log')?.text).toContain('12345678901234567890');
  });

  test('carries what the node says, with values of the input, and gives body, status and headers', async () => {
    const site = await echo();
    const params = {
      method: 'PATCH',
      url: `${site.url}/items/{{ urlEncode(input.id) }}`,
      query: { tag: ['a', 'b'], none: null, n: '{{ input.n }}' },
      headers: { 'X-Mine': 'for {{ input.id }}' },
      bodyType: 'json',
      body: { id: '{{ input.id }}', list: [1, null] },
    };
    const answer = await run(askFlow('patch', params), { id: 'a/b c', n: 7 });
    expect(answer.body).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: {
        method: 'PATCH',
        url: '/items/a%2Fb%20c?tag=a&tag=b&n=7',
        headers: { 'x-mine': 'for a/b c', 'content-type': 'application/json' },
        body: '{"id":"a/b c","list":[1,null]}',
      },
    });
  });

  test.each([
    ['form', { a: 'b c&d', list: [1, 2] }, 'application/x-www-form-urlencoded', 'a=b+c%26d&list=1&list=2'],
    ['text', 'hello {{ input.name }}', 'text/plain; charset=utf-8', 'hello Ada'],
    ['bytes', 'raw', 'application/octet-stream', 'raw'],
  ])('has a body as %s', async (bodyType, body, type, sent) => {
    const site = await echo();
    const params = { method: 'POST', url: site.url, bodyType, body };
    await run(askFlow(`body_${bodyType}`, params), { name: 'Ada' });
    expect(site.visits[0]).toMatchObject({ headers: { 'content-type': type } });
    expect(site.visits[0]?.body.toString()).toBe(sent);
  });

  test('has a body of parts that any reader of forms understands', async () => {
    const site = await echo();
    const body = { name: 'Ada "x"', 'file"s': { name: 'a\r\n"b.txt', type: 'text/csv', text: 'x,y' } };
    const params = { method: 'POST', url: site.url, bodyType: 'multipart', body };
    await run(askFlow('parts', params));
    const [visit] = site.visits;
    const headers = { 'content-type': visit?.headers['content-type'] ?? '' };
    const form = await new Response(new Uint8Array(visit?.body ?? []), { headers }).formData();
    expect(form.get('name')).toBe('Ada "x"');
    const file = form.get('file"s') as File;
    expect([file.type, await file.text()]).toEqual(['text/csv', 'x,y']);
  });

  test('is tried again on a status that may pass, with the same idempotency key', async () => {
    const site = await startSite((_visit, response) => {
      response.statusCode = site.visits.length < 3 ? 503 : 200;
      response.end('done');
    });
    const node = { retry: { attempts: 3, backoffMs: 1 } };
    const flow = askFlow('again', { method: 'POST', url: site.url, response: 'text' }, node);
    expect((await run(flow)).body).toMatchObject({ status: 200, body: 'done' });
    const keys = site.visits.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toBeTruthy();
  });

  test('is tried again when the other side says so, and not before', async () => {
    const site = await startSite((_visit, response) => {
      if (site.visits.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.end('done');
    });
    const flow = askFlow(
      'later',
      { url: site.url, response: 'text' },
      { retry: { attempts: 2, backoffMs: 1 } },
    );
    const answer = await run({ ...flow, settings: { record: 'full' } });
    expect(answer.body).toMatchObject({ status: 200, body: 'done' });
    const { events } = await caller.owner.data<{ events: { kind: string; delayMs?: number }[] }>(
      'GET',
      `/runs/${answer.headers.get('x-weft-run')}/events`,
    );
    expect(events.filter(({ kind }) => kind === 'node-retrying').map(({ delayMs }) => delayMs)).toEqual([
      1000,
    ]);
  });

  test('fails on a status with its code and the beginning of the answer, and is not tried again on 4xx', async () => {
    const site = await startSite((_visit, response) => {
      response.statusCode = 422;
      response.end('no such colour');
    });
    const flow = askFlow(
      'fails',
      { url: `${site.url}/x?token=hidden` },
      { retry: { attempts: 3, backoffMs: 1 } },
    );
    const answer = await run(flow);
    expect(answer).toMatchObject({ status: 502, body: { err_code: 'http_status' } });
    expect(answer.text).toContain(`GET ${site.url}/x was answered with 422: no such colour`);
    expect(answer.text).not.toContain('hidden');
    expect(site.visits).toHaveLength(1);
  });

  test('takes any status where none counts as a failure', async () => {
    const site = await startSite((_visit, response) => response.writeHead(404).end());
    const flow = askFlow('any', { url: site.url, failOn: [] });
    expect((await run(flow)).body).toMatchObject({ status: 404 });
  });

  test.each([
    ['read_a', 'auto', 'text/html; charset=iso-8859-1', Buffer.from('gr\xfc\xdfe', 'latin1'), 'grüße'],
    ['read_b', 'auto', 'application/problem+json', Buffer.from('[1]'), [1]],
    ['read_c', 'json', 'text/plain', Buffer.from('{"a":1}'), { a: 1 }],
    ['read_d', 'text', 'application/json', Buffer.from('{"a":1}'), '{"a":1}'],
    ['read_e', 'auto', undefined, Buffer.from('no type'), 'no type'],
    ['read_f', 'auto', 'application/json', Buffer.from(''), null],
  ])('%s: %s reads %s', async (id, response, type, bytes, body) => {
    const site = await startSite((_visit, answer) =>
      answer.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(bytes),
    );
    expect((await run(askFlow(id, { url: site.url, response }))).body).toMatchObject({ body });
  });

  test.each([
    ['no_json', 'JSON that is none', { response: 'json' }, '<html>', 'bad_answer'],
    ['too_much', 'too much', { maxBytes: 3 }, 'four', 'value_too_large'],
  ])('%s: ends coded with %s', async (id, _, params, text, code) => {
    const site = await startSite((_visit, response) => response.end(text));
    const answer = await run(askFlow(id, { url: site.url, ...params }));
    expect(answer.body).toMatchObject({ err_code: code });
  });

  test('streams the answer on while it comes', async () => {
    const site = await startSite((_visit, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      const [first, second] = [Buffer.from('grü').subarray(0, 3), Buffer.from('grüße').subarray(3)];
      response.write(first, () => setTimeout(() => response.end(second), 30));
    });
    const flow = askFlow('stream', { url: site.url, response: 'stream' });
    const answer = await run({
      ...flow,
      nodes: { ...flow.nodes, all: { operator: 'core.unstreamify' } },
      edges: [...flow.edges, { from: 'ask.stream', to: 'all.in' }],
    });
    expect(answer.status).toBe(200);
    expect((answer.body as string[]).join('')).toBe('grüße');
  });
});

describe('where a request may not go', () => {
  test('it does not, and the error says how to allow it', async () => {
    const answer = await run(askFlow('inside', { url: 'http://127.0.0.2:8080/' }));
    expect(answer.body).toMatchObject({ err_code: 'outbound_refused' });
    expect(answer.text).toContain('WEFT_OUTBOUND_ALLOW=127.0.0.2:8080');
  });

  test('nor to the server itself, though its address is allowed', async () => {
    expect(await run(askFlow('itself', { url: `${caller.server.url}/healthz` }))).toMatchObject({
      body: { err_code: 'outbound_refused' },
    });
  });
});

describe('a secret', () => {
  const canary = 'c4n4ry-\u00fc-"value"-0123456789';

  /** All that the site sends back carries the secret, in one of the ways in which servers do that. */
  const parrot = () =>
    startSite(({ headers, url }, response) => {
      const sent = String(headers.authorization ?? url);
      const ways: Record<string, () => void> = {
        json: () =>
          response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify({ [sent]: [sent, { sent }] })),
        text: () => response.setHeader('content-type', 'text/plain').end(`you sent ${sent}`),
        error: () => response.writeHead(500).end(`bad token ${sent}`),
        refusal: () =>
          response.writeHead(401, { 'www-authenticate': sent.replace(/[^\x20-\x7e]/g, '?') }).end(sent),
        header: () => response.writeHead(200, { 'x-echo': encodeURIComponent(sent) }).end(),
        bytes: () => response.end(Buffer.from(sent)),
        large: () =>
          response
            .setHeader('content-type', 'text/plain')
            .end(`${'x'.repeat(985)}${sent}${'y'.repeat(200_000)}`),
        redirect: () => response.writeHead(302, { location: `/text?${encodeURIComponent(sent)}` }).end(),
      };
      (ways[url.split(/[/?]/)[1] ?? ''] ?? ways['text'])?.();
    });

  test('reaches the site, and nothing else', async () => {
    const site = await parrot();
    const env = {
      WEFT_SECRET_ASCII: 'ascii-canary-0123456789',
      WEFT_GRANTS: '{"ascii":{"hosts":["127.0.0.1"]}}',
    };
    const { server, owner } = await start(env);
    onTestFinished(() => discard(server));
    await owner.data('PUT', '/secrets/wide', { value: canary, grants: { flows: ['a', 'b', 'c', 'd', 'e'] } });
    expect(
      (await owner.api('PUT', '/secrets/wide', { grants: { hosts: ['127.0.0.1'] } })).text,
    ).not.toContain(canary);
    const feed = await followFeed(server);
    onTestFinished(() => feed.ws.terminate());

    const spoken: string[] = [];
    const auths = [
      { type: 'bearer', secret: { $secret: 'ascii' } },
      { type: 'basic', username: 'user', secret: { $secret: 'wide' } },
      { type: 'query', name: 'key', secret: { $secret: 'wide' } },
    ];
    const ways = ['json', 'text', 'error', 'refusal', 'header', 'bytes', 'large', 'redirect', 'text'];
    for (const [a, auth] of auths.entries()) {
      for (const [w, way] of ways.entries()) {
        const flow = canaryFlow(`f${a}${w}`, `${site.url}/${way}`, auth);
        await owner.data('POST', '/flows', { flow });
        for (const _ of [1, 2]) spoken.push((await send(server, flow.id)).text);
      }
    }
    expect(site.visits.length).toBeGreaterThanOrEqual(50);

    const runs = await owner.data<{ runs: { run: string }[] }>('GET', '/runs?limit=200');
    expect(runs.runs.length).toBeGreaterThanOrEqual(50);
    for (const { run: id } of runs.runs) spoken.push((await owner.api('GET', `/runs/${id}/events`)).text);
    spoken.push((await owner.api('GET', '/runs?limit=200')).text, (await owner.api('GET', '/secrets')).text);
    const manual = await owner.api('POST', '/flows/f00/run', { input: {}, wait: true });
    expect(manual.status).toBe(200);
    spoken.push(manual.text, JSON.stringify(feed.items));
    await server.stop();
    spoken.push(server.output(), ...filesIn(server.data), ...filesIn(server.flows));

    const everything = spoken.join('\n');
    expect(everything).toContain('***');
    for (const form of formsOf([canary, env.WEFT_SECRET_ASCII]))
      expect(everything.includes(form), form).toBe(false);
  });

  test('that is not granted is not sent', async () => {
    const site = await parrot();
    const auth = { type: 'bearer', secret: { $secret: 'token' } };
    const answer = await run(askFlow('ungranted', { url: site.url, auth }));
    expect(answer.body).toMatchObject({ err_code: 'secret_not_granted' });
    expect(site.visits).toEqual([]);
  });
});

/** Asks with the secret, logs all that came back, and keeps everything; the answer to the caller holds none of it. */
function canaryFlow(id: string, url: string, auth: object): FlowJson {
  const ask = { operator: 'http.request', params: { url, auth }, retry: { attempts: 2, backoffMs: 1 } };
  return {
    format: 1,
    id,
    settings: { record: 'full' },
    nodes: {
      ask,
      print: { operator: 'core.log', params: { message: '{{ input }} and {{ nodes.ask.headers }}' } },
      say: { operator: 'text.template', params: { template: 'done' } },
      trigger: httpTrigger(`/${id}`, { methods: ['POST'] }),
    },
    edges: [
      { from: 'ask.body', to: 'print.in' },
      { from: 'print.out', to: 'say.in' },
      { from: 'trigger.out', to: 'ask.in' },
    ],
  };
}

/** What every file below a folder holds. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

/** The secrets in every form in which they could be met, and their parts. */
function formsOf(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => [
    secret,
    secret.slice(0, 12),
    secret.slice(-12),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('latin1'),
    ...[0, 1, 2].map((n) =>
      Buffer.from(`${'x'.repeat(n)}${secret}`)
        .toString('base64')
        .slice(4, -4),
    ),
  ]);
}
