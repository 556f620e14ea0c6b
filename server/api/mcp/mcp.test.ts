import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { createAccess } from '../../access/security/access.ts';
import type { Scope } from '../../access/security/scopes.ts';
import { sha256 } from '../../access/security/secrets.ts';
import { testConfig } from '../../testing/fake-context.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { PING_MS } from '../../access/http/stream-limits.ts';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';

const keyOf = (...scopes: readonly Scope[]): string => `a-key-for-${scopes.join('-')}`;
const keys: readonly (readonly Scope[])[] = [['triggers'], ['triggers', 'chat'], ['chat']];

function httpFlow(id: string, params: object, node: Flow['nodes'][string]): Flow {
  return {
    format: 1,
    id,
    description: `What ${id} does.`,
    nodes: { trigger: { operator: 'trigger.http', params: { path: `/${id}`, ...params } }, node },
    edges: [{ from: 'trigger.out', to: 'node.in' }],
  };
}

const n = { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 0 } } };
const map = (value: unknown): Flow['nodes'][string] => ({ operator: 'core.map', params: { value } });
const flows: readonly Flow[] = [
  { ...httpFlow('double', { request: n }, map('{{ input.n * 2 }}')), name: 'Double' },
  httpFlow('pair', { request: n, methods: ['POST'] }, map({ n: '{{ input.n }}' })),
  httpFlow('refuse', { request: n }, { operator: 'logic.stop', params: { message: 'Not today.' } }),
  httpFlow('slow', { request: n }, { operator: 'logic.delay', params: { ms: 20_000 } }),
  httpFlow('later', { request: n, answer: 'immediately' }, map('{{ input.n }}')),
  httpFlow(
    'counted',
    { request: n },
    {
      operator: 'code.stream',
      params: { source: "yield* ['one ', 'two ', 'three'];" },
    },
  ),
  httpFlow('silent', {}, map('{{ 1 }}')),
  httpFlow('signed', { request: n, auth: { type: 'basic', user: 'u', secret: { $secret: 's' } } }, map(1)),
  {
    format: 1,
    id: 'talk',
    nodes: { trigger: { operator: 'trigger.chat' }, node: map('You said {{ input.text }}') },
    edges: [{ from: 'trigger.out', to: 'node.in' }],
  },
];

async function startServer(): Promise<Bed> {
  const folder = await tempFolder();
  await mkdir(folder, { recursive: true });
  for (const flow of flows) await writeFile(join(folder, `${flow.id}.json`), JSON.stringify(flow));
  const records = keys.map((scopes) => ({
    id: scopes.join('_'),
    name: scopes.join('_'),
    hash: sha256(keyOf(...scopes)),
    scopes: [...scopes],
    createdAt: '2026-01-01T00:00:00.000Z',
  }));
  return startBed({ flows: [folder] }, { access: createAccess(testConfig(), records) });
}

