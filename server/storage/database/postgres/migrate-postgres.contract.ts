import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import type { Migration } from '../migration.ts';
import type { Sql } from '../sql.ts';
import { newDatabase } from '../testing/postgres-server.ts';
import { openPostgres } from './open-postgres.ts';

/** Migrations of tables that running servers use. */
export const first: Migration = {
  n: 1,
  name: 'things',
  statements: [
    'CREATE TABLE thing (id TEXT PRIMARY KEY) STRICT',
    "INSERT INTO thing (id) VALUES ('one')",
    'CREATE TABLE other (id TEXT PRIMARY KEY) STRICT',
  ],
};
export const wider = (n: number): Migration => ({
  n,
  name: `column ${n}`,
  statements: [`ALTER TABLE thing ADD COLUMN c${n} TEXT NOT NULL DEFAULT 'later'`],
});

/** A database with the first migration, opened by a server, and a second connection to it. */
export async function place(): Promise<{ url: string; sql: Sql; psql: postgres.Sql }> {
  const url = await newDatabase();
  const sql = await openPostgres(url, [first]);
  const psql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.close();
    await psql.end({ timeout: 1 });
  });
  return { url, sql, psql };
}
