import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { StartError } from '../../base/errors/start-error.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createMemoryState } from './memory-state.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { openWeftSql, weftMigrations } from '../../storage/database/weft-tables.ts';
import { createSqlState } from './sql-state.ts';
import { stateContract } from './state.contract.ts';

stateContract('in memory', createMemoryState);
onBothDatabases(weftMigrations, (make) => {
  stateContract('in rows', async (now) => createSqlState((await make()).sql, now));

  test('additions of two processes are all counted, repeated ones once', async () => {
    const { sql, again } = await make();
    const [one, two] = [createSqlState(sql, () => 0), createSqlState(await again(), () => 0)];
    const each = (at: number) => [
      one.add('flow', 'n', 1),
      two.add('flow', 'n', 1),
      one.add('flow', 'n', 1, { once: `o${at % 3}` }),
      two.add('flow', 'n', 1, { once: `o${at % 3}` }),
    ];
    await Promise.all(Array.from({ length: 12 }, (_, at) => each(at)).flat());
    expect(await one.get('flow', 'n')).toBe(27);
  });

  test('projects are kept apart', async () => {
    const { sql } = await make();
    const [one, two] = [createSqlState(sql, () => 0, 'one'), createSqlState(sql, () => 0, 'two')];
    await one.set('flow', 'a', 1);
    await two.add('flow', 'a', 5, { once: 'x' });
    expect([await one.get('flow', 'a'), await two.get('flow', 'a')]).toEqual([1, 5]);
    expect(await one.add('flow', 'a', 1, { once: 'x' })).toBe(2);
  });
});

test('state survives closing and opening the file', async () => {
  const data = await tempFolder();
  const first = openWeftSql(data);
  await createSqlState(first, Date.now).set('flow', 'a', { kept: true });
  await first.close();
  const second = openWeftSql(data);
  onTestFinished(() => second.close());
  expect(await createSqlState(second, Date.now).get('flow', 'a')).toEqual({ kept: true });
});

test('two processes on one folder lose no addition, and a kill -9 no acknowledged one', async () => {
  const data = await tempFolder();
  const counter = fileURLToPath(new URL('testing/count-forever.ts', import.meta.url));
  const child = spawn(process.execPath, [counter, data], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await once(child.stdout, 'data');
  const db = openWeftSql(data);
  onTestFinished(() => db.close());
  const state = createSqlState(db, Date.now);
  for (let i = 0; i < 20; i++) await state.add('one', 'n', 1);
  child.kill('SIGKILL');
  await once(child, 'close');
  const acknowledged = Number(printed.trim().split('\n').at(-1));
  expect(acknowledged).toBeGreaterThan(0);
  expect(await state.get('counter', 'n')).toBeGreaterThanOrEqual(acknowledged);
  expect(await state.get('one', 'n')).toBe(20);
});

test('a file that is no database is reported by its name', async () => {
  const data = await tempFolder();
  writeFileSync(join(data, 'weft.db'), 'no database at all, but long enough to be taken for one'.repeat(20));
  expect(() => openWeftSql(data)).toThrow(StartError);
  expect(() => openWeftSql(data)).toThrow(/weft\.db.*move it away/);
});

test('a database that cannot be written is the error storage_failed', async () => {
  const data = await tempFolder();
  const sql = openWeftSql(data);
  onTestFinished(() => sql.close());
  const state = createSqlState(sql, Date.now);
  await state.set('flow', 'a', 1);
  await sql.run('PRAGMA query_only = ON');
  await expect(state.set('flow', 'a', 2)).rejects.toMatchObject({ code: 'storage_failed', transient: true });
  // The refusal made the writer open the file again.
  await sql.run('PRAGMA query_only = ON');
  await expect(state.add('flow', 'a', 2)).rejects.toMatchObject({ code: 'storage_failed' });
  expect(await state.get('flow', 'a')).toBe(1);
});
