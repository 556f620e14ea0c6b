import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { codedStartError } from '../../../base/errors/start-error.ts';
import type { Migration } from '../migration.ts';
import type { Sql, SqlStatement, SqlTransaction, SqlValue } from '../sql.ts';
import { CONFLICTS, databaseFailed, inTime } from './answered.ts';
import { backoff, Pool } from './pool.ts';
import { refusedStart, settingOf } from './refused-start.ts';

/** The oldest PostgreSQL that is supported. */
const OLDEST = 15;
/** For `pg_advisory_xact_lock`, so that two processes do not migrate at once; any number that no other program uses. */
const MIGRATION_LOCK = 1_463_113_332;
/**
 * How long a migration waits for a table, in milliseconds: requests of running servers queue behind it for no longer, and it gives
 * up before PostgreSQL would end one of them for a deadlock (`deadlock_timeout`, 1 s).
 */
const MIGRATION_LOCK_MS = 500;
/** The pause between two attempts to migrate, so that waiting requests get their turn, and the total time, in milliseconds. */
const MIGRATION_PAUSE_MS = 200;
const MIGRATION_PATIENCE_MS = 60_000;
/** How often a transaction is repeated after a conflict with another one. */
const ATTEMPTS = 20;
/** SQLSTATE: a lock could not be obtained in time. */
const LOCK_TIMEOUT = '55P03';
/** How long writes under way may take when the database is closed, in seconds. */
const CLOSE_S = 5;
/** How long a connection that is not needed any more may take to end, in seconds: one that never opened never does. */
const END_S = 1;
/** How long a connection may take to open, in seconds. */
const CONNECT_S = 5;

type Client = Pick<postgres.Sql, 'unsafe'>;

interface PostgresOptions {
  /** The same database without a transaction pooler, for work that must stay in one session; by default `url`. */
  readonly direct?: string;
  /** False: tables of an older format are left unchanged, and refused. */
  readonly migrates?: boolean;
  /** Called after all connections were replaced, because they led to a server that is no longer the primary, or is gone. */
  readonly replaced?: () => void;
  /** How long an answer may take, in milliseconds. */
  readonly answerMs?: number;
}

/**
 * Opens a PostgreSQL database (15 or newer) with its tables at the newest format. Throws a `StartError` that begins with a code
 * if the database cannot be reached or used, or is newer than this program.
 */
export async function openPostgres(
  url: string,
  migrations: readonly Migration[],
  { direct = url, migrates = true, replaced, answerMs }: PostgresOptions = {},
): Promise<Sql> {
  const asked = { answerMs, setting: settingOf(url, direct) };
  await (migrates
    ? migratePostgres(direct, migrations, asked)
    : refuseOtherFormat(direct, migrations, asked));
  if (direct !== url) await refuseUnreachable(url, answerMs);
  const pool = new Pool({
    open: () => {
      const client = connectTo(url, 10, isDirect(url, direct));
      return { client, ...statementsOf(client) };
    },
    clientOf: ({ client }) => client,
    replaced,
    answerMs,
  });
  const pending = new Set<Promise<unknown>>();
  let closed = false;
  const using: (typeof pool)['use'] = (work) => {
    if (closed) return Promise.reject(databaseFailed('it is closed'));
    const done = pool.use(work);
    const over: Promise<unknown> = done.catch(() => {}).finally(() => pending.delete(over));
    pending.add(over);
    return done;
  };
  const transaction = <T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> =>
    using(({ client }) => serialised(client, (tx) => work(statementsOf(tx))));
  return {
    all: (...statement) => using(({ all }) => all(...statement)),
    first: (...statement) => using(({ first }) => first(...statement)),
    run: (...statement) => using(({ run }) => run(...statement)),
    batch: ([...statements]) =>
      statements.length === 1
        ? using((tx) => inOrder(tx, statements))
        : transaction((tx) => inOrder(tx, statements)),
    transaction,
    async close() {
      closed = true;
      // A connection that has died may never answer.
      await Promise.race([Promise.all(pending), sleep(CLOSE_S * 1000, undefined, { ref: false })]);
      await pool.end(CLOSE_S);
    },
  };
}

async function refuseUnreachable(url: string, answerMs?: number): Promise<void> {
  const client = connectTo(url, 1, false);
  try {
    await inTime(client`SELECT 1`, answerMs);
  } catch (error) {
    throw refusedStart(error);
  } finally {
    await client.end({ timeout: END_S });
  }
}

/** 64-bit integers are read as numbers: all of ours are counts, times and formats. */
const INTEGERS = {
  to: 20,
  from: [20],
  serialize: String,
  parse: Number,
};

/** JSON is text in our statements, written and read by their callers. */
const JSON_TEXT = {
  to: 114,
  from: [114],
  serialize: String,
  parse: String,
};

