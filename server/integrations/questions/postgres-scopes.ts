import { columnName, type Node, ownName, textsOf } from './postgres-names.ts';
import type { CatalogTable } from './read-tables.ts';
import { notAllowed } from './refusals.ts';

/**
 * For PostgreSQL, `x.name` calls the function `name` with the row `x`, unless `x` has a column with this name. So every such name
 * must be a column in the scope in which PostgreSQL looks it up.
 */

/** Names of columns, in their order. */
interface Columns {
  readonly names: readonly string[];
  /** Whether all columns are known. */
  readonly isWhole: boolean;
}

const UNKNOWN: Columns = { names: [], isWhole: false };

/** A relation in FROM. */
interface Relation extends Columns {
  /** Its name or alias; a subquery may have none. */
  readonly name: string | undefined;
  /** The schema of a table without an alias. */
  readonly schema?: string | undefined;
  /** Fields of its composite columns. */
  readonly fields?: ReadonlyMap<string, readonly string[]>;
}

/** The scope of a SELECT: its own FROM, then the FROM of enclosing ones. */
interface Level {
  readonly relations: readonly Relation[];
  /** Columns that joined tables share, which a star contains once, before the others. */
  readonly isMerged: boolean;
  readonly up: Level | undefined;
}

type Ctes = ReadonlyMap<string, () => Columns>;

/** Functions for FROM, with the names of their columns; columns of others have the name of the alias. */
const SETS: Readonly<Record<string, readonly string[] | 'alias' | 'unknown' | 'listed'>> = {
  generate_series: 'alias',
  generate_subscripts: 'alias',
  json_array_elements: ['value'],
  json_array_elements_text: ['value'],
  json_each: ['key', 'value'],
  json_each_text: ['key', 'value'],
  json_object_keys: 'alias',
  json_to_record: 'listed',
  json_to_recordset: 'listed',
  jsonb_array_elements: ['value'],
  jsonb_array_elements_text: ['value'],
  jsonb_each: ['key', 'value'],
  jsonb_each_text: ['key', 'value'],
  jsonb_object_keys: 'alias',
  jsonb_path_query: 'alias',
  jsonb_to_record: 'listed',
  jsonb_to_recordset: 'listed',
  regexp_matches: 'alias',
  regexp_split_to_table: 'alias',
  string_to_table: 'alias',
  // For rows it returns their columns.
  unnest: 'unknown',
};

/** The schemas of tables that are written without one, by the position of the table's name in bytes. Throws `sql_not_allowed`. */
export function schemasOf(select: Node, tables: readonly CatalogTable[]): ReadonlyMap<number, string> {
  const scopes = new Scopes(tables);
  scopes.select(select, new Map(), undefined);
  return scopes.schemas;
}

class Scopes {
  readonly schemas = new Map<number, string>();
  private readonly tables: readonly CatalogTable[];
  /** Each SELECT is analysed once, even where its name is requested separately. */
  private readonly read = new Map<Node, Columns>();

  constructor(tables: readonly CatalogTable[]) {
    this.tables = tables;
  }

  /** The columns that a SELECT returns. */
  select(node: Node, ctes: Ctes, up: Level | undefined): Columns {
    const before = this.read.get(node);
    if (before !== undefined) return before;
    const { withClause, larg, rarg, fromClause, targetList, ...rest } = node;
    const inner = withClause === undefined ? ctes : this.withCtes(withClause as Node, ctes, up);
    let columns: Columns;
    let level: Level = { relations: [], isMerged: false, up };
    if (larg !== undefined) {
      columns = this.select(larg as Node, inner, up);
      this.select(rarg as Node, inner, up);
    } else {
      level = this.from((fromClause as Node[] | undefined) ?? [], inner, up);
      this.walk(targetList, inner, level);
      columns = this.targets((targetList as Node[] | undefined) ?? [], level);
    }
    this.walk(rest, inner, level);
    const [row] = (rest['valuesLists'] as { List: { items: unknown[] } }[] | undefined) ?? [];
    if (row !== undefined) columns = { names: row.List.items.map((_, i) => `column${i + 1}`), isWhole: true };
    this.read.set(node, columns);
    return columns;
  }

