import { MAX_COLUMNS } from '../../sql-common.ts';

/** Statements of a session only read unless they are marked as writing. */
export function setupOf(version: string): string {
  const readOnly = version.includes('MariaDB') ? 'tx_read_only' : 'transaction_read_only';
  return `SET SESSION time_zone = '+00:00', SESSION ${readOnly} = 1,
    SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`;
}

/** The server too limits a statement that a model has written; MySQL and MariaDB have different variables for that. */
export function limitsOf(version: string, timeoutMs: number): string {
  if (!version.includes('MariaDB')) return `SET SESSION max_execution_time = ${Math.ceil(timeoutMs)}`;
  return `SET SESSION max_statement_time = ${timeoutMs / 1000}, SESSION max_session_mem_used = 268435456`;
}

/** The columns of all tables. */
export const COLUMNS = `
  SELECT t.table_name AS \`table\`, t.table_type <> 'BASE TABLE' AS view, c.column_name AS name,
    c.column_type AS type, c.is_nullable = 'YES' AS nullable, c.column_key = 'PRI' AS \`key\`
  FROM information_schema.columns AS c
  JOIN information_schema.tables AS t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  WHERE c.table_schema = database()
  ORDER BY t.table_name, c.ordinal_position
  LIMIT ${MAX_COLUMNS + 1}`;
