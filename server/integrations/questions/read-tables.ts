import type { DataTable, SqlRow } from '#engine';
import type { DatabaseKind } from '#shared/connection.ts';

/** The most rows of a catalog that are read: columns, or links between them. */
export const MAX_CATALOG_ROWS = 100_000;

/** A table in the names of statements. */
export interface CatalogTable extends DataTable {
  readonly schema: string;
  readonly name: string;
  /** Whether it is found without its schema. */
  readonly isVisible: boolean;
  readonly columns: readonly (DataTable['columns'][number] & {
    /** The fields of a column with a composite type. */
    readonly fields?: readonly string[];
  })[];
  /** The reason why no statement of a model may read it. */
  readonly refusal?: string;
}

/**
 * Statements for all columns and for all links between tables; names are texts. `:sql` leaves out the columns of tables that it
 * does not name.
 */
const statements: Readonly<Record<DatabaseKind, { readonly columns: string; readonly links: string }>> = {
  postgres: {
    // `x`: PostgreSQL runs a function of this database to convert the value.
    columns: `WITH casts AS (SELECT k.castsource AS f, k.casttarget AS t FROM pg_cast k JOIN pg_proc p ON p.oid = k.castfunc
        WHERE k.oid >= 16384 AND p.pronamespace <> 'pg_catalog'::regnamespace AND NOT EXISTS (
          SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_cast'::regclass AND d.objid = k.oid AND d.deptype = 'e'))
      SELECT n.nspname AS n, pg_table_is_visible(c.oid) AS v, c.relname AS t, a.attname AS c,
      format_type(a.atttypid, a.atttypmod) AS y,
      EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY(i.indkey)) AS k,
      CASE WHEN y.typtype = 'c' THEN ARRAY(SELECT f.attname::text FROM pg_attribute f WHERE f.attrelid = y.typrelid
        AND f.attnum > 0 AND NOT f.attisdropped AND f.atttypid < 16384) END AS f,
      EXISTS (SELECT 1 FROM casts WHERE (casts.f >= 16384 AND casts.f IN (y.oid, y.typelem, y.typbasetype))
        OR (casts.t >= 16384 AND casts.t IN (y.oid, y.typelem, y.typbasetype)) OR (casts.f < 16384 AND casts.t < 16384)) AS x
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
      JOIN pg_type y ON y.oid = a.atttypid
      WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_'
      AND has_column_privilege(c.oid, a.attnum, 'SELECT')
      AND (:sql::text IS NULL OR strpos(lower(:sql::text), lower(c.relname)) > 0) ORDER BY NOT pg_table_is_visible(c.oid), 1, 3, a.attnum`,
    links: `SELECT n.nspname AS n, c.relname AS t,
      a.attname AS c, f.relname AS rt, b.attname AS rc FROM pg_constraint o
      JOIN pg_class c ON c.oid = o.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_class f ON f.oid = o.confrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.conkey[1]
      JOIN pg_attribute b ON b.attrelid = f.oid AND b.attnum = o.confkey[1] WHERE o.contype = 'f'`,
  },
  mysql: {
    columns: `SELECT table_schema AS n, 1 AS v, table_name AS t, column_name AS c, column_type AS y, column_key = 'PRI' AS k
      FROM information_schema.columns WHERE table_schema = DATABASE()
      AND (:sql IS NULL OR LOCATE(LOWER(table_name), LOWER(:sql)) > 0) ORDER BY table_name, ordinal_position`,
    links: `SELECT table_schema AS n, table_name AS t, column_name AS c, referenced_table_name AS rt, referenced_column_name AS rc
      FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL`,
  },
  sqlite: {
    columns: `SELECT 'main' AS n, 1 AS v, m.name AS t, p.name AS c, p.type AS y, p.pk > 0 AS k
      FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) p WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
      AND (:sql IS NULL OR instr(lower(:sql), lower(m.name)) > 0) ORDER BY m.name, p.cid`,
    links: `SELECT 'main' AS n, m.name AS t, p."from" AS c, p."table" AS rt, p."to" AS rc
      FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) p WHERE m.type = 'table'`,
  },
};

type Query = (sql: string, params?: Readonly<Record<string, unknown>>) => Promise<readonly SqlRow[]>;

/** The tables of a database that the user of the connection may read. */
export async function readTables(kind: DatabaseKind, query: Query): Promise<DataTable[]> {
  const { columns, links } = statements[kind];
  const tables = byName(await query(columns, { sql: null }));
  for (const row of await query(links)) {
    const { n, t, c, rt, rc } = row as Record<string, string>;
    tables.get(idOf(n, t))?.links.push({ column: c ?? '', to: `${rt}.${rc}` });
  }
  return [...tables.values()].map(({ parts, columns: all, links: found }) => ({
    parts,
    columns: all.map(({ name, type, key }) => ({ name, type, key })),
    links: found,
  }));
}

/** The tables that a statement may name, without their links. */
export async function readNamedTables(
  kind: DatabaseKind,
  query: Query,
  sql: string,
): Promise<CatalogTable[]> {
  return [...byName(await query(statements[kind].columns, { sql })).values()];
}

type Growing<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? I[] : T[K] };

function byName(rows: readonly SqlRow[]): Map<string, Growing<CatalogTable>> {
  const tables = new Map<string, Growing<CatalogTable>>();
  for (const row of rows) {
    const { n = '', t = '', c = '', y } = row as Record<string, string>;
    const { v, k, f, x } = row;
    const isVisible = Boolean(v);
    const found = tables.get(idOf(n, t));
    const parts = isVisible ? [t] : [n, t];
    const table = found ?? { schema: n, name: t, isVisible, parts, columns: [], links: [] };
    tables.set(idOf(n, t), table);
    if (x === true) table.refusal = `a function of the database runs to convert ${t}.${c}`;
    table.columns.push({
      name: c,
      type: y ?? '',
      key: Boolean(k) && Number(k) !== 0,
      ...(Array.isArray(f) && { fields: f as string[] }),
    });
  }
  return tables;
}

function idOf(schema: string | undefined, table: string | undefined): string {
  return JSON.stringify([schema, table]);
}
