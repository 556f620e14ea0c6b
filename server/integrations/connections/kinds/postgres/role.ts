import type { SqlRow } from '#engine';

/** The rights of the role of a session. */
export const ROLE = `SELECT rolsuper AS super, rolcreaterole AS roles, rolcreatedb AS databases, rolreplication AS replication,
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

/** The rights of a role besides reading, from the row of `ROLE`. */
export function writesOfRole([role]: readonly SqlRow[]): string[] {
  if (role === undefined) return ['anything, since its role cannot be read'];
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
