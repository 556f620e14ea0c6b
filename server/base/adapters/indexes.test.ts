import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createDeadLetters } from '../../execution/after-runs/dead-letters.ts';
import { createDeliveryStore } from '../../execution/after-runs/delivery-store.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';

/** Statements that have to read all rows, and run rarely: counts for metrics and for the limits of triggers. */
const COUNTS = /COUNT\(\*\)/i;

/** Records the statements, and neither finds nor changes anything. */
function noting(statements: string[]): Sql {
  const note = (text: string): void => void statements.push(text);
  const sql: Sql = {
    all: async (text) => (note(text), []),
    first: async (text) => (note(text), undefined),
    run: async (text) => (note(text), 0),
    batch: async (texts) => texts.map(([text]) => (note(text), 0)),
    transaction: (work) => work(sql),
    close: async () => {},
  };
  return sql;
}

test('no statement of what grows with the runs reads a whole table', async () => {
  const db = new DatabaseSync(':memory:');
  const statements: string[] = [];
  const sealer = { seal: String, unseal: String };
  for (const text of weftMigrations.flatMap((migration) => migration.statements)) db.exec(text);
  const sql = noting(statements);
  const deliveries = createDeliveryStore(sql, sealer);
  await deliveries.due(0, 1);
  await deliveries.nextAt();
  await deliveries.arrived('a');
  await deliveries.failed('a', { problem: 'b', nextAt: 1 });
  await deliveries.list(1);
  await deliveries.sweep(1);
  const letters = createDeadLetters(sql);
  await letters.list({ limit: 1 });
  await letters.oldest('a', 1);
  await letters.drop('a');
  await letters.count();
  const whole = statements.filter((text) => {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    return steps.some(({ detail }) => /^SCAN \w+$/.test(String(detail)));
  });
  expect(statements.length).toBe(10);
  expect(whole.filter((text) => !COUNTS.test(text))).toEqual([]);
});
