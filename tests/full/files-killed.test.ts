import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun, CalledRun } from '#shared/calls-api.ts';
import { createDiskBlobs } from '../../server/storage/file-store/disk-blobs.ts';
import { createFiles } from '../../server/storage/file-store/files.ts';
import { openWeftSql } from '../../server/storage/database/weft-tables.ts';
import { triggerPrefix } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { httpTrigger, write } from '../support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** A server that is killed while files arrive and while runs send files. */

const KILLS = 2;
const DAY_MS = 24 * 3_600_000;
const upload = { methods: ['POST'], accept: ['bytes'] };

/** What another server got, by the name in the address; it keeps everybody waiting while it is `busy`. */
async function startOther() {
  const got = new Map<string, string>();
  const other = { busy: true, url: '', got, asked: 0 };
  const server = createServer(async (request, response) => {
    other.asked++;
    const text = (await buffer(request).catch(() => undefined))?.toString();
    if (other.busy || text === undefined) return;
    got.set(new URL(request.url as string, 'http://other').pathname.slice(1), text);
    response.end('thanks');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  other.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return other;
}

function writeFlows(flows: string, other: string): void {
  const params = {
    url: `${other}/{{ trigger.query.n }}`,
    method: 'POST',
    bodyType: 'bytes',
    body: '{{ input }}',
  };
  write(flows, 'send.json', {
    format: 1,
    id: 'send',
    nodes: {
      trigger: httpTrigger('/send', { ...upload, answer: 'immediately' }),
      send: { operator: 'http.request', params },
    },
    edges: [{ from: 'trigger.out', to: 'send.in' }],
  });
  const key = { key: 'doc_{{ trigger.query.n }}', scope: 'shared' };
  write(flows, 'put.json', {
    format: 1,
    id: 'put',
    settings: { record: 'off' },
    nodes: {
      trigger: httpTrigger('/put', upload),
      set: { operator: 'state.set', params: key },
    },
    edges: [{ from: 'trigger.out', to: 'set.in' }],
  });
  write(flows, 'take.json', {
    format: 1,
    id: 'take',
    nodes: {
      trigger: httpTrigger('/take'),
      get: { operator: 'state.get', params: key },
      text: { operator: 'file.to-text' },
    },
    edges: [
      { from: 'trigger.out', to: 'get.in' },
      { from: 'get.out', to: 'text.in' },
    ],
  });
}

/** Each upload has a content of its own. */
const contentOf = (n: number): string => `${n} `.repeat(20_000);

/** An upload of which only the beginning ever arrives. */
function uploadHalf(server: TestServer): void {
  const half = httpRequest(`${server.url}${triggerPrefix}/put?n=half`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'content-length': '1000000' },
  });
  half.on('error', () => {});
  half.write('x'.repeat(600_000));
}

interface Acknowledged {
  readonly sent: Map<number, AcceptedRun>;
  readonly put: Set<number>;
}

/** Uploads to both flows, each as fast as it is answered, until the server is gone. */
async function uploadUntilGone(server: TestServer, from: number, done: Acknowledged): Promise<void> {
  const post = (path: string, n: number): Promise<Response> =>
    fetch(`${server.url}${triggerPrefix}/${path}?n=${n}`, { method: 'POST', body: contentOf(n) });
  async function loop(first: number): Promise<void> {
    for (let n = first; ; n += 2) {
      const accepted = await post('send', n);
      expect(accepted.status).toBe(202);
      done.sent.set(n, (await accepted.json()) as AcceptedRun);
      const stored = await post('put', n);
      expect(stored.status).toBe(204);
      done.put.add(n);
    }
  }
  const ends = await Promise.allSettled([loop(from), loop(from + 1)]);
  for (const end of ends) expect(end).toMatchObject({ reason: expect.any(TypeError) });
}

function stored({ data }: TestServer): { whole: string[]; half: string[] } {
  const folder = join(data, 'files');
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const all = names.filter((name) => /[0-9a-f]{32}/.test(name));
  return {
    whole: all.filter((name) => !name.endsWith('.half')),
    half: all.filter((name) => name.endsWith('.half')),
  };
}

/** Sweeps as two days later, while every holder is still there. */
async function sweepInTwoDays(server: TestServer): Promise<void> {
  const folder = join(server.data, 'files');
  const { whole, half } = stored(server);
  const before = new Date(Date.now() - 2 * DAY_MS);
  for (const name of [...whole, ...half]) utimesSync(join(folder, name), before, before);
  const sql = openWeftSql(server.data);
  const files = createFiles({ sql, blobs: createDiskBlobs(folder), now: () => Date.now() + 2 * DAY_MS });
  await files.sweep(async () => true);
  await sql.close();
}

test('a killed server loses no file that it acknowledged, and what is left over is swept', async () => {
  const other = await startOther();
  const flows = tempFolder('flows');
  writeFlows(flows, other.url);
  const env = { WEFT_OUTBOUND_ALLOW: new URL(other.url).host };
  let server = await startServer({ flows, env });
  onTestFinished(() => discard(server));
  const done: Acknowledged = { sent: new Map(), put: new Set() };
  for (let kill = 1; kill <= KILLS; kill++) {
    const { put } = done;
    const before = { put: put.size, half: stored(server).half.length, asked: other.asked };
    const uploading = uploadUntilGone(server, kill * 1000, done);
    uploadHalf(server);
    await eventually(() => {
      expect(put.size).toBeGreaterThan(before.put + 3 * kill);
      expect(stored(server).half.length).toBeGreaterThan(before.half);
      expect(other.asked).toBeGreaterThan(before.asked);
    });
    await server.stop('SIGKILL');
    await uploading;
    server = await startServer({ flows, data: server.data, env });
  }
  expect(stored(server).half.length).toBeGreaterThanOrEqual(KILLS);
  await server.stop('SIGKILL');
  await sweepInTwoDays(server);
  expect(stored(server).half).toEqual([]);

  other.busy = false;
  server = await startServer({ flows, data: server.data, env });
  for (const [n, { statusUrl }] of done.sent) {
    await eventually(async () => {
      const answer = await fetch(`${server.url}${statusUrl}`);
      expect(((await answer.json()) as { data: CalledRun }).data).toMatchObject({ status: 'ok' });
    });
    expect(other.got.get(String(n))).toBe(contentOf(n));
  }
  for (const n of done.put) {
    const answer = await fetch(`${server.url}${triggerPrefix}/take?n=${n}`);
    expect([n, answer.status, await answer.json()]).toEqual([n, 200, contentOf(n)]);
  }
});
