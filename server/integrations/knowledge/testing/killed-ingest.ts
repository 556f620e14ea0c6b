import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { splitDocument, SplitSettings } from '#shared/split-document.ts';
import { DOCUMENTS, textOf } from './corpus.ts';

const child = fileURLToPath(new URL('ingest-child.ts', import.meta.url));
/** Runs a process until it has reported so many steps, then kills it; false if it ended before. */
export async function run(
  data: string,
  round: number,
  until: number,
  database: readonly string[] = [],
): Promise<{ killed: boolean; lines: string[] }> {
  const started = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', child, data, String(round), ...database],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = once(started, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: started.stdout })) {
    lines.push(line);
    if (lines.length === until) started.kill('SIGKILL');
  }
  await exited;
  return { killed: started.signalCode === 'SIGKILL', lines };
}

/** The chunks of all texts of a round. */
export function chunksOf(round: number) {
  const settings = SplitSettings.parse({});
  return Array.from({ length: DOCUMENTS }, (_, document) => [
    ...splitDocument([{ text: textOf(document, round) }], settings),
  ]).flat();
}

/** Compares everything in the tables with the expected rows for the texts of a round. */
export function expectWhole(data: string, round: number): void {
  const db = new DatabaseSync(join(data, 'knowledge.db'), { readOnly: true });
  const chunks = db.prepare(
    'SELECT c.text FROM chunks c JOIN documents d ON d.id = c.document ORDER BY d.name, c.n',
  );
  const expected = chunksOf(round);
  expect(chunks.all().map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
  const count = (sql: string) => db.prepare(`SELECT count(*) AS n FROM ${sql}`).get()?.['n'];
  expect(count('chunk_words')).toBe(expected.length);
  expect(count("chunk_words WHERE chunk_words MATCH 'euro'")).toBe(expected.length);
  // A vector for each chunk, and none that is not needed.
  expect(count('vectors')).toBe(expected.length);
  expect(count('chunks c JOIN vectors v ON v.hash = c.hash')).toBe(expected.length);
  expect(count("documents WHERE status = 'ready' AND chunks = embedded")).toBe(DOCUMENTS);
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  db.close();
}
