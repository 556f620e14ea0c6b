import parser from 'node-sql-parser/build/mysql.js';
import { answerCalls } from '../../base/adapters/asked-thread.ts';
import { allowedFunctions } from './functions.ts';
import type { ReaderCalls, ReadJob, Refusal } from './mysql-thread.ts';

/** The thread that parses statements of MySQL and MariaDB, which isolates failures of the grammar. */

class NotAllowed extends Error {}

type Node = Readonly<Record<string, unknown>>;

answerCalls<ReaderCalls>({ read: refusalOf });

function refusalOf({ sql, tables }: ReadJob): Refusal | undefined {
  try {
    const all = [new parser.Parser().astify(sql, { database: 'MySQL' }) as unknown].flat();
    if (all.length !== 1) throw new NotAllowed(all.length === 0 ? 'there is none' : 'there are several');
    const type = (all[0] as Node | null)?.['type'];
    if (type !== 'select') throw new NotAllowed(`${String(type)} does not only read`);
    check(all[0], namesOf(all[0], tables));
    return undefined;
  } catch (error) {
    return { why: (error as Error).message.slice(0, 300), isRead: error instanceof NotAllowed };
  }
}

interface Names {
  /** The queries of WITH. Outside of its scope, the name of such a query is a table of the database, which its user may read. */
  readonly queries: ReadonlySet<string>;
  readonly tables: ReadJob['tables'];
}

function namesOf(statement: unknown, tables: ReadJob['tables']): Names {
  const queries = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    // Lists have a method with this name.
    const { with: list } = value as { with?: unknown };
    for (const { name } of (Array.isArray(list) ? list : []) as { name?: { value?: string } }[])
      queries.add((name?.value ?? '').toLowerCase());
    Object.values(value).forEach(collect);
  };
  collect(statement);
  return { queries, tables };
}

/** Kinds of nodes that compute or read tables; all others are refused, such as variables, assignments and INTO. */
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
  'datatype',
  'date',
  'datetime',
  'default',
  'double_quote_string',
  'dual',
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

const FUNCTIONS: ReadonlySet<string> = new Set(['function', 'aggr_func', 'window_func']);

function check(value: unknown, names: Names): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    const node = value as Node;
    const { type } = node;
    if (typeof type === 'string') checkType(type, node);
    else if (typeof node['table'] === 'string') checkTable(node, names);
    checkClauses(node);
  }
  for (const part of Object.values(value)) check(part, names);
}

function checkType(type: string, node: Node): void {
  if (!TYPES.has(type)) throw new NotAllowed(`${type} is not allowed`);
  if (FUNCTIONS.has(type)) checkFunction(node['name']);
}

function checkTable({ db, table }: Node, { queries, tables }: Names): void {
  const [schema, name] = [db, table].map((part) => (typeof part === 'string' ? part.toLowerCase() : ''));
  const isKnown =
    (schema === '' && queries.has(name ?? '')) ||
    tables.some(
      (one) => one.name.toLowerCase() === name && (schema === '' || one.schema.toLowerCase() === schema),
    );
  if (!isKnown)
    throw new NotAllowed(
      `${schema === '' ? '' : `${String(db)}.`}${String(table)} is not one of the tables that its user may read in this database`,
    );
}

function checkClauses({ into, locking_read: lock }: Node): void {
  const position = (into as Node | null | undefined)?.['position'] ?? null;
  if (position !== null) throw new NotAllowed('INTO writes the rows somewhere');
  if (lock !== undefined && lock !== null) throw new NotAllowed('FOR UPDATE and the like lock rows');
}

function checkFunction(given: unknown): void {
  const parts = (given as { name?: readonly { value?: string }[]; schema?: unknown } | null) ?? {};
  const names = typeof given === 'string' ? [given] : (parts.name ?? []).map(({ value = '' }) => value);
  const isQualified = typeof given === 'object' && parts.schema !== undefined && parts.schema !== null;
  if (isQualified || names.length !== 1 || !allowedFunctions('mysql').has((names[0] ?? '').toLowerCase()))
    throw new NotAllowed(`the function ${names.join('.') || '?'} is not in the list`);
}
