import { openWeftSql } from '../server/storage/database/weft-tables.ts';
import { createSqlState } from '../server/execution/state/sql-state.ts';

/** Writes rows to a data folder until it is killed, in transactions that wait for the disk. */
const [, , data = '', name = ''] = process.argv;
const sql = openWeftSql(data);
const state = createSqlState(sql, Date.now);
await state.set(name, 'begun', true);
process.send?.('begun');
const PUT = `INSERT INTO state (project, scope, key, json) VALUES ('bench', ?, ?, ?)
  ON CONFLICT (project, scope, key) DO UPDATE SET json = excluded.json`;
for (let at = 0; ; at++) {
  const rows = Array.from({ length: 200 }, (_, n) => [PUT, name, `k${n}`, String(at)] as const);
  await sql.batch(rows, { synced: true });
}
