import { setMaxListeners } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { createDocuments } from '../../server/integrations/documents/documents.ts';
import { paper } from '../../server/integrations/documents/testing/made.ts';
import { watchHeartbeat } from '../../server/integrations/sandbox/testing/heartbeat.ts';

/** Documents that are larger than anybody means to send. */

const documents = createDocuments();
const { signal } = new AbortController();
setMaxListeners(0, signal);
const MB = 1_000_000;
/** Others wait for no longer than this, in milliseconds, on a busy core. */
const MAX_GAP_MS = 400;

afterAll(() => documents.close());

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

test('Of a PDF of 10,000 pages so many are read as are wanted, and nobody is held up.', async () => {
  const file = paper(Array.from({ length: 10_000 }, (_, i) => `Page ${i + 1}`));
  const heartbeat = watchHeartbeat();
  const read = await documents.pdf(once(file), { maxPages: 500, maxBytes: 50 * MB }, signal);
  expect([read.pageCount, read.pages?.length]).toEqual([10_000, 500]);
  expect(read.pages?.at(-1)).toEqual({ page: 500, text: 'Page 500' });
  expect(heartbeat.stop()).toBeLessThan(MAX_GAP_MS);
});

test('A CSV file whose line has a gigabyte is refused after a few megabytes of it.', async () => {
  const piece = new Uint8Array(65_536).fill(0x78);
  let sent = 0;
  async function* line(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('name,note\nAda,');
    for (; sent < 1000 * MB; sent += piece.length) yield piece;
  }
  const rows = async () => {
    for await (const some of documents.rows(line(), { format: 'csv' }, signal)) void some;
  };
  await expect(rows()).rejects.toMatchObject({ code: 'document_unreadable', message: /longer than/ });
  expect(sent).toBeLessThan(20 * MB);
});