  /** A query of WITH sees the earlier ones; after RECURSIVE it sees all, itself included. */
  private withCtes({ ctes: list, recursive }: Node, around: Ctes, up: Level | undefined): Ctes {
    const all = new Map(around);
    for (const { CommonTableExpr: cte } of list as { CommonTableExpr: Node }[]) {
      const name = String(cte['ctename']);
      const query = (cte['ctequery'] as { SelectStmt: Node }).SelectStmt;
      const seen: Ctes = recursive === true ? all : new Map(all);
      const given = textsOf(cte['aliascolnames']);
      let isAsked = false;
      all.set(name, () => {
        // While it reads itself, only its first part is known.
        const own = isAsked ? (this.read.get(query) ?? this.read.get(query['larg'] as Node)) : undefined;
        if (isAsked) return renamed(own ?? UNKNOWN, given);
        isAsked = true;
        return renamed(this.select(query, seen, up), given);
      });
    }
    for (const { CommonTableExpr: cte } of list as { CommonTableExpr: Node }[])
      all.get(String(cte['ctename']))?.();
    return all;
  }

  private from(items: readonly Node[], ctes: Ctes, up: Level | undefined): Level {
    let level: Level = { relations: [], isMerged: false, up };
    for (const item of items) level = this.added(level, item, ctes);
    return level;
  }

  /** `level` with the relations of one item of FROM. */
  private added(level: Level, wrapped: Node, ctes: Ctes): Level {
    const [[type, item] = []] = Object.entries(wrapped as Readonly<Record<string, Node>>);
    if (item === undefined) throw notAllowed('FROM cannot be read');
    if (type === 'JoinExpr') return this.joined(level, item, ctes);
    const relation = this.relation(type as string, item, ctes, level);
    return { ...level, relations: [...level.relations, relation] };
  }

  private joined(level: Level, item: Node, ctes: Ctes): Level {
    const before = level.relations.length;
    const left = this.added(level, item['larg'] as Node, ctes);
    const both = this.added(left, item['rarg'] as Node, ctes);
    // Its condition sees only the two sides.
    this.walk(item['quals'], ctes, { ...both, relations: both.relations.slice(before) });
    const isMerged = both.isMerged || item['isNatural'] === true || item['usingClause'] !== undefined;
    return { ...both, isMerged };
  }

  private relation(type: string, item: Node, ctes: Ctes, level: Level): Relation {
    const { aliasname, colnames } = (item['alias'] as Node | undefined) ?? {};
    const alias = aliasname as string | undefined;
    const given = textsOf(colnames);
    switch (type) {
      case 'RangeVar':
        return this.table(item, alias, given, ctes);
      case 'RangeSubselect': {
        const { SelectStmt: query } = item['subquery'] as { SelectStmt: Node };
        const seen = item['lateral'] === true ? level : level.up;
        return { name: alias, ...renamed(this.select(query, ctes, seen), given) };
      }
      case 'RangeFunction':
        this.walk(item, ctes, level);
        return functionOf(item, alias, given);
      default:
        throw notAllowed(`${type} is not allowed in FROM`);
    }
  }

  private table(item: Node, alias: string | undefined, given: readonly string[], ctes: Ctes): Relation {
    const name = String(item['relname']);
    const schema = item['schemaname'] as string | undefined;
    const cte = schema === undefined ? ctes.get(name) : undefined;
    if (cte !== undefined) return { name: alias ?? name, ...renamed(cte(), given) };
    const found = this.tables.find(
      (one) => one.name === name && (schema === undefined ? one.isVisible : one.schema === schema),
    );
    if (found === undefined)
      throw notAllowed(
        `${schema === undefined ? '' : `${schema}.`}${name} is not one of the tables that its user may read`,
      );
    if (found.refusal !== undefined) throw notAllowed(found.refusal);
    if (schema === undefined) this.schemas.set(Number(item['location'] ?? 0), found.schema);
    const own: Columns = { names: found.columns.map((column) => column.name), isWhole: true };
    const fields = new Map(found.columns.map((column) => [column.name, column.fields ?? []]));
    return {
      name: alias ?? name,
      ...(alias === undefined && { schema: found.schema }),
      ...renamed(own, given),
      ...(given.length === 0 && { fields }),
    };
  }

  private targets(list: readonly Node[], level: Level): Columns {
    const all = list.map((wrapped): Columns => {
      const target = (wrapped as { ResTarget: Node }).ResTarget;
      if (typeof target['name'] === 'string') return { names: [target['name']], isWhole: true };
      const { ColumnRef: ref, A_Indirection: part } = (target['val'] as Record<string, Node>) ?? {};
      if (hasStar(part?.['indirection'])) return UNKNOWN;
      if (hasStar(ref?.['fields'])) return starOf(ref?.['fields'] as Node[], level);
      const name = columnName(target['val'], (select) => firstName(this.read.get(select)));
      return { names: [name], isWhole: true };
    });
    return joinedColumns(all);
  }

