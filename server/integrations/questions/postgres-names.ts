/** A part of a parsed statement of PostgreSQL. */
export type Node = Readonly<Record<string, unknown>>;

export function textsOf(list: unknown): string[] {
  const nodes = Array.isArray(list) ? (list as { String?: { sval?: string } }[]) : [];
  return nodes.map(({ String: text }) => text?.sval ?? '');
}

/** The name of an object in `pg_catalog`; undefined if the name has another schema. */
export function ownName(names: readonly string[]): string | undefined {
  if (names.length === 2 && names[0] === 'pg_catalog') return names[1];
  return names.length === 1 ? names[0] : undefined;
}

/** A name, and whether it has priority over the name of the type of a cast. */
type Found = readonly [name: string, isStrong: boolean] | undefined;

const SUBLINKS: Readonly<Record<string, string>> = { EXISTS_SUBLINK: 'exists', ARRAY_SUBLINK: 'array' };

/** The name that PostgreSQL assigns to an unnamed column; `firstOf` returns the name of the first column of a SELECT. */
export function columnName(node: unknown, firstOf: FirstOf): string {
  return found(node, firstOf)?.[0] ?? '?column?';
}

type FirstOf = (select: Node) => string | undefined;

/** Names by the kind of node; others have none. */
const NAMES: Readonly<Record<string, (part: Node, firstOf: FirstOf) => Found>> = {
  ColumnRef: ({ fields }) => strong(textsOf(fields).at(-1)),
  FuncCall: ({ funcname }) => strong(textsOf(funcname).at(-1)),
  A_Indirection: ({ arg, indirection }, firstOf) =>
    strong(textsOf(indirection).findLast((name) => name !== '')) ?? found(arg, firstOf),
  CollateClause: ({ arg }, firstOf) => found(arg, firstOf),
  TypeCast: ({ arg, typeName }, firstOf) =>
    weak(found(arg, firstOf), textsOf((typeName as Node)['names']).at(-1) ?? ''),
  CaseExpr: ({ defresult }, firstOf) => weak(found(defresult, firstOf), 'case'),
  A_Expr: ({ kind }) => (kind === 'AEXPR_NULLIF' ? ['nullif', true] : undefined),
  MinMaxExpr: ({ op }) => [op === 'IS_LEAST' ? 'least' : 'greatest', true],
  SQLValueFunction: ({ op }) => [valueName(String(op)), true],
  SubLink: subLinkName,
  A_ArrayExpr: () => ['array', true],
  CoalesceExpr: () => ['coalesce', true],
  GroupingFunc: () => ['grouping', true],
  RowExpr: () => ['row', true],
};

function found(wrapped: unknown, firstOf: FirstOf): Found {
  const [[type, part] = []] = Object.entries((wrapped as Record<string, Node> | undefined) ?? {});
  return type === undefined || part === undefined ? undefined : NAMES[type]?.(part, firstOf);
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

function subLinkName(part: Node, firstOf: FirstOf): Found {
  const type = String(part['subLinkType']);
  if (type !== 'EXPR_SUBLINK') return strong(SUBLINKS[type]);
  return strong(firstOf((part['subselect'] as { SelectStmt: Node }).SelectStmt));
}
