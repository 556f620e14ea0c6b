import { writeFileSync, mkdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PATIENCE_MS } from '../../tests/support/eventually.ts';
import { type Bed, startBed, tempFolder } from '../testing/platform-bed.ts';

const TRIGGER = '/api/v1/awel/trigger';
const PIECE = Buffer.alloc(64 * 1024, 0x61);

interface Sender {
  readonly socket: Socket;
  said: string;
}

/** A server on which requests have a fraction of the usual minute. */
async function startWith(requestTimeout: number): Promise<Bed> {
  const folder = join(await tempFolder(), 'flows');
  mkdirSync(folder);
  const add = (id: string, params: object): void => {
    const node = {
      operator: 'trigger.http',
      params: { path: `/${id}`, methods: ['POST'], auth: 'none', ...params },
    };
    writeFileSync(
      join(folder, `${id}.json`),
      JSON.stringify({ format: 1, id, nodes: { in: node }, edges: [] }),
    );
  };
  add('plain', {});
  add('upload', { accept: ['bytes'], limits: { fileBytes: 1e9 } });
  const bed = await startBed({ flows: [folder] });
  bed.app.server.requestTimeout = requestTimeout;
  return bed;
}

/** Announces a body, and sends nothing of it yet. */
function begin(bed: Bed, path: string, type: string, told: number): Sender {
  const socket = connect(bed.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const sender: Sender = { socket, said: '' };
  socket.on('error', () => {});
  socket.on('data', (data) => {
    sender.said += data.toString('latin1');
  });
  socket.write(
    `POST ${TRIGGER}${path} HTTP/1.1\r\nHost: 127.0.0.1:${bed.port}\r\nContent-Type: ${type}\r\nContent-Length: ${told}\r\n\r\n`,
  );
  return sender;
}

const patience = { timeout: PATIENCE_MS };

test('an upload that keeps moving may take longer than other requests; one that stalls may not', async () => {
  const bed = await startWith(3000);
  const steady = begin(bed, '/upload', 'video/x-raw', 2000 * PIECE.length);
  const stalled = begin(bed, '/upload', 'video/x-raw', 2000 * PIECE.length);
  const plain = begin(bed, '/plain', 'application/json', 1000);
  stalled.socket.write(PIECE.subarray(0, 1000));
  let pieces = 0;
  const timer = setInterval(() => {
    if (pieces < 1999) pieces += Number(steady.socket.write(PIECE) || true);
  }, 50);
  onTestFinished(() => clearInterval(timer));
  await expect.poll(() => plain.said, patience).toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/);
  await expect.poll(() => stalled.said, patience).toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/);
  expect(steady.said).toBe('');
  clearInterval(timer);
  steady.socket.write(Buffer.alloc((2000 - pieces) * PIECE.length, 0x61));
  await expect.poll(() => steady.said, patience).toMatch(/^HTTP\/1\.1 200 /);
  await expect.poll(() => bed.app.bodyBudget?.held, patience).toBe(0);
}, 90_000);

test('a thousand senders who stall leave the server open to others, and are all cut off', async () => {
  const bed = await startWith(2000);
  const slow = Array.from({ length: 1000 }, () => begin(bed, '/upload', 'video/x-raw', 10_000_000));
  for (const { socket } of slow) socket.write('x');
  const answer = await fetch(`${bed.url}${TRIGGER}/upload`, {
    method: 'POST',
    headers: { 'content-type': 'video/x-raw' },
    body: PIECE,
  });
  expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, PIECE.length]);
  const refused = (): number => slow.filter(({ said }) => /^HTTP\/1\.1 (?:408|503) /.test(said)).length;
  await expect.poll(refused, patience).toBe(1000);
  await expect.poll(() => bed.app.bodyBudget?.held, patience).toBe(0);
}, 120_000);