  /** Checks all expressions, at any depth. */
  private walk(value: unknown, ctes: Ctes, level: Level): void {
    if (Array.isArray(value)) return value.forEach((one) => this.walk(one, ctes, level));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value as Node)) {
      if (key === 'SelectStmt') this.select(part as Node, ctes, level);
      else {
        if (key === 'ColumnRef') checkColumn(part as Node, level);
        if (key === 'A_Indirection') checkField(part as Node, level);
        this.walk(part, ctes, level);
      }
    }
  }
}

function firstName(columns: Columns | undefined): string | undefined {
  return columns?.isWhole === true ? columns.names[0] : undefined;
}

function functionOf(item: Node, alias: string | undefined, given: readonly string[]): Relation {
  const [entry] = item['functions'] as { List: { items: Record<string, Node>[] } }[];
  const call = entry?.List.items[0]?.['FuncCall'];
  const name = ownName(textsOf(call?.['funcname'])) ?? '';
  const kind = Object.hasOwn(SETS, name) ? SETS[name] : undefined;
  if (kind === undefined) throw notAllowed(`${name === '' ? 'this' : name} returns no rows for FROM`);
  const own = functionColumns(kind, item, alias ?? name);
  const names = item['ordinality'] === true ? [...own.names, 'ordinality'] : own.names;
  return { name: alias ?? name, ...renamed({ ...own, names }, given) };
}

function functionColumns(kind: readonly string[] | string, item: Node, name: string): Columns {
  if (typeof kind === 'object') return { names: kind, isWhole: true };
  if (kind === 'alias') return { names: [name], isWhole: true };
  if (kind === 'unknown') return UNKNOWN;
  const listed = (item['coldeflist'] as { ColumnDef: { colname: string } }[] | undefined) ?? [];
  return { names: listed.map(({ ColumnDef: column }) => column.colname), isWhole: true };
}

/** `AS x(a, b)` renames the first columns. The remaining ones are known only if all columns are. */
function renamed({ names, isWhole }: Columns, given: readonly string[]): Columns {
  if (given.length === 0) return { names, isWhole };
  return { names: isWhole ? [...given, ...names.slice(given.length)] : given, isWhole };
}

function joinedColumns(all: readonly Columns[]): Columns {
  return { names: all.flatMap(({ names }) => names), isWhole: all.every(({ isWhole }) => isWhole) };
}

function starOf(fields: readonly Node[], level: Level): Columns {
  if (fields.length > 1) {
    const relations = namedBy(textsOf(fields.slice(0, -1)), level);
    return relations.length === 1 ? joinedColumns(relations) : UNKNOWN;
  }
  const all = joinedColumns(level.relations);
  return { ...all, isWhole: all.isWhole && !level.isMerged };
}

function hasStar(fields: unknown): boolean {
  return Array.isArray(fields) && fields.some((field) => Object.hasOwn(field as Node, 'A_Star'));
}

/** The relations that `x` or `schema.x` may mean, from the nearest level that has one. */
function namedBy(names: readonly string[], level: Level | undefined): readonly Relation[] {
  const [first = '', second] = names;
  const isMeant = (one: Relation): boolean =>
    second === undefined ? one.name === first : one.schema === first && one.name === second;
  for (let at = level; at !== undefined; at = at.up) {
    const found = at.relations.filter(isMeant);
    if (found.length > 0) return found;
  }
  return [];
}

/** A name alone is a column or a row, never a function. */
function checkColumn({ fields }: Node, level: Level): void {
  const names = textsOf(fields);
  const column = names.pop() ?? '';
  if (names.length === 0 || hasStar(fields)) return;
  const relations = names.length > 2 ? [] : namedBy(names, level);
  if (relations.length > 0 && relations.every((one) => one.names.includes(column))) return;
  throw notAllowed(`${[...names, column].join('.')} is not a known column`);
}

/** `(x).name`: a field of the row of a function, or of a composite column. */
function checkField({ arg, indirection }: Node, level: Level): void {
  const parts = indirection as readonly Node[];
  const names = textsOf(parts);
  if (names.every((name) => name === '')) return;
  const [field = ''] = names;
  const known = parts.length === 1 ? fieldsOf(arg as Readonly<Record<string, Node>>, level) : [];
  if (!known.includes(field))
    throw notAllowed(`(…).${names.filter((name) => name !== '').join('.')} is not a known field`);
}

function fieldsOf({ FuncCall: call, ColumnRef: ref }: Readonly<Record<string, Node>>, level: Level) {
  if (call !== undefined) {
    const columns = SETS[ownName(textsOf(call['funcname'])) ?? ''];
    return typeof columns === 'object' && columns.length > 1 ? columns : [];
  }
  const names = textsOf(ref?.['fields']);
  const column = names.pop() ?? '';
  const [only, other] = names.length === 0 ? [] : namedBy(names, level);
  return (other === undefined && only?.fields?.get(column)) || [];
}
