import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { splitDocument, SplitSettings } from '#shared/split-document.ts';
import { openPostgres } from '../storage/postgres/open-postgres.ts';
import { newDatabase } from '../storage/testing/postgres-server.ts';
import { tempFolder } from '../testing/platform-bed.ts';
import { DOCUMENTS, textOf } from './testing/corpus.ts';

const child = fileURLToPath(new URL('testing/ingest-child.ts', import.meta.url));
/** Where a process is killed, counted in what it says; the bar for a release is 30. */
const KILLS = Number(process.env['WEFT_TEST_KILLS'] ?? 8);

/** Runs a process until it has said so many things, then kills it; false if it ended before. */
async function run(
  data: string,
  round: number,
  until: number,
  database: readonly string[] = [],
): Promise<{ killed: boolean; said: string[] }> {
  const started = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', child, data, String(round), ...database],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = once(started, 'exit');
  const said: string[] = [];
  for await (const line of createInterface({ input: started.stdout })) {
    said.push(line);
    if (said.length === until) started.kill('SIGKILL');
  }
  await exited;
  return { killed: started.signalCode === 'SIGKILL', said };
}

function chunksOf(round: number) {
  const settings = SplitSettings.parse({});
  return Array.from({ length: DOCUMENTS }, (_, document) => [
    ...splitDocument([{ text: textOf(document, round) }], settings),
  ]).flat();
}

/** Everything in the tables, held against what the texts of a round give. */
function expectWhole(data: string, round: number): void {
  const db = new DatabaseSync(join(data, 'knowledge.db'), { readOnly: true });
  const chunks = db.prepare(
    'SELECT c.text FROM chunks c JOIN documents d ON d.id = c.document ORDER BY d.name, c.n',
  );
  const expected = chunksOf(round);
  expect(chunks.all().map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
  const count = (sql: string) => db.prepare(`SELECT count(*) AS n FROM ${sql}`).get()?.['n'];
  expect(count('chunk_words')).toBe(expected.length);
  expect(count("chunk_words WHERE chunk_words MATCH 'euro'")).toBe(expected.length);
  // A vector for each chunk, and none that nothing needs.
  expect(count('vectors')).toBe(expected.length);
  expect(count('chunks c JOIN vectors v ON v.hash = c.hash')).toBe(expected.length);
  expect(count("documents WHERE status = 'ready' AND chunks = embedded")).toBe(DOCUMENTS);
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  db.close();
}

test('no chunk is lost or doubled, wherever the process is killed', { timeout: 300_000 }, async () => {
  const data = await tempFolder();
  let kills = 0;
  for (let n = 0; n < KILLS; n++) {
    const { killed } = await run(data, n, 1 + ((n * 5) % 23));
    if (killed) kills++;
  }
  expect(kills).toBeGreaterThan(KILLS / 2);
  const { said } = await run(data, KILLS, Number.POSITIVE_INFINITY);
  expect(said.at(-1)).toBe('done');
  expect(said.filter((line) => line.startsWith('warn'))).toEqual([]);
  expectWhole(data, KILLS);

  // What has not changed is neither read nor embedded again.
  const again = await run(data, KILLS, Number.POSITIVE_INFINITY);
  expect(again.said).toEqual(['open', 'put 0', 'put 1', 'put 2', 'done']);
  expectWhole(data, KILLS);
});

test('what a kill left is finished by the next process without being asked', {
  timeout: 60_000,
}, async () => {
  const data = await tempFolder();
  const { said } = await run(data, 0, 5);
  expect(said).toContain('put 0');
  const next = await run(data, 0, Number.POSITIVE_INFINITY);
  expect(next.said.at(-1)).toBe('done');
  expectWhole(data, 0);
});

test('the same in a PostgreSQL', { timeout: 300_000 }, async () => {
  const data = await tempFolder();
  const url = await newDatabase();
  for (let n = 0; n < KILLS / 2; n++) await run(data, n, 1 + ((n * 7) % 23), [url]);
  const { said } = await run(data, KILLS, Number.POSITIVE_INFINITY, [url]);
  expect(said.at(-1)).toBe('done');
  expect(said.filter((line) => line.startsWith('warn'))).toEqual([]);
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
