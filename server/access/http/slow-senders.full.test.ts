import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../base/config/config.ts';
import type {} from './read-body.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { PATIENCE_MS } from '../../../tests/support/eventually.ts';

const MB = 1024 ** 2;
const TRIGGER = '/api/v1/awel/trigger';

function flow(id: string, params: Record<string, unknown>): string {
  return JSON.stringify({
    format: 1,
    id,
    nodes: {
      in: { operator: 'trigger.http', params: { path: `/${id}`, methods: ['POST'], ...params } },
    },
    edges: [],
  });
}

const hmac = { type: 'hmac', secret: { $secret: 'hook' } };

async function startWith(flows: Record<string, object>, changes: Partial<Config> = {}): Promise<Bed> {
  const folder = join(await tempFolder(), 'flows');
  mkdirSync(folder);
  for (const [id, params] of Object.entries(flows))
    writeFileSync(join(folder, `${id}.json`), flow(id, { ...params }));
  return startBed({ flows: [folder], secrets: { hook: 'signed' }, ...changes });
}

interface Sender {
  readonly socket: Socket;
  /** Everything that the server sent, once it closed or sent something. */
  received: string;
}

/** Announces `announced` bytes, sends `sent` of them and then waits. */
function sendSlowly(
  bed: Bed,
  path: string,
  { announced, sent }: { announced: number; sent: number },
): Sender {
  const socket = connect(bed.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const sender: Sender = { socket, received: '' };
  socket.on('error', () => {});
  socket.on('data', (data) => {
    sender.received += data.toString('latin1');
  });
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${bed.port}\r\nContent-Type: application/json\r\nX-Signature: ${'a'.repeat(64)}\r\nContent-Length: ${announced}\r\n\r\n`;
  socket.write(head);
  socket.write(Buffer.alloc(sent, 0x20));
  return sender;
}

const statusOf = ({ received }: Sender): number => Number(received.slice(9, 12));

async function answered(senders: readonly Sender[], count: number): Promise<void> {
  await expect
    .poll(() => senders.filter(({ received }) => received !== '').length)
    .toBeGreaterThanOrEqual(count);
}

const held = (bed: Bed): number => bed.app.bodyBudget?.held ?? Number.NaN;

test('slow senders share the budget: the slowest are asked to retry, and a fast sender is answered', async () => {
  const bed = await startWith({ open: { auth: 'none' }, signed: { auth: hmac } }, { bodyBudget: 4 * MB });
  const senders = ['open', 'signed'].flatMap((id) =>
    Array.from({ length: 10 }, () => sendSlowly(bed, `${TRIGGER}/${id}`, { announced: MB, sent: MB - 1000 })),
  );
  // Three bodies of a megabyte each fit into nine tenths of four.
  await answered(senders, 17);
  expect(held(bed)).toBeLessThanOrEqual(4 * MB);
  const refused = senders.filter(({ received }) => received !== '');
  expect(refused.map(statusOf)).toEqual(refused.map(() => 503));
  for (const { received } of refused)
    expect(received).toMatch(/retry-after: \d+[\s\S]*"err_code":"overloaded"/i);
  for (const bytes of [100, 60_000]) {
    const body = JSON.stringify('x'.repeat(bytes));
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${bed.url}${TRIGGER}/open`, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([200, body]);
  }
  for (const { socket } of senders) socket.destroy();
  await expect.poll(() => held(bed), { timeout: PATIENCE_MS }).toBe(0);
});

test('no stranger makes the server read a body where his address or token is wrong', async () => {
  const bed = await startWith({ keyed: {} });
  const size = { announced: MB, sent: 1000 };
  const senders = [
    '/wait/a.b',
    '/wait/a.b?token=wrong',
    '/nothing/here',
    `${TRIGGER}/none`,
    `${TRIGGER}/keyed`,
    '/api/v1/session',
    '/api/v1/flows/check',
    '/api/v2/chat/completions',
    '/mcp',
    '/healthz',
    '/',
  ].map((path) => sendSlowly(bed, path, size));
  await answered(senders, senders.length);
  expect(senders.map(statusOf)).toEqual([403, 403, 404, 404, 401, 413, 401, 401, 401, 405, 405]);
  expect(held(bed)).toBe(0);
});

test.each([
  ['no key is needed', { auth: 'none' }, MB],
  ['a signature is asked for', { auth: hmac }, MB],
  ['a key is asked for', {}, 10 * MB],
  ['the trigger allows more', { auth: 'none', limits: { bytes: 12 * MB } }, 12 * MB],
  ['the trigger allows less', { limits: { bytes: 2048 } }, 2048],
])('a body may have so many bytes where %s', async (_where, params, limit) => {
  const key = 'a'.repeat(40);
  const bed = await startWith({ f: params }, { apiKeys: [key] });
  const isRead = async (bytes: number): Promise<boolean> => {
    const body = `"${'x'.repeat(bytes - 2)}"`;
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'x-signature': 'a'.repeat(64),
    };
    const answer = await fetch(`${bed.url}${TRIGGER}/f`, { method: 'POST', headers, body });
    return !(await answer.text()).includes('body_too_large');
  };
  expect([await isRead(limit), await isRead(limit + 1)]).toEqual([true, false]);
});

test('a body in pieces of one byte uses no more room than its bytes', async () => {
  const bed = await startWith({ open: { auth: 'none' } });
  const socket = connect(bed.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const text = JSON.stringify('x'.repeat(100_000));
  socket.write(
    `POST ${TRIGGER}/open HTTP/1.1\r\nHost: 127.0.0.1:${bed.port}\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  socket.write(
    text
      .split('')
      .map((letter) => `1\r\n${letter}\r\n`)
      .join(''),
  );
  await expect.poll(() => held(bed), { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(text.length);
  expect(held(bed)).toBeLessThanOrEqual(2 * text.length + 4096);
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  socket.write('0\r\n\r\n');
  await once(socket, 'close');
  expect(received).toContain(text);
  await expect.poll(() => held(bed), { timeout: PATIENCE_MS }).toBe(0);
});

test.each([
  ['names', `{${Array.from({ length: 50_001 }, (_, i) => `"a${i}":1`).join()}}`, { names: 60_000 }],
  ['values', `[${'0,'.repeat(200_000)}0]`, { elements: 300_000 }],
])(
  'JSON with too many %s is refused before it is parsed, unless the trigger takes more',
  async (_what, body, limits) => {
    const bed = await startWith({ usual: { auth: 'none' }, more: { auth: 'none', limits } });
    const headers = { 'content-type': 'application/json' };
    const codeAt = async (id: string): Promise<unknown> => {
      const answer = await fetch(`${bed.url}${TRIGGER}/${id}`, { method: 'POST', headers, body });
      const received = (await answer.json()) as { err_code?: string };
      return [answer.status, received.err_code];
    };
    expect(await codeAt('usual')).toEqual([413, 'too_many_values']);
    expect(await codeAt('more')).toEqual([200, undefined]);
  },
);
