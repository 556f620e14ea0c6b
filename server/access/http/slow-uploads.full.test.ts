import { expect, onTestFinished, test } from 'vitest';
import { PATIENCE_MS } from '../../../tests/support/eventually.ts';
import { begin, PIECE, startWith, TRIGGER } from './testing/slow-senders.ts';

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
  await expect.poll(() => plain.received, patience).toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/);
  await expect.poll(() => stalled.received, patience).toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/);
  expect(steady.received).toBe('');
  clearInterval(timer);
  steady.socket.write(Buffer.alloc((2000 - pieces) * PIECE.length, 0x61));
  await expect.poll(() => steady.received, patience).toMatch(/^HTTP\/1\.1 200 /);
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
  const refused = (): number =>
    slow.filter(({ received }) => /^HTTP\/1\.1 (?:408|503) /.test(received)).length;
  await expect.poll(refused, patience).toBe(1000);
  await expect.poll(() => bed.app.bodyBudget?.held, patience).toBe(0);
}, 120_000);
