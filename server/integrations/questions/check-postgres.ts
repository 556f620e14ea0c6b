import { allowedFunctions } from './functions.ts';
import { type Node, ownName, textsOf } from './postgres-names.ts';
import { schemasOf } from './postgres-scopes.ts';
import type { CatalogTable } from './read-tables.ts';
import { notAllowed, noStatement } from './refusals.ts';

/**
 * PostgreSQL's own parser, as WebAssembly: it reads a statement exactly as the server does. The statement is rewritten for a
 * session that finds functions, operators, types and casts in `pg_catalog` only, so that no object of the database can replace
 * one in the lists below; tables get their schemas.
 */
export async function checkPostgres(sql: string, tables: readonly CatalogTable[]): Promise<string> {
  const { default: parser } = await import('libpg-query');
  const { stmts = [] } = (await parser.parse(sql).catch((error: unknown) => {
    throw noStatement((error as Error).message);
  })) as { stmts?: readonly Parsed[] };
  const [only] = stmts;
  if (only === undefined) throw notAllowed('there is none');
  if (stmts.length > 1) throw notAllowed('there are several');
  const [type] = Object.keys(only.stmt ?? {});
  if (type !== 'SelectStmt') throw notAllowed(`a ${type ?? 'statement'} does not only read`);
  const { SelectStmt: select } = only.stmt as { SelectStmt: Node };
  return withSchemas(Buffer.from(sql), only, checked(select, tables));
}

function checked(select: Node, tables: readonly CatalogTable[]): ReadonlyMap<number, string> {
  try {
    check(select);
    return schemasOf(select, tables);
  } catch (error) {
    if (error instanceof RangeError) throw notAllowed('it is nested too deeply');
    throw error;
  }
}

/** Positions are counted in bytes; the length is missing for a statement that extends to the end. */
interface Parsed {
  readonly stmt?: Node;
  readonly stmt_location?: number;
  readonly stmt_len?: number;
}

/** The statement, with a schema before the name of each table; `schemas` by the position of the name in bytes. */
function withSchemas(bytes: Buffer, parsed: Parsed, schemas: ReadonlyMap<number, string>): string {
  const { stmt_location: start = 0, stmt_len: length } = parsed;
  const end = length ? start + length : bytes.length;
  let text = '';
  let from = start;
  for (const [at, schema] of [...schemas].sort(([a], [b]) => a - b)) {
    text += `${bytes.subarray(from, at).toString()}"${schema.replaceAll('"', '""')}".`;
    from = at;
  }
  return text + bytes.subarray(from, end).toString();
}

/** Kinds of nodes that compute or read tables. All others are refused, including those that a later version adds. */
const NODES: ReadonlySet<string> = new Set([
  'A_ArrayExpr',
  'A_Const',
  'A_Expr',
  'A_Indices',
  'A_Indirection',
  'A_Star',
  'BitString',
  'BoolExpr',
  'Boolean',
  'BooleanTest',
  'CaseExpr',
  'CaseWhen',
  'CoalesceExpr',
  'CollateClause',
  'ColumnDef',
  'ColumnRef',
  'CommonTableExpr',
  'Float',
  'FuncCall',
  'GroupingFunc',
  'GroupingSet',
  'Integer',
  'JoinExpr',
  'List',
  'MinMaxExpr',
  'NullTest',
  'RangeFunction',
  'RangeSubselect',
  'RangeVar',
  'ResTarget',
  'RowExpr',
  'SQLValueFunction',
  'SelectStmt',
  'SortBy',
  'String',
  'SubLink',
  'TypeCast',
  'WindowDef',
]);

/** Parts that are refused anywhere. */
const FIELDS: Readonly<Record<string, string>> = {
  intoClause: 'INTO creates a table',
  lockingClause: 'FOR UPDATE and the like lock rows',
  search_clause: 'SEARCH is not allowed',
  cycle_clause: 'CYCLE is not allowed',
  is_rowsfrom: 'ROWS FROM is not allowed',
  join_using_alias: 'a join cannot have an alias; give one to each table',
};

const TYPES: ReadonlySet<string> = new Set(
  `bool bpchar bytea char cidr date decimal double float4 float8 inet int int2 int4 int8 integer bigint smallint real boolean
  interval json jsonb jsonpath money numeric text time timestamp timestamptz timetz uuid varchar`.split(
    /\s+/,
  ),
);

/** The allowed operators: only built-in ones, since an operator may call any function. */
const OPERATORS =
  /^(?:[-+*/%^<>=@&|#]|<>|!=|<=|>=|\|\||!?~~?\*?|->>?|#>>?|#-|@>|<@|@\?|@@|\?[|&]?|&&|-\|-|\|\/|\|\|\/|<<|>>|LIKE|ILIKE|BETWEEN.*|SIMILAR.*|IN|NULLIF)$/i;

const VALUES: ReadonlySet<string> = new Set([
  'SVFOP_CURRENT_DATE',
  'SVFOP_CURRENT_TIME',
  'SVFOP_CURRENT_TIME_N',
  'SVFOP_CURRENT_TIMESTAMP',
  'SVFOP_CURRENT_TIMESTAMP_N',
  'SVFOP_LOCALTIME',
  'SVFOP_LOCALTIME_N',
  'SVFOP_LOCALTIMESTAMP',
  'SVFOP_LOCALTIMESTAMP_N',
]);

function check(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(check);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (Object.hasOwn(FIELDS, key)) throw notAllowed(FIELDS[key] as string);
    if (key === 'typeName') checkType(part as Node);
    // As in `= ANY (SELECT …)` and ORDER BY … USING.
    if (key === 'operName' || key === 'useOp') checkOperator(textsOf(part));
    // Kinds of nodes begin with a capital letter, fields do not.
    if (/^[A-Z]/.test(key)) checkNode(key, part as Node);
    check(part);
  }
}

function checkNode(type: string, node: Node): void {
  if (!NODES.has(type)) throw notAllowed(`${type} is not allowed`);
  if (type === 'FuncCall') checkFunction(textsOf(node['funcname']));
  if (type === 'RangeVar') checkTable(node);
  if (type === 'A_Expr') checkOperator(textsOf(node['name']));
  if (type === 'CollateClause') checkCollation(textsOf(node['collname']));
  if (type === 'JoinExpr' && node['alias'] !== undefined)
    throw notAllowed(FIELDS['join_using_alias'] as string);
  if (type === 'SQLValueFunction' && !VALUES.has(String(node['op'])))
    throw notAllowed('it reads the user or the name of the database');
}

function checkFunction(names: readonly string[]): void {
  if (!allowedFunctions('postgres').has(ownName(names) ?? ''))
    throw notAllowed(`the function ${names.join('.')} is not in the list`);
}

function checkTable({ catalogname, schemaname, relname }: Node): void {
  const name = String(relname);
  const isSystem =
    schemaname === 'pg_catalog' || schemaname === 'information_schema' || schemaname === 'pg_toast';
  if (isSystem || name.startsWith('pg_') || catalogname !== undefined)
    throw notAllowed(`${name} belongs to the system`);
}

function checkOperator(names: readonly string[]): void {
  if (names.length !== 1 || !OPERATORS.test(names[0] ?? ''))
    throw notAllowed(`the operator ${names.join('.')} is not in the list`);
}

function checkType({ names }: Node): void {
  const all = textsOf(names);
  if (!TYPES.has(ownName(all) ?? '')) throw notAllowed(`the type ${all.join('.')} is not in the list`);
}

function checkCollation(names: readonly string[]): void {
  if (ownName(names) === undefined) throw notAllowed(`the collation ${names.join('.')} is not in the list`);
}
