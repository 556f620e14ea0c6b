import { createHash } from 'node:crypto';
import { isAbsolute, relative } from 'node:path';
import { z } from 'zod';
import { type ConnectionBody, type DatabaseKind, isDatabase } from '#shared/connection.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { connectionNameOf } from './connection-name.ts';
import type { KnownConnection } from './stored-connections.ts';

/** The older and newer format of data sources of DB-GPT, as its clients read and send them. A text is never null. */

const text = z.string().nullish();
const number = z.union([z.int(), z.string().regex(/^\d*$/)]).nullish();

export const DatasourceGiven = z.object({
  id: number,
  db_name: text,
  db_type: text,
  db_path: text,
  file_path: text,
  db_host: text,
  db_port: number,
  db_user: text,
  db_pwd: text,
  comment: text,
  // The newest clients.
  type: text,
  description: text,
  params: z.record(z.string(), z.unknown()).nullish(),
});
type DatasourceGiven = z.output<typeof DatasourceGiven>;

export const Datasource = z.object({
  id: z.int(),
  db_type: z.string(),
  db_name: z.string(),
  db_path: z.string(),
  db_host: z.string(),
  db_port: z.int(),
  db_user: z.string(),
  db_pwd: z.literal('').describe('Passwords are never returned.'),
  comment: z.string(),
  type: z.string(),
  description: z.string(),
  params: z.record(z.string(), z.unknown()),
  gmt_created: z.string(),
  gmt_modified: z.string(),
});

const TYPES = { postgres: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' } as const;
/** Its kinds that use the protocol of a kind of Weft. */
const KINDS: Readonly<Record<string, keyof typeof TYPES>> = {
  postgresql: 'postgres',
  postgres: 'postgres',
  gaussdb: 'postgres',
  opengauss: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
  oceanbase: 'mysql',
  sqlite: 'sqlite',
};

/** The types that `db_type` may have, as DB-GPT lists them. */
export const DATASOURCE_TYPES = Object.values(TYPES).map((name) => ({
  name,
  label: { postgresql: 'PostgreSQL', mysql: 'MySQL', sqlite: 'SQLite' }[name],
  is_file_db: name === 'sqlite',
}));

/** A connection to a database; its clients see no others. */
type Database = KnownConnection & { readonly kind: DatabaseKind };

export function databasesIn(list: readonly KnownConnection[]): Database[] {
  return list.filter((one): one is Database => isDatabase(one.kind));
}

/** A number that depends only on the name. */
function idOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() >>> 1;
}

export function datasourceOf(connection: Database): z.output<typeof Datasource> {
  const { name, kind, settings, description = '', updatedAt } = connection;
  const {
    folder = '',
    file = '',
    host = '',
    port = 0,
    user = '',
    database = '',
  } = settings as Record<string, never>;
  const path = kind === 'sqlite' ? `${folder}/${file}` : '';
  const time = updatedAt.slice(0, 19).replace('T', ' ');
  return {
    id: idOf(name),
    db_type: TYPES[kind],
    db_name: name,
    db_path: path,
    db_host: host,
    db_port: port,
    db_user: user,
    db_pwd: '',
    comment: description,
    type: TYPES[kind],
    description,
    params: kind === 'sqlite' ? { path } : { host, port, user, database },
    gmt_created: time,
    gmt_modified: time,
  };
}

/** The form of its older routes: with `file_path`, and without the newest fields. */
export const OlderDatasource = z.object({
  db_type: z.string(),
  db_name: z.string(),
  file_path: z.string(),
  db_host: z.string(),
  db_port: z.int(),
  db_user: z.string(),
  db_pwd: z.literal(''),
  comment: z.string(),
});

export function olderDatasource(connection: Database): z.output<typeof OlderDatasource> {
  const { db_type, db_name, db_path, db_host, db_port, db_user, db_pwd, comment } = datasourceOf(connection);
  return { db_type, db_name, file_path: db_path, db_host, db_port, db_user, db_pwd, comment };
}

/** Finds a connection by its number or its name. Throws `connection_not_found`. */
export function datasourceNamed(list: readonly KnownConnection[], given: string): Database {
  const name = connectionNameOf(given);
  const databases = databasesIn(list);
  const found =
    databases.find((one) => String(idOf(one.name)) === given || one.name === given) ??
    databases.find((one) => one.name === name);
  if (found === undefined)
    throw new ServiceError(
      'connection_not_found',
      `there is no datasource name:${given.slice(0, 100)} exists`,
    );
  return found;
}

