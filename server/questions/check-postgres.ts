import { allowedFunctions } from './functions.ts';
import { notAllowed, noStatement } from './refusals.ts';

/** PostgreSQL's own parser, as WebAssembly: what it reads is what the server reads. */
export async function checkPostgres(sql: string): Promise<string> {
  const { default: parser } = await import('libpg-query');
  const { stmts = [] } = (await parser.parse(sql).catch((error: unknown) => {
    throw noStatement((error as Error).message);
  })) as { stmts?: readonly Parsed[] };
  const [only] = stmts;
  if (only === undefined) throw notAllowed('there is none');
  if (stmts.length > 1) throw notAllowed('there are several');
  const [type] = Object.keys(only.stmt ?? {});
  if (type !== 'SelectStmt') throw notAllowed(`a ${type ?? 'statement'} does not only read`);
  check(only.stmt);
  const { stmt_location: start = 0, stmt_len: length } = only;
  const bytes = Buffer.from(sql).subarray(start);
  return (length ? bytes.subarray(0, length) : bytes).toString();
}

/** Its place is counted in bytes; its length is left out for one that goes on to the end. */
interface Parsed {
  readonly stmt?: Node;
  readonly stmt_location?: number;
  readonly stmt_len?: number;
}

type Node = Readonly<Record<string, unknown>>;

/** Kinds of nodes that compute or read tables. All others are refused, also those that a later version adds. */
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

/** Of nodes that stand for themselves in a field: `SELECT INTO`, `FOR UPDATE`. */
const FIELDS: Readonly<Record<string, string>> = {
  intoClause: 'INTO makes a table',
  lockingClause: 'FOR UPDATE and the like lock rows',
};

const TYPES: ReadonlySet<string> = new Set(
  'bool bpchar bytea char date decimal double float4 float8 int int2 int4 int8 integer bigint smallint real boolean interval json jsonb money numeric text time timestamp timestamptz timetz uuid varchar'.split(
    ' ',
  ),
);

/** A statement may define operators of its own, which call functions: only those that come with the database. */
const OPERATORS =
  /^(?:[-+*/%^<>=]|<>|!=|<=|>=|\|\||!?~~?\*?|->>?|#>>?|@>|<@|\?[|&]?|&&|\|\/|\|\|\/|LIKE|ILIKE|BETWEEN.*|SIMILAR.*|IN|NULLIF)$/i;

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
    // Of `= ANY (SELECT …)`, and of ORDER BY … USING.
    if (key === 'operName' || key === 'useOp') checkOperator(textsOf(part));
    // Kinds of nodes begin with a capital, fields do not.
    if (/^[A-Z]/.test(key)) checkNode(key, part as Node);
    check(part);
  }
}

function checkNode(type: string, node: Node): void {
  if (!NODES.has(type)) throw notAllowed(`${type} is not allowed`);
  if (type === 'FuncCall') checkFunction(textsOf(node['funcname']));
  if (type === 'RangeVar') checkTable(node);
  if (type === 'A_Expr') checkOperator(textsOf(node['name']));
  if (type === 'SQLValueFunction' && !VALUES.has(String(node['op'])))
    throw notAllowed('it asks for the user or the database');
}

function checkFunction(names: readonly string[]): void {
  const [first = '', second] = names;
  const isOwn = names.length === 1 || (names.length === 2 && first === 'pg_catalog');
  const name = second ?? first;
  if (!isOwn || !allowedFunctions('postgres').has(name))
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
  const own = all[0] === 'pg_catalog' ? all.slice(1) : all;
  if (own.length !== 1 || !TYPES.has(own[0] ?? ''))
    throw notAllowed(`the type ${all.join('.')} is not in the list`);
}

function textsOf(list: unknown): string[] {
  const nodes = Array.isArray(list) ? (list as { String?: { sval?: string } }[]) : [];
  return nodes.map(({ String: text }) => text?.sval ?? '');
}
