import type { DataTable, SqlRow } from '#engine';
import type { DatabaseKind } from '#shared/connection.ts';

/** Most rows of a catalog that are read: columns, or links between them. */
export const MAX_CATALOG_ROWS = 100_000;

/** All columns, and all links between tables, each as one statement; names as texts. */
const statements: Readonly<Record<DatabaseKind, { readonly columns: string; readonly links: string }>> = {
  postgres: {
    columns: `SELECT CASE WHEN n.nspname = ANY(current_schemas(false)) THEN '' ELSE n.nspname END AS s, c.relname AS t,
      a.attname AS c, format_type(a.atttypid, a.atttypmod) AS y,
      EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY(i.indkey)) AS k
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_'
      AND has_column_privilege(c.oid, a.attnum, 'SELECT') ORDER BY 1, 2, a.attnum`,
    links: `SELECT CASE WHEN n.nspname = ANY(current_schemas(false)) THEN '' ELSE n.nspname END AS s, c.relname AS t,
      a.attname AS c, f.relname AS rt, b.attname AS rc FROM pg_constraint o
      JOIN pg_class c ON c.oid = o.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_class f ON f.oid = o.confrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.conkey[1]
      JOIN pg_attribute b ON b.attrelid = f.oid AND b.attnum = o.confkey[1] WHERE o.contype = 'f'`,
  },
  mysql: {
    columns: `SELECT '' AS s, table_name AS t, column_name AS c, column_type AS y, column_key = 'PRI' AS k
      FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position`,
    links: `SELECT '' AS s, table_name AS t, column_name AS c, referenced_table_name AS rt, referenced_column_name AS rc
      FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL`,
  },
  sqlite: {
    columns: `SELECT '' AS s, m.name AS t, p.name AS c, p.type AS y, p.pk > 0 AS k
      FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) p WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
      ORDER BY m.name, p.cid`,
    links: `SELECT '' AS s, m.name AS t, p."from" AS c, p."table" AS rt, p."to" AS rc
      FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) p WHERE m.type = 'table'`,
  },
};

/** Reads the tables of a database as far as the user of the connection may read them. */
export async function readTables(
  kind: DatabaseKind,
  query: (sql: string) => Promise<readonly SqlRow[]>,
): Promise<DataTable[]> {
  const { columns, links } = statements[kind];
  const [rows, linked] = [await query(columns), await query(links)];
  const tables = new Map<
    string,
    { parts: string[]; columns: DataTable['columns'][number][]; links: DataTable['links'][number][] }
  >();
  for (const row of rows) {
    const { s, t, c, y, k } = row as Record<string, string>;
    const id = JSON.stringify([s, t]);
    const table = tables.get(id) ?? {
      parts: [s, t].filter((part) => part !== '') as string[],
      columns: [],
      links: [],
    };
    tables.set(id, table);
    table.columns.push({ name: c ?? '', type: y ?? '', key: Boolean(k) && Number(k) !== 0 });
  }
  for (const row of linked) {
    const { s, t, c, rt, rc } = row as Record<string, string>;
    tables.get(JSON.stringify([s, t]))?.links.push({ column: c ?? '', to: `${rt}.${rc}` });
  }
  return [...tables.values()];
}
