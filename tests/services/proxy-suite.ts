import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Agent, fetch, request } from 'undici';
import { WebSocket } from 'ws';
import type { AuditEntry } from '#shared/audit.ts';
import { keyHeaders } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { httpTrigger, sayFlow, write } from '../support/flows.ts';
import type { Program } from '../support/process.ts';
import { discard, root, startServer, tempFolder, type TestServer } from '../support/server.ts';
import { startSite } from '../support/site.ts';

/** Where a proxy listens, and where the server does that it passes requests to. */
export interface ProxyPlace {
  /** For its files; has the certificate `pem` of localhost and its `key`. */
  readonly folder: string;
  readonly port: number;
  readonly behind: number;
}

export interface Proxy {
  /** Starts it with the configuration of docs/deploy, with addresses and a certificate of its own. */
  readonly start: (place: ProxyPlace) => Program;
  /** The signal that ends it. */
  readonly end: NodeJS.Signals;
  /** What becomes of a request for a host that is not the server's: the error of the server, or of a handshake that the proxy ends. */
  readonly foreign: RegExp;
}

/** `text` with each pair's first part, which must be there, replaced by its second. */
export function adapted(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replace(from, to);
  }, text);
}

/** A configuration file of docs/deploy. */
export const deployed = (name: string): string => readFileSync(join(root, 'docs/deploy', name), 'utf8');

/** A real server behind a real proxy, called from an address that is not the proxy's. */
export function testProxy(name: string, proxy: Proxy): void {
  const folder = tempFolder(name);
  const agent = new Agent({ localAddress: '127.0.0.2', connect: { rejectUnauthorized: false } });
  let server: TestServer;
  let program: Program;
  let url: string;

  beforeAll(async () => {
    const [port, behind] = [await freePort(), await freePort()];
    url = `https://localhost:${port}`;
    const flows = tempFolder('flows');
    writeFlows(flows);
    server = await startServer({
      flows,
      env: {
        WEFT_PORT: String(behind),
        WEFT_PUBLIC_URL: url,
        WEFT_TRUST_PROXY: 'on',
        WEFT_BODY_LIMIT: '64MB',
        WEFT_BODY_BUDGET: '256MB',
        WEFT_OUTBOUND_ALLOW: '127.0.0.1',
      },
    });
    const options = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    const names = ['-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', join(folder, 'key'), '-out', join(folder, 'pem')];
    execFileSync('openssl', ['req', '-x509', ...options, ...names, ...files], { stdio: 'ignore' });
    program = proxy.start({ folder, port, behind });
    await eventually(async () => expect((await ask('/healthz')).status).toBe(200));
  });
  afterAll(async () => {
    await agent.destroy();
    program.child.kill(proxy.end);
    await program.ended;
    await discard(server);
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (path: string, init: Parameters<typeof fetch>[1] = {}) =>
    fetch(`${url}${path}`, { dispatcher: agent, redirect: 'manual', ...init });
  const trigger = (path: string) => `/api/v1/awel/trigger${path}`;

  test('the start address signs in, and the cookie is for https', async () => {
    expect(server.entrance.startsWith(`${url}/?token=`)).toBe(true);
    const entered = await ask(server.entrance.slice(url.length));
    const cookie = entered.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^weft_session_.*; Secure/);
    const session = await ask('/api/v1/session', { headers: { cookie: cookie.split(';', 1)[0] ?? '' } });
    expect(session.status).toBe(200);
    const page = await ask('/', { headers: { cookie: cookie.split(';', 1)[0] ?? '' } });
    expect(page.status).toBe(200);
  });

  test('the Host that a client asked for is passed on, and a foreign one is refused', async () => {
    expect(await (await ask(trigger('/hello'))).json()).toBe('Hello');
    const headers = { host: 'evil.example' };
    const foreign = await request(`${url}${trigger('/hello')}`, { dispatcher: agent, headers }).then(
      ({ body }) => body.text(),
      (error: Error) => error.message,
    );
    expect(foreign).toMatch(proxy.foreign);
  });

  test('a websocket tells a run as it happens', async () => {
    const socket = new WebSocket(`${url.replace('https', 'wss')}/api/v1/runs/stream`, {
      rejectUnauthorized: false,
      headers: keyHeaders(server),
    });
    onTestFinished(() => socket.terminate());
    let told = '';
    socket.on('message', (data: Buffer) => (told += data.toString()));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    await ask(trigger('/hello'));
    await eventually(() => expect(told).toContain('"hello"'));
  });

  test('a streamed answer leaves item by item, while the rest is still being made', async () => {
    const gate = Promise.withResolvers<void>();
    const site = await startSite((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('first');
      void gate.promise.then(() => response.end('second'));
    });
    const answer = await ask(trigger(`/pausing?port=${new URL(site.url).port}`));
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const reader = answer.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('first')) text += decoder.decode((await reader?.read())?.value, { stream: true });
    expect(text).not.toContain('second');
    gate.resolve();
    while (!text.includes('second')) text += decoder.decode((await reader?.read())?.value, { stream: true });
  });

  test('a large upload passes', async () => {
    const text = 'x'.repeat(40_000_000);
    const answer = await ask(trigger('/size'), {
      method: 'POST',
      headers: { ...keyHeaders(server), 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    expect(await answer.json()).toBe(text.length);
  });

  test('the server sees the address of the client, whatever the client says about itself', async () => {
    const token = (await ownerEntrance()).slice(url.length);
    const entered = await ask(token, { headers: { 'x-forwarded-for': '6.6.6.6' } });
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const audit = await ask('/api/v1/audit?what=signed+in&limit=1', { headers: { cookie } });
    const { data } = (await audit.json()) as { data: { entries: AuditEntry[] } };
    expect(data.entries[0]).toMatchObject({ what: 'signed in', from: '127.0.0.2' });
  });

  /** Another address that signs in, as `weft open` prints it. */
  async function ownerEntrance(): Promise<string> {
    const args = [join(root, 'server/weft.js'), 'open'];
    const env = { ...process.env, WEFT_DATA: server.data, WEFT_FLOWS: server.flows };
    return execFileSync(process.execPath, args, { encoding: 'utf8', env }).trim();
  }
}

function writeFlows(flows: string): void {
  write(flows, 'hello.json', sayFlow('hello', 'Hello'));
  write(flows, 'size.json', {
    format: 1,
    id: 'size',
    nodes: {
      trigger: {
        operator: 'trigger.http',
        params: { path: '/size', methods: ['POST'], limits: { bytes: 60_000_000 } },
      },
      map: { operator: 'core.map', params: { value: '{{ length(input.text) }}' } },
    },
    edges: [{ from: 'trigger.out', to: 'map.in' }],
  });
  write(flows, 'pausing.json', {
    format: 1,
    id: 'pausing',
    nodes: {
      trigger: httpTrigger('/pausing', { response: { as: 'sse' } }),
      get: {
        operator: 'http.request',
        params: { url: 'http://127.0.0.1:{{ input.port }}/', response: 'stream' },
      },
      answer: { operator: 'core.respond' },
    },
    edges: [
      { from: 'trigger.out', to: 'get.in' },
      { from: 'get.stream', to: 'answer.in' },
    ],
  });
}

/** A port that nobody has now; a proxy cannot choose one itself. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
