import { expect, test } from 'vitest';
import { openPostgres } from '../../storage/database/postgres/open-postgres.ts';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { DOCUMENTS } from './testing/corpus.ts';
import { chunksOf, expectWhole, run } from './testing/killed-ingest.ts';

/** The number of kills, one after each of the first output lines; the bar for a release is 30. */
const KILLS = Number(process.env['TEST_KILLS'] ?? 8);

test('no chunk is lost or duplicated, wherever the process is killed', { timeout: 300_000 }, async () => {
  const data = await tempFolder();
  let kills = 0;
  for (let n = 0; n < KILLS; n++) {
    const { killed } = await run(data, n, 1 + ((n * 5) % 23));
    if (killed) kills++;
  }
  expect(kills).toBeGreaterThan(KILLS / 2);
  const { lines } = await run(data, KILLS, Number.POSITIVE_INFINITY);
  expect(lines.at(-1)).toBe('done');
  expect(lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  expectWhole(data, KILLS);

  // Unchanged documents are neither read nor embedded again.
  const again = await run(data, KILLS, Number.POSITIVE_INFINITY);
  expect(again.lines).toEqual(['open', 'put 0', 'put 1', 'put 2', 'done']);
  expectWhole(data, KILLS);
});

test('the same in a PostgreSQL', { timeout: 300_000 }, async () => {
  const data = await tempFolder();
  const url = await newDatabase();
  for (let n = 0; n < KILLS / 2; n++) await run(data, n, 1 + ((n * 7) % 23), [url]);
  const { lines } = await run(data, KILLS, Number.POSITIVE_INFINITY, [url]);
  expect(lines.at(-1)).toBe('done');
  expect(lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  const sql = await openPostgres(url, []);
  const chunks = await sql.all<{ text: string }>(
    'SELECT c.text FROM knowledge_chunks c JOIN knowledge_documents d ON d.id = c.document ORDER BY d.name, c.n',
  );
  expect(chunks.map(({ text }) => text)).toEqual(chunksOf(KILLS).map(({ text }) => text));
  const count = async (what: string) =>
    (await sql.first<{ n: number }>(`SELECT count(*) AS n FROM ${what}`))?.n;
  expect(await count('knowledge_vectors')).toBe(chunks.length);
  expect(await count('knowledge_chunks c JOIN knowledge_vectors v ON v.hash = c.hash')).toBe(chunks.length);
  expect(await count("knowledge_documents WHERE status = 'ready' AND chunks = embedded")).toBe(DOCUMENTS);
  await sql.close();
});
