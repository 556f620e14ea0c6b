import { join } from 'node:path';
import type { Migration } from './migration.ts';
import type { Sql } from './sql.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { callTables, evaluationTables, hookTables, pauseTables, sourceTables } from './tables/calls.ts';
import {
  acrossTables,
  auditTables,
  clusterTables,
  documentTables,
  flowTables,
  flowTestTables,
  historyTables,
  nodeTables,
  oauthTables,
  routeTables,
  sessionTables,
  sourceOfFlowsTables,
} from './tables/management.ts';
import { durableTables } from './tables/durable.ts';
import { conversationTables, idempotencyTables } from './tables/requests.ts';
import { blobTables, fileTables, stateTables } from './tables/state.ts';
import { signalTables, waitTables } from './tables/waits.ts';

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
  { n: 2, name: 'files as values', statements: fileTables },
  { n: 3, name: 'sessions', statements: sessionTables },
  { n: 4, name: 'blobs in rows', statements: blobTables },
  { n: 5, name: 'sources', statements: sourceTables },
  { n: 6, name: 'evaluations', statements: evaluationTables },
  {
    n: 7,
    name: 'files of messages',
    statements: ['ALTER TABLE conversation_messages ADD COLUMN files TEXT'],
  },
  { n: 8, name: 'servers on one database', statements: [...clusterTables, ...flowTables, ...historyTables] },
  { n: 9, name: 'durable runs of several servers', statements: durableTables },
  { n: 10, name: 'servers that count as one', statements: acrossTables },
  { n: 11, name: 'what servers tell of themselves', statements: nodeTables },
  { n: 12, name: 'routes and tests of flows', statements: [...routeTables, ...flowTestTables] },
  { n: 13, name: 'flows of a git repository', statements: sourceOfFlowsTables },
  { n: 14, name: 'waits for programs', statements: signalTables },
  { n: 15, name: 'pauses of schedules', statements: pauseTables },
  { n: 16, name: 'sign-ins of connections', statements: oauthTables },
  { n: 17, name: 'registrations at services', statements: hookTables },
  {
    n: 18,
    name: 'runs of messages',
    statements: ['ALTER TABLE conversation_messages ADD COLUMN run TEXT'],
  },
];

/** Opens `weft.db` of the data folder, which must exist. Throws a `StartError`, like `openSqlite`. */
export function openWeftSql(data: string): Sql {
  return openSqlite(join(data, 'weft.db'), weftMigrations);
}
