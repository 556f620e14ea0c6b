import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { type RunningServer, startServer } from '../../../server.ts';
import { testConfig } from '../../../testing/fake-context.ts';
import type { Endpoint } from '../../../api/triggers/endpoint.ts';
import { createTriggerTable } from '../../../api/triggers/table.ts';
import { authNote, createDevGate } from './dev-access.ts';
import { createMemoryIdempotency } from '../../../storage/idempotency/memory-idempotency.ts';
import { buildDevApp } from './dev-app.ts';
import { createDevFlows } from './dev-flows.ts';
import { findFlowFiles } from '../local/load-flow-files.ts';
import { openProject } from '../local/project.ts';
import { type DevServer, startDev } from '../testing/dev-server.ts';
import {
  flowOf,
  flowText,
  greeting,
  http,
  map,
  type TempProject,
  tempProject,
} from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

const request = {
  type: 'object',
  required: ['name', 'n'],
  properties: { name: { type: 'string', minLength: 2 }, n: { type: 'integer' }, mode: { default: 'x' } },
};
const echo = map('{{ [input, trigger.method, trigger.params] }}');
const flows = {
  'flows/fails.json': flowText('fails', { m: map('{{ input.gone }}'), t: http('/fails') }, ['t > m']),
  'flows/hello.json': greeting('hello'),
  'flows/items.json': flowText(
    'items',
    { m: echo, t: http('/items/:id', { methods: ['POST', 'DELETE'], accept: ['json', 'form', 'text'] }) },
    ['t > m'],
  ),
  'flows/model.json': flowText(
    'model',
    { m: echo, t: http('/model', { methods: ['GET', 'POST'], request }) },
    ['t > m'],
  ),
  // Runs that outlive the process need the full server.
  'flows/later.json': JSON.stringify({
    ...flowOf('later', { m: map('{{ 1 }}'), t: http('/later', { answer: 'immediately' }) }, ['t > m']),
    settings: { durable: false },
  }),
  'flows/nothing.json': flowText(
    'nothing',
    { l: { operator: 'core.log', params: { message: 'x' } }, t: http('/nothing') },
    ['t > l'],
  ),
};

const prefix = '/api/v1/awel/trigger';
const json = { 'content-type': 'application/json' };

