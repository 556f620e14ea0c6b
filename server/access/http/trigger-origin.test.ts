import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { announce, announcedOf } from '../../announce.ts';
import type { Config } from '../../base/config/config.ts';
import { type Bed, signIn, startBed, tempFolder } from '../../testing/platform-bed.ts';

const TRIGGER = '/api/v1/awel/trigger/hi';
const DRAFT = '/api/v1/flows/hi/test/hi';

async function start(triggerOrigin: string, changes: Partial<Config> = {}): Promise<Bed> {
  const flows = join(await tempFolder(), 'flows');
  mkdirSync(flows);
  const nodes = {
    trigger: { operator: 'trigger.http', params: { path: '/hi', auth: 'none' } },
    say: { operator: 'core.map', params: { value: 'hi' } },
  };
  const flow = { format: 1, id: 'hi', nodes, edges: [{ from: 'trigger.out', to: 'say.in' }] };
  writeFileSync(join(flows, 'hi.json'), JSON.stringify(flow));
  // The editor, as far as the server is concerned.
  const editorFiles = await tempFolder();
  writeFileSync(join(editorFiles, 'index.html'), '<!doctype html><title>Editor</title>');
  return startBed({ flows: [flows], triggerOrigin, ...changes }, { editorFiles });
}

/** Status, error code and headers of an answer to a request with that Host. */
function ask(
  url: string,
  host: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; code: unknown; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { ...headers, host } }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => {
        const code = /"err_code":"(\w+)"/.exec(text)?.[1];
        resolve({ status: answer.statusCode, code, headers: answer.headers });
      });
    }).once('error', reject);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('with an origin of their own', () => {
  const elsewhere = 'https://flows.example';

  test('triggers and wait pages are served there only, and all else is not', async () => {
    const bed = await start(elsewhere);
    const own = `127.0.0.1:${bed.port}`;
    for (const [path, here, there] of [
      [TRIGGER, 421, 200],
      ['/api/v1/%61wel/trigger/hi', 421, 200],
      ['/wait/x?token=y', 421, 403],
      ['/', 200, 421],
      ['/nowhere', 404, 421],
      ['/api/v1/session', 401, 421],
      ['/api/v1/flows', 401, 421],
      ['/api/v2/models', 401, 421],
      ['/api/v1/keys', 401, 421],
      ['/healthz', 200, 200],
      ['/api/v1/run-status/x?token=y', 404, 404],
    ] as const) {
      const [at, away] = [await ask(bed.url + path, own), await ask(bed.url + path, 'flows.example')];
      expect([path, at.status, away.status]).toEqual([path, here, there]);
      for (const { status, code } of [at, away]) expect(code === 'wrong_origin').toBe(status === 421);
    }
    expect((await ask(bed.url + TRIGGER, 'FLOWS.example:443')).status).toBe(200);
    expect((await ask(bed.url + TRIGGER, 'flows.example:444')).code).toBe('bad_host');
  });

  test('a draft is for programs on the editor’s one, and for anybody’s screen there', async () => {
    const bed = await start(elsewhere);
    const own = `127.0.0.1:${bed.port}`;
    const owner = await signIn(bed);
    const from = (dest: string) => ({ ...owner, 'sec-fetch-dest': dest });
    expect((await ask(bed.url + DRAFT, own, owner)).status).toBe(200);
    expect((await ask(bed.url + DRAFT, own, from('empty'))).status).toBe(200);
    for (const dest of ['document', 'iframe', 'script', 'worker', 'object'])
      expect((await ask(bed.url + DRAFT, own, from(dest))).code).toBe('wrong_origin');
    expect((await ask(bed.url + DRAFT, 'flows.example', from('document'))).status).toBe(200);
  });

  test('no websocket opens there', async () => {
    const bed = await start(elsewhere);
    const { cookie } = await signIn(bed);
    const headers = { cookie, origin: elsewhere, host: 'flows.example' };
    const socket = new WebSocket(`ws://127.0.0.1:${bed.port}/api/v1/runs/stream`, { headers });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('421');
  });

  test('the editor may try them from its pages, other pages may not', async () => {
    const bed = await start(elsewhere);
    const allowed = async (origin: string) =>
      (await ask(bed.url + TRIGGER, 'flows.example', { origin })).headers['access-control-allow-origin'];
    expect(await allowed(bed.url)).toBe(bed.url);
    expect(await allowed('https://evil.example')).toBeUndefined();
    expect(await allowed('null')).toBeUndefined();
    const page = await ask(`${bed.url}/`, `127.0.0.1:${bed.port}`);
    expect(page.headers['content-security-policy']).toContain(`connect-src 'self' ${elsewhere};`);
  });

  test('it is shown wherever their address is', async () => {
    const bed = await start(elsewhere, { logFormat: 'pretty' });
    const headers = await signIn(bed);
    const session = await (await fetch(`${bed.url}/api/v1/session`, { headers })).json();
    expect(session).toMatchObject({ data: { triggerOrigin: elsewhere } });
    expect(await bed.ctx.waitLinks.urlOf('run.node')).toMatch(/^https:\/\/flows\.example\/wait\//);
    let text = '';
    announce(announcedOf(bed), true, (line) => (text += line));
    expect(text).toContain(`Triggers  ${elsewhere}/api/v1/awel/trigger/<path>`);
  });
});

test('a port of this machine is listened on, with all that holds for the other', async () => {
  const port = await freePort();
  const bed = await start(`http://127.0.0.1:${port}`);
  expect(await (await fetch(`http://127.0.0.1:${port}${TRIGGER}`)).text()).toBe('"hi"');
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(421);
  expect((await fetch(bed.url + TRIGGER)).status).toBe(421);
  await bed.stop();
  await expect(fetch(`http://127.0.0.1:${port}${TRIGGER}`)).rejects.toThrow('fetch failed');
});

test('a port in use is reported at the start', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(start(`http://127.0.0.1:${port}`)).rejects.toThrow(/Cannot listen on .* WEFT_TRIGGER_ORIGIN/);
});

test('another name of this machine is an origin of its own, on the same port', async () => {
  const port = await freePort();
  const bed = await start(`http://localhost:${port}`, { port });
  expect((await fetch(`http://localhost:${port}${TRIGGER}`)).status).toBe(200);
  expect((await fetch(`http://localhost:${port}/`)).status).toBe(421);
  expect((await fetch(bed.url)).status).toBe(200);
});