async function inOrder(
  tx: Pick<SqlTransaction, 'run'>,
  statements: readonly SqlStatement[],
): Promise<number[]> {
  const changed: number[] = [];
  for (const statement of statements) changed.push(await tx.run(...statement));
  return changed;
}

function statementsOf(client: Client): SqlTransaction {
  const send = (text: string, values: SqlValue[]) =>
    client.unsafe(numbered(text), values.map(sent), { prepare: true });
  return {
    async all<Row extends object>(text: string, ...values: SqlValue[]) {
      const rows = await send(text, values);
      return rows.map(received) as Row[];
    },
    async first<Row extends object>(text: string, ...values: SqlValue[]) {
      const [row] = await send(text, values);
      return row && (received(row) as Row);
    },
    run: async (text, ...values) => (await send(text, values)).count,
  };
}

const numberedTexts = new Map<string, string>();

/** Question marks become `$1`, `$2` and so on. */
function numbered(text: string): string {
  const known = numberedTexts.get(text);
  if (known !== undefined) return known;
  let n = 0;
  const made = text.replaceAll('?', () => `$${++n}`);
  numberedTexts.set(text, made);
  return made;
}

function sent(value: SqlValue): string | number | null | Buffer {
  if (typeof value === 'string') return encodeText(value);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

function received(row: object): object {
  const values = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? decodeText(value) : (value as unknown),
  ]);
  return Object.fromEntries(values) as object;
}

async function serialised<T>(
  client: postgres.Sql,
  work: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await client.begin('ISOLATION LEVEL SERIALIZABLE', work)) as T;
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error;
      // Random, so that conflicting transactions do not meet again at the same moment.
      await new Promise((resolve) => void setTimeout(resolve, Math.random() * 4 * attempt));
    }
  }
}

/**
 * Whether repeating the transaction may succeed: another one conflicted with it, or a migration changed the columns of a
 * statement that the connection had prepared, which the driver forgets then.
 */
function isPassing(error: unknown): boolean {
  const { code, routine } = error as { readonly code?: unknown; readonly routine?: unknown };
  return CONFLICTS.has(code) || routine === 'RevalidateCachedQuery';
}

/** Options of the first connection. */
interface Asked {
  /** How long its first answer may take, in milliseconds. */
  readonly answerMs?: number | undefined;
  /** The setting that contains its address; by default `WEFT_DATABASE_URL`. */
  readonly setting?: string | undefined;
}

interface MigrationOptions extends Asked {
  /** The migrations are tried and rolled back. */
  readonly dryRun?: boolean;
  /** How long to try to lock the tables, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * Brings the tables to the newest format, all or nothing, whatever other processes do at the same time; running servers continue
 * meanwhile. Returns the names of the migrations. Throws like `openPostgres`.
 */
export async function migratePostgres(
  url: string,
  migrations: readonly Migration[],
  { dryRun = false, patienceMs = MIGRATION_PATIENCE_MS, answerMs, setting }: MigrationOptions = {},
): Promise<string[]> {
  const client = connectTo(url, 1);
  const end = performance.now() + patienceMs;
  try {
    await inTime(checkServer(client), answerMs);
    for (;;) {
      const made = await migrate(client, migrations, dryRun).catch(unlessHeld);
      if (made !== undefined) return made;
      if (performance.now() > end) throw codedStartError('database_in_use', IN_USE);
      await sleep(MIGRATION_PAUSE_MS);
    }
  } catch (error) {
    throw refusedStart(error, setting);
  } finally {
    await client.end({ timeout: END_S });
  }
}

/**
 * Whether statements may be prepared for a connection: a transaction pooler gives each transaction another session, and only
 * newer ones (PgBouncer from 1.21 on) know which session has prepared what.
 */
export function isDirect(url: string, direct: string): boolean {
  return url === direct;
}

function connectTo(url: string, max: number, prepare = true): postgres.Sql {
  try {
    return postgres(url, {
      max,
      prepare,
      connect_timeout: CONNECT_S,
      backoff,
      onnotice: () => {},
      // No array is sent or read; a connection reset while the driver asks for their types would end the process.
      fetch_types: false,
      types: { bigint: INTEGERS, json: JSON_TEXT },
    }) as unknown as postgres.Sql;
  } catch {
    // The message could repeat the password.
    throw codedStartError('database_denied', 'The address of the database is not a postgres:// URL.');
  }
}

async function checkServer(client: postgres.Sql): Promise<void> {
  const [server] = await client`SELECT current_setting('server_version_num')::int / 10000 AS major,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "isReadOnly"`;
  const major = Number(server?.['major']);
  if (major < OLDEST)
    throw codedStartError(
      'database_too_old',
      `The database is PostgreSQL ${major}; version ${OLDEST} or newer is needed.`,
    );
  if (server?.['isReadOnly'] === true)
    throw codedStartError(
      'database_read_only',
      'The database is read-only (a standby?); set WEFT_DATABASE_URL to the primary.',
    );
}

/** Changes nothing. Throws `database_older` if a migration is due, and otherwise like `migratePostgres`. */
async function refuseOtherFormat(
  url: string,
  migrations: readonly Migration[],
  { answerMs, setting }: Asked,
): Promise<void> {
  const client = connectTo(url, 1);
  try {
    await inTime(checkServer(client), answerMs);
    const [table] = await client`SELECT to_regclass('migration') IS NOT NULL AS known`;
    const found = table?.['known'] === true ? await formatOf(client) : 0;
    refuseNewer(found, migrations);
    const newest = newestOf(migrations);
    if (found === newest) return;
    throw codedStartError(
      'database_older',
      found === 0
        ? 'The database has no tables of Weft: start a server on it, run `weft migrate`, or correct WEFT_DATABASE_URL.'
        : `The database has the format ${found}, and this version needs ${newest}: run \`weft migrate\`, or use the version of the servers.`,
    );
  } catch (error) {
    throw refusedStart(error, setting);
  } finally {
    await client.end({ timeout: END_S });
  }
}

async function formatOf(client: postgres.Sql | postgres.TransactionSql): Promise<number> {
  const [row] = await client`SELECT coalesce(max(n), 0) AS format FROM migration`;
  return Number(row?.['format']);
}

function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.n ?? 0;
}