/** Method, path, body and headers of a call. */
const calls: [method: string, path: string, body?: string, headers?: Record<string, string>][] = [
  ['GET', '/hello?name=Ada'],
  ['GET', '/hello'],
  ['HEAD', '/hello'],
  ['OPTIONS', '/hello'],
  ['OPTIONS', '/items/7'],
  ['POST', '/hello', '{}', json],
  ['GET', '//hello/?name=Ada'],
  ['GET', '/model?name=A&n=x'],
  ['GET', '/model?name=Ada&n=1&n=2'],
  ['POST', '/model', '{"name":"Ada","n":"7"}', json],
  ['POST', '/model', '{"name":1', json],
  ['POST', '/model', '', json],
  ['POST', '/model', 'name=Ada', { 'content-type': 'text/csv' }],
  ['POST', '/items/a%20b', 'x=1&y=2', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['POST', '/items/1', 'text', { 'content-type': 'text/plain' }],
  ['POST', '/items/1', '['.repeat(300), json],
  ['DELETE', '/items/1?a=b'],
  ['GET', '/items/1'],
  ['GET', '/items/%E0%A4%A'],
  ['GET', '/fails'],
  ['GET', '/nothing'],
  ['GET', '/later'],
  ['GET', '/nowhere'],
  ['GET', ''],
  ['GET', `/hello?name=${'x'.repeat(9000)}`],
  ['PUT', '/model', `"${'x'.repeat(1000)}"`, json],
];

/** Bytes that no client would send. */
const oddities: [what: string, bytes: string][] = [
  ['no HTTP', 'hello\r\n\r\n'],
  ['an unknown method', `FROB ${prefix}/hello HTTP/1.1\r\nhost: HOST\r\n\r\n`],
  ['no Host header', `GET ${prefix}/hello?name=Ada HTTP/1.1\r\nconnection: close\r\n\r\n`],
  [
    'the Host header of another',
    `GET ${prefix}/hello?name=Ada HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
  ],
  ['headers that are too long', `GET / HTTP/1.1\r\nhost: HOST\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['an address that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: HOST\r\n\r\n`],
  [
    'an offer of another protocol',
    `GET ${prefix}/hello?name=Ada HTTP/1.1\r\nhost: HOST\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n`,
  ],
  [
    'an unknown expectation',
    `GET ${prefix}/hello?name=Ada HTTP/1.1\r\nhost: HOST\r\nexpect: magic\r\nconnection: close\r\n\r\n`,
  ],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: HOST\r\n\r\n'],
];

/** Differ between any two answers. */
const volatile = ['date', 'x-request-id', 'x-weft-run', 'location'];

let project: TempProject;
let service: RunningServer;
let dev: DevServer;

beforeAll(async () => {
  project = tempProject(flows);
  const config = testConfig({ flows: [project.path('flows')], data: project.path('data'), editor: 'off' });
  service = await startServer({ ...config, apiKeys: ['a'.repeat(20)] });
  dev = await startDev(project, ['flows']);
});

afterAll(async () => {
  await dev.stop();
  await service.stop();
  project.remove();
});

async function answerOf(origin: string, [method, path, body, headers]: (typeof calls)[number]) {
  const init = { method, ...(headers && { headers }), ...(body !== undefined && { body }) };
  const response = await fetch(`${origin}${prefix}${path}`, init);
  const shown = [...response.headers].filter(([name]) => !volatile.includes(name));
  const text = await response.text();
  return { status: response.status, headers: shown, body: text.replaceAll(/"run":"\w+"/g, '"run":""') };
}

async function rawAnswerOf(origin: string, bytes: string): Promise<string> {
  const { host, port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (part) => {
    answer += String(part);
  });
  // The server may close before it has read everything.
  socket.on('error', () => undefined);
  socket.write(bytes.replace('HOST', host));
  await once(socket, 'close');
  return answer.replaceAll(/^(?:date|x-request-id|x-weft-run): .*\r\n/gim, '');
}

describe('weft dev answers as the service does', () => {
  it.each(
    calls.map((call) => [`${call[0]} ${call[1].slice(0, 40)} ${call[2]?.slice(0, 30) ?? ''}`, call] as const),
  )('to %s', async (_title, call) => {
    const expected = await answerOf(`http://127.0.0.1:${service.port}`, call);
    expect(await answerOf(dev.url, call)).toEqual(expected);
  });

  it.each(oddities)('to %s', async (_what, bytes) => {
    const expected = await rawAnswerOf(`http://127.0.0.1:${service.port}`, bytes);
    expect(expected).toMatch(/^HTTP\/1\.1 \d/);
    expect(await rawAnswerOf(dev.url, bytes)).toBe(expected);
  });
});

describe('beyond loopback', () => {
  async function statusWith(apiKeys: readonly string[], authorization?: string): Promise<number> {
    const own = tempProject({ 'a.json': greeting('a', { auth: 'api-key' }) });
    const config = testConfig({ host: '0.0.0.0', apiKeys });
    const triggers = createTriggerTable();
    createDevFlows(findFlowFiles(['a.json'], own.folder), triggers).load(
      await openProject(testIo(own.folder)),
    );
    own.remove();
    const { runs } = service.ctx;
    const gate = createDevGate(config);
    const idempotency = createMemoryIdempotency(Date.now);
    const log = pino({ level: 'silent' });
    const redactor = createRedactor();
    const { host } = service.ctx;
    const ctx = { config, log, host, triggers, runs, gate, redactor, idempotency };
    const app = await buildDevApp(ctx, () => undefined);
    const headers = { host: '192.0.2.7', ...(authorization !== undefined && { authorization }) };
    const { statusCode } = await app.inject({ url: `${prefix}/a?name=Ada`, headers });
    await app.close();
    return statusCode;
  }

  it('a trigger with api-key refuses a call without a key of WEFT_API_KEYS', async () => {
    const key = 'k'.repeat(20);
    expect(await statusWith([])).toBe(401);
    expect(await statusWith([key])).toBe(401);
    expect(await statusWith([key], 'Bearer wrong')).toBe(401);
    expect(await statusWith([key], `Bearer ${key}`)).toBe(200);
  });

  it('a trigger with a password accepts the one of WEFT_SECRET_<NAME>, and none without it', () => {
    const auth = { type: 'basic', user: 'ada', secret: { $secret: 'door' } } as const;
    const endpoint = { auth, route: { flow: { id: 'a' }, node: 't' } } as unknown as Endpoint;
    const headers = { authorization: `Basic ${Buffer.from('ada:pass').toString('base64')}` };
    const request = {
      raw: { headers },
      headers,
      log: pino({ level: 'silent' }),
    } as unknown as FastifyRequest;
    const outside = (secrets: Record<string, string>) =>
      createDevGate(testConfig({ host: '0.0.0.0', secrets })).admit(endpoint, request);
    expect(outside({ door: 'pass' })).toBeUndefined();
    expect(() => outside({ door: 'other' })).toThrow('The user name or the password is wrong');
    expect(() => outside({})).toThrow('cannot check its callers');
    expect(createDevGate(testConfig()).admit(endpoint, request)).toBeUndefined();
  });

  it('the note names the valid keys', () => {
    expect(authNote(testConfig({ host: '0.0.0.0' }))).toMatch(/answer nobody.*set WEFT_API_KEYS/);
    expect(authNote(testConfig({ host: '0.0.0.0', apiKeys: ['x'] }))).toMatch(
      /accept the keys of WEFT_API_KEYS/,
    );
  });
});

describe('weft dev describes what it serves', () => {
  it('at /openapi.json, as the service does', async () => {
    const answer = await fetch(`${dev.url}/openapi.json`);
    const { openapi, paths } = (await answer.json()) as { openapi: string; paths: Record<string, object> };
    expect([answer.status, openapi]).toEqual([200, '3.1.0']);
    expect(Object.keys(paths)).toContain(`${prefix}/model`);
    expect(Object.keys(paths).filter((path) => !path.startsWith(prefix))).toEqual([]);
  });

  it('at /docs, for a browser', async () => {
    const answer = await fetch(`${dev.url}/docs`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(dev.io.stdout.text).not.toContain('/docs');
  });
});
