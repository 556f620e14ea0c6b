import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openWeftDb } from '../adapters/weft-db.ts';
import { tempFolder } from '../testing/platform-bed.ts';
import { idempotencyContract } from './idempotency.contract.ts';
import { createMemoryIdempotency } from './memory-idempotency.ts';
import { createSqliteIdempotency } from './sqlite-idempotency.ts';

idempotencyContract('in memory', createMemoryIdempotency);
idempotencyContract('in SQLite', (now, limits) => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  return createSqliteIdempotency(db, now, limits);
});

test('keys are there again after the file was closed and opened, and count', async () => {
  const data = await tempFolder();
  const id = { trigger: 'a', caller: 'b', key: 'c' };
  const first = openWeftDb(data);
  await createSqliteIdempotency(first, () => 0).claim(id, 'print');
  first.close();
  const second = openWeftDb(data);
  onTestFinished(() => second.close());
  const store = createSqliteIdempotency(second, () => 0, { keys: 1, answer: 1, answers: 1 });
  await expect(store.claim({ ...id, key: 'd' }, 'print')).rejects.toMatchObject({ code: 'idempotency_full' });
  expect(await store.claim(id, 'print')).toMatchObject({ state: 'started', fingerprint: 'print' });
});

test('a database that cannot be written is the error storage_failed', async () => {
  const data = await tempFolder();
  const db = openWeftDb(data);
  onTestFinished(() => db.close());
  const store = createSqliteIdempotency(db, () => 0);
  await store.claim({ trigger: 'a', caller: 'b', key: 'c' }, 'print');
  db.exec('PRAGMA query_only = ON');
  await expect(store.claim({ trigger: 'a', caller: 'b', key: 'd' }, 'print')).rejects.toMatchObject({
    code: 'storage_failed',
  });
});
