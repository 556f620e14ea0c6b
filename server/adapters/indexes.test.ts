import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createDeadLetters } from '../after-runs/dead-letters.ts';
import { createDeliveryStore } from '../after-runs/delivery-store.ts';
import { createSqliteIdempotency } from '../idempotency/sqlite-idempotency.ts';
import { sqliteRows } from '../waits/sqlite-rows.ts';

/** Statements that have to read all rows, and run rarely: counts for metrics and for the limits of triggers. */
const COUNTS = /COUNT\(\*\)/;

test('no statement of what grows with the runs reads a whole table', async () => {
  const db = new DatabaseSync(':memory:');
  const statements: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = (sql, options) => {
    statements.push(sql);
    return prepare(sql, options);
  };
  const sealer = { seal: String, unseal: String };
  createDeliveryStore(db, sealer).list(1);
  createDeadLetters(db).count();
  sqliteRows(db).get('a');
  await createSqliteIdempotency(db, Date.now, sealer).claim({ trigger: 'a', caller: 'b', key: 'c' }, 'd');
  const whole = statements.filter((sql) => {
    const steps = prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return steps.some(({ detail }) => /^SCAN \w+$/.test(String(detail)));
  });
  expect(statements.length).toBeGreaterThan(20);
  expect(whole.filter((sql) => !COUNTS.test(sql))).toEqual([]);
});
