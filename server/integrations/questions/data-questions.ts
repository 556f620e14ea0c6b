import { type Asker, type DataService, type SqlRow, WeftError } from '#engine';
import { type DatabaseKind, isDatabase } from '#shared/connection.ts';
import type { KnownConnection } from '../connections/stored-connections.ts';
import type { ConnectionSql } from '../connections/sql-service.ts';
import { writesOf } from '../connections/kinds.ts';
import { checkStatement } from './check-statement.ts';
import { rankTables } from './rank-tables.ts';
import { MAX_CATALOG_ROWS, readNamedTables, readTables } from './read-tables.ts';

export interface DataQuestionDeps {
  readonly connections: { readonly sql: Pick<ConnectionSql, 'query'>; list(): readonly KnownConnection[] };
}

const DIALECTS = { postgres: 'PostgreSQL', mysql: 'MySQL', sqlite: 'SQLite' } as const;
const MAX_MYSQL_ROWS = 10_000;
const CATALOG = { timeoutMs: 20_000, maxRows: MAX_CATALOG_ROWS, maxBytes: 50_000_000 } as const;

/**
 * DQ1. Only statements that the first wall, `checkStatement`, has accepted reach the database.
 * DQ2. The second wall: a user with write rights is refused unless an administrator has confirmed it, and rights are read each
 *      time, because they change.
 * DQ3. The third wall: the transaction cannot write, its session is reset, and time, memory, rows and bytes have limits.
 * DQ4. Nothing is read, not even the catalog, for a flow without a grant of the connection.
 */
export function createDataQuestions({ connections }: DataQuestionDeps): DataService {
  /** The connection, once its grants and its user have been checked. */
  async function opened(name: string, by: Asker, signal: AbortSignal) {
    const query = (sql: string, params: Readonly<Record<string, unknown>> = {}): Promise<SqlRow[]> =>
      connections.sql.query({ connection: name, sql, params, ...CATALOG }, by, signal);
    const known = connections.list().find((one) => one.name === name);
    // The first statement refuses a connection that does not exist, is not granted or is no database, with the error of the service.
    if (known === undefined || known.kind === 'sqlite' || !isDatabase(known.kind))
      await query('SELECT 1 AS one');
    const { kind, settings, grants } = known as KnownConnection & { readonly kind: DatabaseKind };
    const writes = await writesOf({ kind, settings }, query);
    if (writes.length > 0 && grants.writers !== true) throw mayWrite(name, writes);
    return { kind, query };
  }

  return {
    async scheme({ connection, question, most }, by, signal) {
      const { kind, query } = await opened(connection, by, signal);
      const all = await readTables(kind, query);
      const tables = rankTables(all, question, most);
      return { dialect: DIALECTS[kind], tables, others: all.length - tables.length };
    },

    async read({ connection, sql, maxRows, ...limits }, by, signal) {
      const { kind, query } = await opened(connection, by, signal);
      const checked = await checkStatement(kind, sql, await readNamedTables(kind, query, sql));
      // MySQL refuses two columns with the same name there, so its rows are limited here.
      const isWhole = kind === 'mysql';
      const asked = {
        connection,
        params: {},
        ...limits,
        sql: isWhole ? checked : `SELECT * FROM (\n${checked}\n) AS answer LIMIT ${maxRows + 1}`,
        maxRows: isWhole ? MAX_MYSQL_ROWS : maxRows + 1,
        isForeign: true,
      };
      const rows = await connections.sql.query(asked, by, signal);
      return { rows: rows.slice(0, maxRows), more: rows.length > maxRows };
    },
  };
}

function mayWrite(name: string, writes: readonly string[]): WeftError {
  return new WeftError(
    'connection_writes',
    `Questions are asked only of connections that cannot change anything, and the user of ${name} may ${writes.slice(0, 4).join(', ')}${writes.length > 4 ? ' and more' : ''}. Give it a user that only reads, or let an administrator confirm it with \`writers\` in the grants of ${name}.`,
    { data: { connection: name, writes } },
  );
}
