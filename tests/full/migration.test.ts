import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlState } from '../../server/execution/state/sql-state.ts';
import { openWeftSql } from '../../server/storage/database/weft-tables.ts';
import { tempFolder } from '../../server/testing/platform-bed.ts';

const ROWS = 30_000;
const KILLS = 30;
const opener = fileURLToPath(new URL('support/open-rows.ts', import.meta.url));

/** `weft.db` as 0.1.0 left it, with enough rows that a migration takes a while. */
function makeOlder(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE state (
      scope TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, ends_at REAL, PRIMARY KEY (scope, key)
    ) STRICT;
    CREATE INDEX state_end ON state (ends_at) WHERE ends_at IS NOT NULL;
    WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${ROWS})
    INSERT INTO state SELECT 'flow', 'k' || value, value, NULL FROM n;`);
  db.close();
}

/** Opens the folder in a process of its own; kills it after `ms`, if it has not ended by then. */
async function openFor(
  data: string,
  ms: number,
): Promise<{ readonly took: number; readonly ended: boolean }> {
  const child = spawn(process.execPath, [opener, data], { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]);
  const began = performance.now();
  await Promise.race([closed, sleep(ms)]);
  child.kill('SIGKILL');
  await closed;
  return { took: performance.now() - began, ended: told.includes('ended') };
}

test('a process that is killed at any moment of a migration loses nothing, and the next one finishes it', async () => {
  const folder = await tempFolder();
  const older = join(folder, 'older.db');
  makeOlder(older);
  const begin = (name: string): string => {
    const data = join(folder, name);
    mkdirSync(data);
    copyFileSync(older, join(data, 'weft.db'));
    return data;
  };
  const { took, ended } = await openFor(begin('whole'), 600_000);
  expect(ended).toBe(true);
  let killed = 0;
  for (let at = 0; at < KILLS; at++) {
    const data = begin(`killed-${at}`);
    if (!(await openFor(data, (took * at) / KILLS)).ended) killed++;
    const sql = openWeftSql(data);
    onTestFinished(() => sql.close());
    const found = await sql.first('SELECT count(*) AS n, sum(CAST(json AS INTEGER)) AS sum FROM state');
    expect(found).toEqual({ n: ROWS, sum: (ROWS * (ROWS + 1)) / 2 });
    expect(await createSqlState(sql, Date.now).get('flow', 'k7')).toBe(7);
    await sql.close();
    const copy = new DatabaseSync(join(data, 'before-migration/weft-0.db'), { readOnly: true });
    expect(copy.prepare('SELECT count(*) AS n FROM state').get()).toEqual({ n: ROWS });
    copy.close();
  }
  // A test whose kills all came too late would show nothing.
  expect(killed).toBeGreaterThan(KILLS / 6);
});