/** The grants of a new connection: operators that only read, whatever the statement. */
const GRANTS = { operators: ['sql.ask', 'agent.run'] };

/** The requested settings, whichever format they came in; an empty text counts as absent. */
function wantedOf(given: DatasourceGiven) {
  const { params } = given;
  return {
    name: first(given.db_name, params?.['name'], params?.['database']),
    type: first(given.db_type, given.type).toLowerCase(),
    description: first(given.comment, given.description),
    path: first(given.db_path, given.file_path, params?.['path']),
    host: first(given.db_host, params?.['host']),
    port: Number(first(given.db_port, params?.['port'])),
    user: first(given.db_user, params?.['user']),
    password: first(given.db_pwd, params?.['password']),
    database: first(params?.['database']),
  };
}
type Wanted = ReturnType<typeof wantedOf>;

function first(...values: readonly unknown[]): string {
  const found = values.find(
    (value) => (typeof value === 'string' && value !== '') || (typeof value === 'number' && value !== 0),
  );
  return found === undefined ? '' : String(found as string | number);
}

/**
 * A data source as a connection; fields that are left out stay as in `before`. Throws `invalid_request`,
 * `datasource_unsupported`.
 */
export function connectionOf(
  given: DatasourceGiven,
  folders: Readonly<Record<string, string>>,
  before?: KnownConnection,
): { readonly name: string; readonly body: ConnectionBody } {
  const wanted = wantedOf(given);
  const { name, description } = wanted;
  if (name === '') throw missing('db_name');
  const kind = kindOf(wanted, before);
  const earlier = before?.kind === kind ? before.settings : {};
  const settings =
    kind === 'sqlite' ? { ...fileOf(wanted, folders, earlier), readOnly: true } : serverOf(wanted, earlier);
  const grants = before === undefined && { grants: GRANTS };
  return {
    name: before?.name ?? connectionNameOf(name),
    body: { kind, settings, ...grants, ...(description !== '' && { description }) },
  };
}

function kindOf({ type }: Wanted, before: KnownConnection | undefined): ConnectionBody['kind'] {
  if (type === '' && before) return before.kind;
  if (type === '') throw missing('db_type');
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (kind === undefined) throw unsupported(`Unsupported Db Type, ${type.slice(0, 100)}`);
  return kind;
}

function serverOf(
  { name, host, port, user, password, database }: Wanted,
  before: KnownConnection['settings'],
): Record<string, unknown> {
  const to = host || first(before['host']);
  if (to === '') throw missing('db_host');
  return {
    database: name,
    tls: NEAR.test(to) ? 'off' : 'verified',
    ...before,
    host: to,
    ...(port > 0 && { port }),
    ...(user !== '' && { user }),
    ...(password !== '' && { password }),
    ...(database !== '' && { database }),
  };
}

/** This machine and private networks, where DB-GPT too connects without encryption. */
const NEAR = /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|[^.:]+$)/;

/** The file of a path, which must be below a folder of WEFT_FOLDERS. */
function fileOf(
  { path }: Wanted,
  folders: Readonly<Record<string, string>>,
  before: KnownConnection['settings'],
): Record<string, unknown> {
  if (path === '' && before['file'] !== undefined) return before;
  if (path === '') throw missing('db_path');
  for (const [folder, root] of Object.entries(folders)) {
    const file = isAbsolute(path) ? relative(root, path) : path.replace(`${folder}/`, '');
    const isBelow = isAbsolute(path) || path.startsWith(`${folder}/`);
    if (isBelow && file !== '' && !isAbsolute(file) && file.split(/[\\/]/)[0] !== '..')
      return { folder, file };
  }
  throw unsupported(
    `${path.slice(0, 200)} is in no folder that the server may open: name its folder in WEFT_FOLDERS, such as shop=/data/shop, and give the path as shop/shop.db.`,
  );
}

function missing(field: string): ServiceError {
  return new ServiceError('invalid_request', `${field}: Field required`, { param: field });
}

function unsupported(message: string): ServiceError {
  return new ServiceError('datasource_unsupported', message, { param: 'db_type' });
}
