import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import type { Migration } from '../migration.ts';
import { migratePostgres, openPostgres } from '../postgres/open-postgres.ts';
import type { Sql } from '../sql.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { weftMigrations } from '../weft-tables.ts';
import { newDatabase, type Template } from './postgres-server.ts';

/** A database that is empty but for its tables. */
export interface TestDatabase {
  readonly sql: Sql;
  /** Another connection to it, as another process would have. */
  again(): Promise<Sql>;
}

/** The template of a PostgreSQL with these tables. */
function tablesOf(migrations: readonly Migration[]): Template {
  return { of: migrations, fill: (url) => migratePostgres(url, migrations) };
}

/** A new database of a real PostgreSQL that has the tables of a server, all empty. */
export const migratedDatabase = (): Promise<string> => newDatabase(tablesOf(weftMigrations));

/** Runs a contract on SQLite and on PostgreSQL. `make` gives a new database; all are closed after the suite. */
export function onBothDatabases(
  migrations: readonly Migration[],
  contract: (make: () => Promise<TestDatabase>) => void,
): void {
  for (const name of ['SQLite', 'PostgreSQL'] as const) {
    describe(`on ${name}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'weft-sql-'));
      const opened: Sql[] = [];
      let files = 0;
      afterAll(async () => {
        await Promise.all(opened.map((sql) => sql.close()));
        rmSync(folder, { recursive: true, force: true });
      });

      contract(async () => {
        const file = join(folder, `${++files}.db`);
        const url = name === 'PostgreSQL' ? await newDatabase(tablesOf(migrations)) : undefined;
        const again = async (): Promise<Sql> => {
          const sql = url === undefined ? openSqlite(file, migrations) : await openPostgres(url, migrations);
          opened.push(sql);
          return sql;
        };
        return { sql: await again(), again };
      });
    });
  }
}
