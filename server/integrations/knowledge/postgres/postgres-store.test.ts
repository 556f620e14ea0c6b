import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '../../../storage/database/postgres/open-postgres.ts';
import type { Sql } from '../../../storage/database/sql.ts';
import { migratedDatabase } from '../../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../../storage/database/weft-tables.ts';
import { aSpace, storeContract } from '../store.contract.ts';
import { openPostgresStore } from './postgres-store.ts';

const opened: Sql[] = [];
afterAll(() => Promise.all(opened.map((sql) => sql.close())));

async function open(): Promise<Sql> {
  // Beside the tables of the server, as in production.
  const sql = await openPostgres(await migratedDatabase(), weftMigrations);
  opened.push(sql);
  return sql;
}

storeContract(async () => {
  const sql = await open();
  return { store: await openPostgresStore(sql), other: await openPostgresStore(sql, 'other') };
});

test('two processes create the tables at the same time', async () => {
  const sql = await open();
  const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore(sql)));
  await stores[0]?.addSpace(aSpace('Tea'));
  expect(await stores[2]?.spaces()).toHaveLength(1);
});
