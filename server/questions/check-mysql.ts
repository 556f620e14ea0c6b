import { allowedFunctions } from './functions.ts';
import { notAllowed, noStatement } from './refusals.ts';

/** MySQL and MariaDB, by a grammar of theirs; what a server could read in another way is refused beforehand. */
export async function checkMysql(sql: string): Promise<string> {
  // The server executes what stands in such comments, and backslashes end texts elsewhere in some of its modes.
  if (/\/\*[!M+]/i.test(sql)) throw notAllowed('comments that the server executes are not allowed');
  if (sql.includes('\\')) throw notAllowed('backslashes are not allowed');
  // For the server they begin a comment before a blank only: what a grammar skips as one is executed.
  if (/--(?![ \t\r\n]|$)/.test(sql))
    throw notAllowed('two dashes need a blank behind them, or one between them');
  const { default: parser } = await import('node-sql-parser/build/mysql.js');
  let ast: unknown;
  try {
    ast = new parser.Parser().astify(sql, { database: 'MySQL' });
  } catch (error) {
    throw noStatement(String((error as Error).message).slice(0, 300));
  }
  const all = [ast].flat();
  if (all.length !== 1) throw notAllowed(all.length === 0 ? 'there is none' : 'there are several');
  const type = (all[0] as Node | null)?.['type'];
  if (type !== 'select') throw notAllowed(`${String(type)} does not only read`);
  check(all[0]);
  return sql;
}

type Node = Readonly<Record<string, unknown>>;

/** What computes or reads tables; all others are refused, such as variables, assignments and INTO. */
const TYPES: ReadonlySet<string> = new Set([
  'aggr_func',
  'backticks_quote_string',
  'between',
  'binary_expr',
  'bool',
  'boolean',
  'case',
  'cast',
  'column_ref',
  'date',
  'datetime',
  'default',
  'double_quote_string',
  'else',
  'expr',
  'expr_list',
  'extract',
  'function',
  'interval',
  'null',
  'number',
  'origin',
  'select',
  'single_quote_string',
  'star',
  'string',
  'time',
  'timestamp',
  'unary_expr',
  'when',
  'window',
  'window_func',
  'ASC',
  'DESC',
]);

const SYSTEM = /^(?:mysql|information_schema|performance_schema|sys)$/i;

function check(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(check);
  if (typeof value !== 'object' || value === null) return;
  const node = value as Node;
  const { type } = node;
  if (typeof type === 'string') checkType(type, node);
  checkClauses(node);
  Object.values(node).forEach(check);
}

function checkType(type: string, node: Node): void {
  if (!TYPES.has(type)) throw notAllowed(`${type} is not allowed`);
  if (FUNCTIONS.has(type)) checkFunction(node['name']);
}

const FUNCTIONS: ReadonlySet<string> = new Set(['function', 'aggr_func', 'window_func']);

function checkClauses({ into, locking_read: lock, db, table }: Node): void {
  const position = (into as Node | null | undefined)?.['position'] ?? null;
  if (position !== null) throw notAllowed('INTO writes the rows somewhere');
  if (lock !== undefined && lock !== null) throw notAllowed('FOR UPDATE and the like lock rows');
  if (typeof db === 'string' && SYSTEM.test(db))
    throw notAllowed(`${db}.${String(table)} belongs to the system`);
}

function checkFunction(given: unknown): void {
  const parts = (given as { name?: readonly { value?: string }[]; schema?: unknown } | null) ?? {};
  const names = typeof given === 'string' ? [given] : (parts.name ?? []).map(({ value = '' }) => value);
  const isQualified = typeof given === 'object' && parts.schema !== undefined && parts.schema !== null;
  if (isQualified || names.length !== 1 || !allowedFunctions('mysql').has((names[0] ?? '').toLowerCase()))
    throw notAllowed(`the function ${names.join('.') || '?'} is not in the list`);
}
