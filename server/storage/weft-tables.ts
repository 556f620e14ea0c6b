import { join } from 'node:path';
import type { Migration } from './migration.ts';
import type { Sql } from './sql.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { auditTables } from './tables/audit.ts';
import { callTables } from './tables/calls.ts';
import { documentTables } from './tables/documents.ts';
import { conversationTables, idempotencyTables } from './tables/requests.ts';
import { stateTables } from './tables/state.ts';
import { waitTables } from './tables/waits.ts';

const first = [
  stateTables,
  callTables,
  auditTables,
  documentTables,
  idempotencyTables,
  conversationTables,
  waitTables,
];

/** The formats of the database of all stores. Data of 0.1.0 have the format 0. */
export const weftMigrations: readonly Migration[] = [
  {
    n: 1,
    name: 'project in every key',
    statements: first.flatMap(({ tables }) => tables),
    older: {
      before: first.flatMap(({ older }) => older.before),
      after: first.flatMap(({ older }) => older.after),
    },
  },
];

/** Opens `weft.db` of the data folder, which must exist. Throws a `StartError`, like `openSqlite`. */
export function openWeftSql(data: string): Sql {
  return openSqlite(join(data, 'weft.db'), weftMigrations);
}
