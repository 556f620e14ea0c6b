import { expect, onTestFinished, test } from 'vitest';
import { PATIENCE_MS } from '../../../tests/support/eventually.ts';
import { begin, PIECE, startWith } from './testing/slow-senders.ts';

test('an upload that keeps moving may take longer than other requests; one that stalls may not', async () => {
  const bed = await startWith(1000);
  const steady = begin(bed, '/upload', 'video/x-raw', 2000 * PIECE.length);
  const stalled = begin(bed, '/upload', 'video/x-raw', 2000 * PIECE.length);
  stalled.socket.write(PIECE.subarray(0, 1000));
  let pieces = 0;
  const timer = setInterval(() => {
    if (pieces < 1999) pieces += Number(steady.socket.write(PIECE) || true);
  }, 20);
  onTestFinished(() => clearInterval(timer));
  await expect
    .poll(() => stalled.received, { timeout: PATIENCE_MS })
    .toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/);
  expect(steady.received).toBe('');
});