async function connect(bed: Bed, key = keyOf('triggers')): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${bed.url}/mcp`), { requestInit });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>): unknown =>
  (content as readonly { readonly text?: string }[])[0]?.text;

describe('flows as tools', () => {
  test('are the live ones that say what they take and that a key alone opens', async () => {
    const bed = await startServer();
    const client = await connect(bed);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ['counted', 'double', 'later', 'pair', 'refuse', 'slow']
        .map((flow) => `${flow}-trigger`)
        .concat('run-status')
        .sort(),
    );
    expect(tools.find(({ name }) => name === 'double-trigger')).toEqual({
      name: 'double-trigger',
      title: 'Double',
      description: 'What double does.',
      inputSchema: n,
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    const chatter = await connect(bed, keyOf('triggers', 'chat'));
    expect((await chatter.listTools()).tools.map(({ name }) => name)).toContain('talk-trigger');
    expect(textOf(await chatter.callTool({ name: 'talk', arguments: { text: 'hi' } }))).toBe('You said hi');
    await expect(client.callTool({ name: 'talk', arguments: { text: 'hi' } })).rejects.toThrow(
      'no tool talk',
    );
  });

  test('run as runs, and give values, objects and streams', async () => {
    const bed = await startServer();
    const client = await connect(bed);
    expect(await client.callTool({ name: 'double', arguments: { n: 21 } })).toEqual({
      content: [{ type: 'text', text: '42' }],
    });
    expect(await client.callTool({ name: 'pair', arguments: { n: 1 } })).toEqual({
      content: [{ type: 'text', text: '{"n":1}' }],
      structuredContent: { n: 1 },
    });
    const progress: number[] = [];
    const counted = await client.callTool({ name: 'counted', arguments: { n: 1 } }, undefined, {
      onprogress: (notice) => progress.push(notice.progress),
    });
    expect(textOf(counted)).toBe('one two three');
    expect(progress).toEqual([1, 2, 3]);
    const runs = await bed.ctx.runs.list({ limit: 10 });
    expect(runs.map(({ flow, source }) => `${flow} ${source}`).sort()).toEqual([
      'counted mcp',
      'double mcp',
      'pair mcp',
    ]);
  });

  test('that answer at once name the tool for the result, which returns it', async () => {
    const bed = await startServer();
    const client = await connect(bed);
    const started = await client.callTool({ name: 'later-trigger', arguments: { n: 5 } });
    const { run, statusUrl } = started.structuredContent as { run: string; statusUrl: string };
    expect(started.structuredContent).toMatchObject({ status: 'running' });
    expect(await bed.ctx.durable.get(run)).toMatchObject({ flow: 'later', source: 'mcp' });
    await eventually(async () => {
      const status = await client.callTool({ name: 'run-status', arguments: { statusUrl } });
      expect(textOf(status)).toBe('5');
    });
    for (const wrong of [
      {},
      { statusUrl: 7 },
      { statusUrl: statusUrl.slice(0, -3) },
      { statusUrl: 'http://[' },
    ]) {
      const refused = await client.callTool({ name: 'run-status', arguments: wrong });
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toMatch(/^Error run_not_found/);
    }
  });

  test('say what they give where it is an object, and the client checks it', async () => {
    const bed = await startServer();
    const client = await connect(bed);
    const { tools } = await client.listTools();
    const given = (name: string) => tools.find((tool) => tool.name === name)?.outputSchema;
    expect(given('pair-trigger')).toMatchObject({ type: 'object', properties: { n: { type: 'integer' } } });
    expect(given('later-trigger')).toMatchObject({
      type: 'object',
      required: ['run', 'status', 'statusUrl'],
    });
    expect(given('double-trigger')).toBeUndefined();
    const pair = await client.callTool({ name: 'pair-trigger', arguments: { n: 1 } });
    expect(pair.structuredContent).toEqual({ n: 1 });
  });

  test('keep their names when a trigger is added, and clients are notified of new ones', async () => {
    const bed = await startServer();
    const client = await connect(bed);
    let notices = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notices++);
    const second = { operator: 'trigger.http', params: { path: '/double/again', request: n } };
    const double = await bed.ctx.flows.get('double');
    const flow = JSON.parse(double.text ?? '') as Flow;
    const both = {
      ...flow,
      nodes: { ...flow.nodes, second },
      edges: [...flow.edges, { from: 'second.out', to: 'node.in' }],
    };
    const node = { operator: 'core.merge' };
    const merged = {
      ...both,
      nodes: { ...both.nodes, node, result: flow.nodes['node'] },
      edges: [...both.edges, { from: 'node.out', to: 'result.in' }],
    };
    await eventually(async () => {
      const { revision } = await bed.ctx.flows.get('double');
      await bed.ctx.flows.save('double', JSON.stringify(merged), { revision, actor: actorNamed('test') });
      expect(notices).toBeGreaterThan(0);
    });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['double-trigger', 'double-second']));
    expect(textOf(await client.callTool({ name: 'double-trigger', arguments: { n: 2 } }))).toBe('4');
  });

  test('give their failures, and what is wrong with arguments, as results for the model', async () => {
    const bed = await startServer();
    const client = await connect(bed);
    const failed = await client.callTool({ name: 'refuse', arguments: { n: 1 } });
    expect(failed).toMatchObject({ isError: true });
    expect(textOf(failed)).toBe('Error stopped: Not today.');
    const wrong = await client.callTool({ name: 'double', arguments: { n: 'many' } });
    expect(wrong).toMatchObject({ isError: true });
    expect(textOf(wrong)).toMatch(/invalid_request.*n/);
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow('no tool nothing');
  });

  test('end when the client calls them off, and when it goes away', async () => {
    const bed = await startServer();
    const statuses = async () => (await bed.ctx.runs.list({ limit: 5 })).map(({ status }) => status);
    const client = await connect(bed);
    const controller = new AbortController();
    const call = client.callTool({ name: 'slow', arguments: { n: 1 } }, undefined, controller);
    await eventually(async () => expect(await statuses()).toEqual(['running']));
    controller.abort();
    await expect(call).rejects.toThrow();
    await eventually(async () => expect(await statuses()).toEqual(['cancelled']));

    const leaver = await connect(bed);
    leaver.callTool({ name: 'slow', arguments: { n: 1 } }).catch(() => {});
    await eventually(async () => expect(await statuses()).toEqual(['running', 'cancelled']));
    await leaver.close();
    await eventually(async () => expect(await statuses()).toEqual(['cancelled', 'cancelled']));
  });

  test('end when their key is revoked', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const bed = await startServer();
    const client = await connect(bed);
    const call = client.callTool({ name: 'slow', arguments: { n: 1 } });
    await eventually(() => expect(bed.ctx.runs.inFlight).toBe(1));
    vi.advanceTimersByTime(PING_MS);
    expect(bed.ctx.runs.inFlight).toBe(1);
    bed.ctx.access.keys.remove('triggers');
    vi.advanceTimersByTime(PING_MS);
    expect(await call).toMatchObject({ isError: true });
    expect((await bed.ctx.runs.list({ limit: 1 }))[0]?.status).toBe('cancelled');
  });

  test('many calls of many clients at once each get their own answer', async () => {
    const bed = await startServer();
    const clients = await Promise.all([connect(bed), connect(bed), connect(bed)]);
    const calls = Array.from({ length: 60 }, async (_, i) =>
      clients[i % 3]?.callTool({ name: 'double', arguments: { n: i } }),
    );
    const answers = await Promise.all(calls);
    expect(answers.map((answer) => answer && textOf(answer))).toEqual(calls.map((_, i) => String(i * 2)));
  });
});

describe('authorization', () => {
  const post = (bed: Bed, headers: Record<string, string>, body: unknown = listTools) =>
    fetch(`${bed.url}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const authorization = `Bearer ${keyOf('triggers')}`;

  test('holders of a key with the scope triggers, and no page of another origin', async () => {
    const bed = await startServer();
    const stranger = await post(bed, {});
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="weft"']);
    expect(JSON.stringify(await stranger.json())).toContain('Authorization: Bearer');
    expect((await post(bed, { authorization: `Bearer ${keyOf('chat')}` })).status).toBe(403);
    const foreign = await post(bed, { authorization, origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({ err_code: 'bad_origin' });
    expect((await post(bed, { authorization, origin: bed.url })).status).toBe(200);
    expect((await post(bed, { authorization })).status).toBe(200);
  });

  test('an invalid message or an unknown method is reported', async () => {
    const bed = await startServer();
    const status = async (body: unknown, more = {}): Promise<number> =>
      (await post(bed, { authorization, ...more }, body)).status;
    expect(await status('{')).toBe(400);
    expect(await status({})).toBe(400);
    expect(await status([1])).toBe(400);
    expect(await status('null')).toBe(400);
    expect(await status(listTools, { accept: 'text/html' })).toBe(406);
    const get = await fetch(`${bed.url}/mcp`, { headers: { authorization } });
    expect(get.status).toBe(405);
    expect(get.headers.get('allow')).toBe('GET, POST');
  });

  test('also without the editor', async () => {
    const bed = await startBed({ editor: 'off', apiKeys: ['a-key-of-sixteen'] });
    const answer = await post(bed, { authorization: 'Bearer a-key-of-sixteen' });
    expect(await answer.text()).toContain('"tools":[]');
  });
});
