import postgres from 'postgres';
import { WeftError } from '#engine';
import { checkNotNewer } from '../../errors/newer-data.ts';
import type { Migration } from '../migration.ts';
import type { Sql, SqlStatement, SqlTransaction, SqlValue } from '../sql.ts';

/** The oldest PostgreSQL that is supported. */
const OLDEST = 15;
/** Of `pg_advisory_xact_lock`, so that two processes do not migrate at once; any number that nobody else uses. */
const MIGRATION_LOCK = 1_463_113_332;
/** How often a transaction is repeated that another one got in the way of. */
const ATTEMPTS = 20;
/** SQLSTATE: a transaction could not be serialised, or two wait for each other. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);
/** Classes of SQLSTATE that say that the server cannot store now: connection, resources, operator intervention, system. */
const REFUSALS = /^(08|53|57|58)/;

type Client = Pick<postgres.Sql, 'unsafe'>;

/**
 * Opens a PostgreSQL database (15 or newer) with its tables at the newest format. Throws a `StartError` if it is newer
 * than this program, and `storage_failed` if it cannot be reached.
 */
export async function openPostgres(url: string, migrations: readonly Migration[]): Promise<Sql> {
  const client = postgres(url, { max: 10, onnotice: () => {}, types: { bigint: INTEGERS } });
  try {
    await answering(() => prepare(client, migrations));
  } catch (error) {
    await client.end();
    throw error;
  }
  const pending = new Set<Promise<unknown>>();
  let closed = false;
  const using = <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(databaseFailed('it is closed'));
    const done = answering(work);
    const over: Promise<unknown> = done.catch(() => {}).finally(() => pending.delete(over));
    pending.add(over);
    return done;
  };
  const { all, first, run } = statementsOf(client);
  const transaction = <T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> =>
    using(() => serialised(client, (tx) => work(statementsOf(tx))));
  return {
    all: (...statement) => using(() => all(...statement)),
    first: (...statement) => using(() => first(...statement)),
    run: (...statement) => using(() => run(...statement)),
    batch: (statements) => transaction((tx) => inOrder(tx, statements)),
    transaction,
    async close() {
      closed = true;
      await Promise.all(pending);
      await client.end();
    },
  };
}

/** 64-bit integers are read as numbers: all of ours are counts, times and formats. */
const INTEGERS = {
  to: 20,
  from: [20],
  serialize: String,
  parse: Number,
};

async function inOrder(tx: SqlTransaction, statements: readonly SqlStatement[]): Promise<number[]> {
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
      if (attempt === ATTEMPTS || !CONFLICTS.has((error as { code?: unknown }).code)) throw error;
      // Those that met do not meet again at the same moment.
      await new Promise((resolve) => void setTimeout(resolve, Math.random() * 4 * attempt));
    }
  }
}

async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '', message } = error as { readonly code?: string; readonly message: string };
    const isRefused =
      REFUSALS.test(code) || CONFLICTS.has(code) || /^(CONN|ECONN|ENOTFOUND|ETIMEDOUT|EPIPE)/.test(code);
    if (!isRefused) throw error;
    throw databaseFailed(message);
  }
}

/** `reason` is the server's or the system's message. */
function databaseFailed(reason: string): WeftError {
  return new WeftError(
    'storage_failed',
    `The database could not be used (${reason}); repair it, then repeat.`,
  );
}

async function prepare(client: postgres.Sql, migrations: readonly Migration[]): Promise<void> {
  const [server] = await client`SELECT current_setting('server_version_num')::int / 10000 AS major`;
  const major = Number(server?.['major']);
  if (major < OLDEST)
    throw new WeftError(
      'storage_failed',
      `PostgreSQL ${major} is too old; version ${OLDEST} or newer is needed.`,
    );
  const newest = migrations.at(-1)?.n ?? 0;
  await client.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    await tx.unsafe(
      'CREATE TABLE IF NOT EXISTS migration (n BIGINT PRIMARY KEY, name TEXT NOT NULL, at BIGINT NOT NULL)',
    );
    const [row] = await tx`SELECT coalesce(max(n), 0) AS format FROM migration`;
    const found = Number(row?.['format']);
    checkNotNewer('The database', found, newest);
    for (const { n, name, statements } of migrations) {
      if (n <= found) continue;
      for (const text of statements) await tx.unsafe(translated(text));
      await tx`INSERT INTO migration (n, name, at) VALUES (${n}, ${name}, ${Date.now()})`;
    }
  });
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
 * every text comes back as it was; texts without these characters are stored as they are.
 */
function encodeText(text: string): string {
  return text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll('\0', ESCAPE + ZERO);
}

function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(/\uFDD0([\uFDD0\uFDD1])/g, (_, second) => (second === ZERO ? '\0' : ESCAPE));
}
