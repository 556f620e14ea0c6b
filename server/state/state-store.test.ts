import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openWeftDb } from '../adapters/weft-db.ts';
import { StartError } from '../errors/start-error.ts';
import { tempFolder } from '../testing/platform-bed.ts';
import { createMemoryState } from './memory-state.ts';
import { createSqliteState } from './sqlite-state.ts';
import { stateContract } from './state.contract.ts';

stateContract('in memory', createMemoryState);
stateContract('in SQLite', (now) => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  return createSqliteState(db, now);
});

test('state is there again after the file was closed and opened', async () => {
  const data = await tempFolder();
  const first = openWeftDb(data);
  await createSqliteState(first, Date.now).set('flow', 'a', { kept: true });
  first.close();
  const second = openWeftDb(data);
  onTestFinished(() => second.close());
  expect(await createSqliteState(second, Date.now).get('flow', 'a')).toEqual({ kept: true });
});

test('two processes on one folder lose no addition, and a kill -9 no acknowledged one', async () => {
  const data = await tempFolder();
  const counter = fileURLToPath(new URL('testing/count-forever.ts', import.meta.url));
  const child = spawn(process.execPath, [counter, data], { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  await once(child.stdout, 'data');
  const db = openWeftDb(data);
  onTestFinished(() => db.close());
  const state = createSqliteState(db, Date.now);
  for (let i = 0; i < 20; i++) await state.add('ours', 'n', 1);
  child.kill('SIGKILL');
  await once(child, 'close');
  const acknowledged = Number(told.trim().split('\n').at(-1));
  expect(acknowledged).toBeGreaterThan(0);
  expect(await state.get('theirs', 'n')).toBeGreaterThanOrEqual(acknowledged);
  expect(await state.get('ours', 'n')).toBe(20);
});

test('a file that is no database is told with its name', async () => {
  const data = await tempFolder();
  writeFileSync(join(data, 'weft.db'), 'no database at all, but long enough to be taken for one'.repeat(20));
  expect(() => openWeftDb(data)).toThrow(StartError);
  expect(() => openWeftDb(data)).toThrow(/weft\.db.*move it away/);
});

test('a database that cannot be written is the error storage_failed', async () => {
  const data = await tempFolder();
  openWeftDb(data).close();
  const db = openWeftDb(data);
  onTestFinished(() => db.close());
  const state = createSqliteState(db, Date.now);
  await state.set('flow', 'a', 1);
  db.exec('PRAGMA query_only = ON');
  await expect(state.set('flow', 'a', 2)).rejects.toMatchObject({ code: 'storage_failed', transient: true });
  await expect(state.add('flow', 'a', 2)).rejects.toMatchObject({ code: 'storage_failed' });
  expect(await state.get('flow', 'a')).toBe(1);
});
