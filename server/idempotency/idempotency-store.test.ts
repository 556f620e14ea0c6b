import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openWeftDb } from '../adapters/weft-db.ts';
import { tempFolder } from '../testing/platform-bed.ts';
import { idempotencyContract } from './idempotency.contract.ts';
import { createMemoryIdempotency } from './memory-idempotency.ts';
import { createSqliteIdempotency } from './sqlite-idempotency.ts';

/** Encodes texts, so that they appear nowhere in clear text. */
const sealer = {
  seal: (text: string, about: string) => Buffer.from(`${about} ${text}`).toString('base64'),
  unseal: (sealed: string, about: string) =>
    Buffer.from(sealed, 'base64')
      .toString()
      .slice(about.length + 1),
};

idempotencyContract('in memory', createMemoryIdempotency);
idempotencyContract('in SQLite', (now, limits) => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  return createSqliteIdempotency(db, now, sealer, limits);
});

test('keys are there again after the file was closed and opened, and count', async () => {
  const data = await tempFolder();
  const id = { trigger: 'a', caller: 'b', key: 'c' };
  const first = openWeftDb(data);
  await createSqliteIdempotency(first, () => 0, sealer).claim(id, 'print');
  first.close();
  const second = openWeftDb(data);
  onTestFinished(() => second.close());
  const store = createSqliteIdempotency(second, () => 0, sealer, { keys: 1, answer: 1, answers: 1 });
  await expect(store.claim({ ...id, key: 'd' }, 'print')).rejects.toMatchObject({ code: 'idempotency_full' });
  expect(await store.claim(id, 'print')).toMatchObject({ state: 'started', fingerprint: 'print' });
});

test('a database that cannot be written is the error storage_failed', async () => {
  const data = await tempFolder();
  const db = openWeftDb(data);
  onTestFinished(() => db.close());
  const store = createSqliteIdempotency(db, () => 0, sealer);
  await store.claim({ trigger: 'a', caller: 'b', key: 'c' }, 'print');
  db.exec('PRAGMA query_only = ON');
  await expect(store.claim({ trigger: 'a', caller: 'b', key: 'd' }, 'print')).rejects.toMatchObject({
    code: 'storage_failed',
  });
});

test('a hidden answer is not in the file in clear', async () => {
  const data = await tempFolder();
  const db = openWeftDb(data);
  const store = createSqliteIdempotency(db, () => 0, sealer);
  const id = { trigger: 'a', caller: 'b', key: 'c' };
  await store.claim(id, 'print');
  const body = Buffer.from('all of swordfish');
  await store.answered(id, 'run-1', { status: 200, headers: [['x-own', 'swordfish']], body, hidden: true });
  expect((await store.claim(id, 'print')).answer).toMatchObject({ headers: [['x-own', 'swordfish']], body });
  db.close();
  const files = readdirSync(data).map((name) => readFileSync(join(data, name), 'latin1'));
  expect(files.join()).not.toContain('swordfish');
});