function refuseNewer(found: number, migrations: readonly Migration[]): void {
  const newest = newestOf(migrations);
  if (found <= newest) return;
  throw codedStartError(
    'database_newer',
    `The database was migrated by a newer Weft (format ${found}; this version knows formats up to ${newest}). Start that version or a later one.`,
  );
}

const IN_USE =
  'A table could not be changed, since transactions that do not end hold it (a pg_dump?). Let them end, then start again.';

/** Returns if other transactions hold the tables for now; throws everything else. */
function unlessHeld(error: unknown): undefined {
  const { code } = error as { readonly code?: unknown };
  if (code !== LOCK_TIMEOUT && !CONFLICTS.has(code)) throw error;
}

class DryRun extends Error {}

async function migrate(
  client: postgres.Sql,
  migrations: readonly Migration[],
  dryRun: boolean,
): Promise<string[]> {
  const made: string[] = [];
  const work = async (tx: postgres.TransactionSql): Promise<void> => {
    await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    // Another server that migrates may take its time; a table may not.
    await tx.unsafe(`SET LOCAL lock_timeout = ${MIGRATION_LOCK_MS}`);
    await tx.unsafe(
      'CREATE TABLE IF NOT EXISTS migration (n BIGINT PRIMARY KEY, name TEXT NOT NULL, at BIGINT NOT NULL)',
    );
    const found = await formatOf(tx);
    refuseNewer(found, migrations);
    for (const { n, name, statements } of migrations) {
      if (n <= found) continue;
      for (const text of statements) await tx.unsafe(translated(text));
      await tx`INSERT INTO migration (n, name, at) VALUES (${n}, ${name}, ${Date.now()})`;
      made.push(`${n} ${name}`);
    }
    if (dryRun) throw new DryRun();
  };
  await client.begin(work).catch((error: unknown) => {
    if (!(error instanceof DryRun)) throw error;
  });
  return made;
}

const TYPES: Readonly<Record<string, string>> = {
  INTEGER: 'BIGINT',
  REAL: 'DOUBLE PRECISION',
  BLOB: 'BYTEA',
  // Texts are compared by their bytes, as SQLite does, in whatever language the database was made.
  TEXT: 'TEXT COLLATE "C"',
};

/** The statement of a migration in PostgreSQL's types. */
function translated(text: string): string {
  return text
    .replace(/\) STRICT(, WITHOUT ROWID)?/, ')')
    .replaceAll(/\b(INTEGER|REAL|BLOB|TEXT)\b/g, (type) => TYPES[type] as string);
}

/** Two code points that Unicode keeps free for a program's own use. */
const [ESCAPE, ZERO] = ['\uFDD0', '\uFDD1'];

/**
 * PostgreSQL cannot store the character 0 in a text, which SQLite and JavaScript can. It is written as two others, so
 * every text comes back unchanged; texts without these characters are stored unchanged.
 */
function encodeText(text: string): string {
  return text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll('\0', ESCAPE + ZERO);
}

function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(/\uFDD0([\uFDD0\uFDD1])/g, (_, second) => (second === ZERO ? '\0' : ESCAPE));
}
