import type { SqlRow } from '#engine';
import type { DatabaseKind } from '#shared/connection.ts';

/** Reads rows with one statement. */
export type Query = (sql: string) => Promise<readonly SqlRow[]>;

/**
 * What the user of a connection may do besides reading its tables; empty for one that only reads. A statement that nobody has
 * read before is safest with a user that could do nothing worse.
 */
export async function writesOf(
  { kind, settings }: { readonly kind: DatabaseKind; readonly settings: Readonly<Record<string, unknown>> },
  query: Query,
): Promise<string[]> {
  switch (kind) {
    case 'postgres':
      return postgresWrites(await query(POSTGRES));
    case 'mysql':
      return mysqlWrites(await query('SHOW GRANTS'));
    case 'sqlite':
      return settings['readOnly'] === true ? [] : ['change the file, since it is not opened read only'];
  }
}

const POSTGRES = `SELECT rolsuper AS super, rolcreaterole AS roles, rolcreatedb AS databases, rolreplication AS replication,
  rolbypassrls AS bypass,
  ARRAY(SELECT r.rolname::text FROM pg_roles r WHERE pg_has_role(current_user, r.oid, 'MEMBER') AND r.rolname IN
    ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend', 'pg_write_all_data',
     'pg_maintain', 'pg_create_subscription')) AS members,
  ARRAY(SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_'
    AND (has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'INSERT, UPDATE'))
    ORDER BY 1 LIMIT 4) AS tables,
  ARRAY(SELECT n.nspname::text FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND has_schema_privilege(n.oid, 'CREATE') ORDER BY 1 LIMIT 4) AS schemas
  FROM pg_roles WHERE rolname = current_user`;

function postgresWrites([role]: readonly SqlRow[]): string[] {
  if (role === undefined) return ['what nobody knows, since its role cannot be read'];
  const list = (name: string): string[] => (role[name] as string[] | null) ?? [];
  return [
    ...(role['super'] === true ? ['everything, as a superuser'] : []),
    ...(role['roles'] === true ? ['create roles'] : []),
    ...(role['databases'] === true ? ['create databases'] : []),
    ...(role['replication'] === true ? ['replicate'] : []),
    ...(role['bypass'] === true ? ['bypass the security of rows'] : []),
    ...list('members').map((name) => `what ${name} may`),
    ...list('tables').map((name) => `write to ${name}`),
    ...list('schemas').map((name) => `create something in ${name}`),
  ];
}

/** Longest grant that is read, since reading one takes time that grows with the square of its length. */
const MAX_GRANT = 5000;

const READING = /^(?:SELECT|USAGE|SHOW VIEW|SHOW DATABASES)(?:\s*\([^)]*\))?$/i;

/** A grant is `GRANT SELECT, INSERT (a, b) ON shop.* TO …`, or `GRANT role TO …`, which may give anything. */
function mysqlWrites(grants: readonly SqlRow[]): string[] {
  return grants.flatMap((row) => {
    const [first] = Object.values(row);
    const text = typeof first === 'string' ? first : '';
    const found = text.length > MAX_GRANT ? null : /^GRANT (.+?) ON (.+?) TO /is.exec(text);
    if (found === null) return [`what its roles may (${text.slice(0, 100)})`];
    const [, rights = '', where = ''] = found;
    const more = rights.split(/,(?![^(]*\))/).map((right) => right.trim());
    const writing = more.filter((right) => !READING.test(right));
    const passes = / WITH GRANT OPTION/i.test(text) ? ['pass its rights on'] : [];
    return [...writing.map((right) => `${right} on ${where}`), ...passes];
  });
}
