/** A part of a parsed statement of PostgreSQL. */
export type Node = Readonly<Record<string, unknown>>;

export function textsOf(list: unknown): string[] {
  const nodes = Array.isArray(list) ? (list as { String?: { sval?: string } }[]) : [];
  return nodes.map(({ String: text }) => text?.sval ?? '');
}

/** The name of what is found in `pg_catalog`; undefined if another schema is written before it. */
export function ownName(names: readonly string[]): string | undefined {
  if (names.length === 2 && names[0] === 'pg_catalog') return names[1];
  return names.length === 1 ? names[0] : undefined;
}

/** A name, and whether it is a better one than that of the type that a value is cast to. */
type Found = readonly [name: string, isStrong: boolean] | undefined;

const FIXED: Readonly<Record<string, string>> = {
  A_ArrayExpr: 'array',
  CoalesceExpr: 'coalesce',
  GroupingFunc: 'grouping',
  RowExpr: 'row',
};

const SUBLINKS: Readonly<Record<string, string>> = { EXISTS_SUBLINK: 'exists', ARRAY_SUBLINK: 'array' };

/** The name that PostgreSQL gives a column without one; `firstOf` names the first column of a SELECT. */
export function columnName(node: unknown, firstOf: (select: Node) => string | undefined): string {
  return found(node, firstOf)?.[0] ?? '?column?';
}

function found(wrapped: unknown, firstOf: (select: Node) => string | undefined): Found {
  const [[type, part] = []] = Object.entries((wrapped as Record<string, Node> | undefined) ?? {});
  if (type === undefined || part === undefined) return undefined;
  const fixed = FIXED[type];
  if (fixed !== undefined) return [fixed, true];
  const inner = (name: string): Found => found(part[name], firstOf);
  switch (type) {
    case 'ColumnRef':
      return strong(textsOf(part['fields']).at(-1));
    case 'FuncCall':
      return strong(textsOf(part['funcname']).at(-1));
    case 'A_Indirection':
      return strong(textsOf(part['indirection']).findLast((name) => name !== '')) ?? inner('arg');
    case 'CollateClause':
      return inner('arg');
    case 'TypeCast':
      return weak(inner('arg'), textsOf((part['typeName'] as Node)['names']).at(-1) ?? '');
    case 'CaseExpr':
      return weak(inner('defresult'), 'case');
    case 'A_Expr':
      return part['kind'] === 'AEXPR_NULLIF' ? ['nullif', true] : undefined;
    case 'MinMaxExpr':
      return [part['op'] === 'IS_LEAST' ? 'least' : 'greatest', true];
    case 'SQLValueFunction':
      return [valueName(String(part['op'])), true];
    case 'SubLink':
      return subLinkName(part, firstOf);
    default:
      return undefined;
  }
}

function strong(name: string | undefined): Found {
  return name === undefined || name === '' ? undefined : [name, true];
}

function weak(inner: Found, name: string): Found {
  return inner?.[1] === true ? inner : [name, false];
}

/** `SVFOP_LOCALTIME_N` is `localtime`. */
function valueName(op: string): string {
  return op
    .replace(/^SVFOP_/, '')
    .replace(/_N$/, '')
    .toLowerCase();
}

function subLinkName(part: Node, firstOf: (select: Node) => string | undefined): Found {
  const type = String(part['subLinkType']);
  if (type !== 'EXPR_SUBLINK') return strong(SUBLINKS[type]);
  return strong(firstOf((part['subselect'] as { SelectStmt: Node }).SelectStmt));
}
