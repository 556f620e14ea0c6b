import type { Socket } from 'node:net';
import type tls from 'node:tls';
import type postgres from 'postgres';
import { guardPostgresDriver } from '../../../../base/process/postgres-driver.ts';
import { z } from 'zod';
import type { SqlChange, SqlLimits, SqlRow, SqlStatement } from '#engine';
import type { ConnectionTables } from '#shared/connection.ts';
import type { DescribedColumn } from '#shared/described.ts';
import {
  type AskedDescription,
  defineKind,
  type ReadLimits,
  type SessionDeps,
  type SqlSession,
} from '../../kind.ts';
import { type Bound, bind, fill } from '../../placeholders.ts';
import { checkCopy, checkRead } from '../../reads.ts';
import {
  connectionLost,
  harmlessToServers,
  notEncrypted,
  offersNoTls,
  startTls,
  tlsOptions,
  untilAborted,
} from '../../servers.ts';
import {
  checkColumnNames,
  databaseFields,
  type DatabaseSettings,
  GRACE_MS,
  type ListedColumn,
  PIECE_BYTES,
  tablesOf,
  tooLargePiece,
  unasked,
  tooManyRows,
} from '../../sql-common.ts';
import { OpenWork, OWN_BYTES, SessionSockets } from '../../open-work.ts';
import { postgresError } from './errors.ts';
import { COLUMNS, describedColumns, ORIGINS, originsOf, type SentColumn } from './columns.ts';
import { ROLE, writesOfRole } from './role.ts';
import { learnTypes, OWN_TYPES, type OwnTypes, rowChanger, unknownTypes } from './rows.ts';
import { type SentValue, sentValue, types } from './values.ts';

export default defineKind({
  use: 'sql',
  name: 'postgres',
  title: 'PostgreSQL',
  doc: 'A PostgreSQL database, or another one that speaks its protocol.',
  settings: z.strictObject(databaseFields({ port: 5432, user: 'postgres' })),
  harmless: harmlessToServers,
  most: ({ most }) => most,
  destination: ({ host, port }) => ({ host, port }),
  writes: async (_settings, query) => writesOfRole(await query(ROLE)),
  async open(settings, deps, signal) {
    guardPostgresDriver();
    const { default: driver } = await import('postgres');
    const session = new PostgresSession(driver, settings, deps);
    try {
      await untilAborted(signal, session.about(signal));
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  },
});

type Client = postgres.Sql;
type Query = ReturnType<Client['unsafe']>;

/** Values have one format, whatever the settings of the server. */
const SESSION = {
  application_name: 'weft',
  default_transaction_read_only: 'on',
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'iso_8601',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
};

/** Advisory locks and prepared statements outlive a rollback: locks are released, and prepared statements are reported. */
const REST = 'SELECT pg_advisory_unlock_all(); SELECT FROM pg_prepared_statements WHERE from_sql';

const ROLLBACK = `ROLLBACK; ${REST}`;

/** Resets everything that DISCARD ALL resets, except the statements that the driver has prepared. */
const FULL = `ROLLBACK; RESET SESSION AUTHORIZATION; RESET ALL; CLOSE ALL; UNLISTEN *; DISCARD TEMP; DISCARD SEQUENCES; ${REST}`;

const READ_ONLY = 'BEGIN READ ONLY';

/**
 * For a statement that a model has written: it uses only the functions, operators, types and casts of PostgreSQL itself, and the
 * server limits it too.
 */
function narrow(timeoutMs: number): string {
  return `${READ_ONLY}; SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)};
    SET LOCAL work_mem = '16MB'; SET LOCAL max_parallel_workers_per_gather = 0;
    SELECT set_config('temp_file_limit', '1GB', true) WHERE current_setting('is_superuser') = 'on'`;
}

/** Settings of a session, whose statements only read unless they are marked as writing. */
const WRITING = 'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE';

/** Rows of a stream that are read together. */
const PIECE = 1000;

/** A statement that changes data and returns rows. */
const RETURNS = /\breturning\b/i;

interface Sent extends Bound {
  readonly written: string;
  readonly values: SentValue[];
}

/** The server's description of a statement: the types of its placeholders, and its columns. */
interface SentDescription {
  readonly types: readonly number[];
  readonly columns?: readonly SentColumn[] | null;
}

class PostgresSession implements SqlSession {
  private readonly client: Client;
  private readonly settings: DatabaseSettings;
  private readonly deps: SessionDeps;
  private readonly sockets = new SessionSockets();
  private readonly open = new OpenWork(postgresError);
  /** Whether a cancel request was sent. It may arrive late and end the next statement, so the session is not used again. */
  private isCancelled = false;
  private isClosed = false;
  /** Descriptions by statement. */
  private readonly described = new Map<string, SentDescription>();
  private readonly ownTypes: OwnTypes = new Map();

  constructor(driver: typeof postgres, settings: DatabaseSettings, deps: SessionDeps) {
    this.settings = settings;
    this.deps = deps;
    const { host, port, database, user, password } = settings;
    this.client = driver({
      host,
      port,
      database,
      username: user,
      // A function, so that variables of the environment are ignored.
      password: () => password,
      // The socket is encrypted already.
      ssl: false,
      max: 1,
      connect_timeout: 0,
      idle_timeout: 0,
      max_lifetime: null,
      onnotice: () => {},
      connection: SESSION,
      types,
      fetch_types: false,
      socket: () => this.socket(),
    } as object) as Client;
  }

  about(signal: AbortSignal): Promise<string> {
    return this.own(signal, async () => {
      const rows = await this.sent(this.client.unsafe('SELECT version() AS version'), signal);
      // Without the details of its compilation.
      return String(rows[0]?.['version']).replace(/ (?:on|\(compiled) .*$/s, '');
    });
  }

  tables(signal: AbortSignal): Promise<ConnectionTables> {
    return this.own(signal, async () => {
      const rows = await this.sent(this.client.unsafe(COLUMNS), signal);
      return tablesOf([...rows] as unknown as ListedColumn[]);
    });
  }

  describe({ sql, change }: AskedDescription, signal: AbortSignal): Promise<DescribedColumn[]> {
    return this.own(signal, async () => {
      if (!change) checkRead(sql, 'postgres');
      const bound = bind(sql, 'postgres');
      const nulls = bound.names.map(() => null);
      // Unnamed, so that it leaves nothing in the session.
      const query = this.client.unsafe(bound.text, nulls, { prepare: false, simple: false } as object);
      const statement = await this.sent(query.describe() as unknown as Query, signal, {
        ...bound,
        written: sql,
        values: nulls,
      });
      const { columns } = statement as unknown as SentDescription;
      if (!columns || columns.length === 0) return [];
      checkColumnNames(columns.map(({ name }) => name));
      await this.learn(columns, signal);
      const origins = await this.sent(this.client.unsafe(ORIGINS, originsOf(columns)), signal);
      return describedColumns(sql, columns, [...origins] as never, this.ownTypes);
    });
  }

  query(statement: SqlStatement, limits: ReadLimits, signal: AbortSignal): Promise<SqlRow[]> {
    const { maxRows, maxBytes, timeoutMs, isForeign = false } = limits;
    return this.open.run(signal, async () => {
      checkRead(statement.sql, 'postgres');
      const sent = await this.bound(statement, signal);
      const stop = this.sockets.counting(maxBytes);
      try {
        // All statements are sent together: the transaction and the reset cost no round trips.
        this.aside(isForeign ? narrow(timeoutMs) : READ_ONLY);
        const reading = this.sent(this.asked(sent, !isForeign).execute(), signal, sent);
        this.reset(isForeign ? FULL : ROLLBACK, reading);
        const rows = await reading;
        if (rows.length > maxRows) throw tooManyRows(maxRows);
        return await this.rows(statement, rows, signal);
      } finally {
        stop();
      }
    });
  }

  async *stream(statement: SqlStatement, signal: AbortSignal): AsyncGenerator<SqlRow[]> {
    const end = this.open.begin();
    let stop = this.sockets.counting(OWN_BYTES);
    try {
      checkRead(statement.sql, 'postgres');
      const sent = await this.bound(statement, signal);
      // The columns are described before the cursor, during which the session can run nothing else.
      const { columns } = await this.describedOf(sent, signal);
      await this.learn(columns ?? [], signal);
      stop();
      const change = rowChanger(statement, columns ?? [], this.ownTypes);
      this.aside(READ_ONLY);
      stop = this.sockets.counting(PIECE_BYTES, tooLargePiece());
      for await (const piece of this.read(sent, PIECE, signal)) {
        stop();
        yield change(piece);
        stop = this.sockets.counting(PIECE_BYTES, tooLargePiece());
      }
    } catch (error) {
      throw this.open.causeOf(error, signal);
    } finally {
      this.reset(ROLLBACK);
      end();
      stop();
    }
  }

  execute(
    statements: readonly SqlStatement[],
    { maxRows, maxBytes }: SqlLimits,
    signal: AbortSignal,
  ): Promise<SqlChange[]> {
    return this.open.run(signal, async () => {
      const stop = this.sockets.counting(maxBytes);
      const isMany = statements.length > 1;
      try {
        const changes: SqlChange[] = [];
        this.aside(isMany ? 'BEGIN READ WRITE' : WRITING);
        for (const statement of statements) {
          checkCopy(statement.sql);
          const sent = await this.bound(statement, signal);
          if (RETURNS.test(statement.sql)) await this.checkColumns(sent, signal);
          const result = await this.sent(this.asked(sent), signal, sent);
          if (result.length > maxRows) throw tooManyRows(maxRows);
          changes.push({ count: result.count ?? 0, rows: await this.rows(statement, result, signal) });
        }
        // Deferred constraints are checked only now.
        if (isMany) await this.sent(this.client.unsafe('COMMIT'), signal);
        return changes;
      } finally {
        this.reset(FULL);
        stop();
      }
    });
  }

  /** Statements of the session itself, whose answers are small. */
  private own<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.open.run(signal, async () => {
      const stop = this.sockets.counting(OWN_BYTES, unasked(OWN_BYTES));
      try {
        return await work();
      } finally {
        stop();
      }
    });
  }

  get isOpen(): boolean {
    return !this.isClosed && !this.isCancelled && this.sockets.isOpen;
  }

  async settled(): Promise<boolean> {
    await this.open.ended();
    return this.isOpen;
  }

  close(): void {
    this.isClosed = true;
    this.sockets.close();
    void this.client.end({ timeout: 0 }).catch(() => {});
  }

  /** Queues a statement; only the session waits for its result. */
  private aside(text: string): void {
    this.open.add(this.client.unsafe(text).catch(() => this.sockets.own?.destroy()));
  }

  /** A session that cannot be reset is not used again. */
  private reset(text: string, after?: Promise<unknown>): void {
    const left = this.client.unsafe(text) as unknown as Promise<readonly (readonly unknown[])[]>;
    const drop = (): void => void this.sockets.own?.destroy();
    this.open.addReset(
      left.then((results) => results.at(-1)?.length === 0 || drop(), drop),
      drop,
      after,
    );
  }

  private asked({ text, values }: Sent, isKept = true): Query {
    return this.client.unsafe(text, values as string[], { prepare: isKept, simple: false } as object);
  }

  /** Yields batches of at most `rows` rows from a cursor. */
  private async *read(sent: Sent, rows: number, signal: AbortSignal): AsyncGenerator<SqlRow[]> {
    const query = this.asked(sent);
    const done = this.cancelling(query, signal);
    try {
      for await (const piece of query.cursor(rows)) yield [...piece] as SqlRow[];
    } catch (error) {
      throw postgresError(error, sent);
    } finally {
      done();
    }
  }

  private async sent(query: Query, signal: AbortSignal, sent?: Sent) {
    const done = this.cancelling(query, signal);
    try {
      return await query;
    } catch (error) {
      throw postgresError(error, sent);
    } finally {
      done();
    }
  }

  /** Cancels the statement when the signal aborts; the returned function reports that the statement has ended. */
  private cancelling(query: Query, signal: AbortSignal): () => void {
    let cut: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      this.isCancelled = true;
      cut = setTimeout(() => this.close(), GRACE_MS);
      // The types of the driver omit that this is a promise; without the repair of the driver nobody would handle its rejection.
      const cancelling = Promise.resolve(query.cancel() as unknown);
      cancelling.catch(() => this.close());
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    return () => {
      clearTimeout(cut);
      signal.removeEventListener('abort', cancel);
    };
  }

  private async bound(asked: SqlStatement, signal: AbortSignal): Promise<Sent> {
    const { bound, values: given } = fill(asked, 'postgres');
    const sent: Sent = { ...bound, written: asked.sql, values: [] };
    // Only lists need the types: some types expect JSON, others a list of the database.
    const known = given.some(Array.isArray) ? (await this.describedOf(sent, signal)).types : [];
    const values = given.map((value, i) => sentValue(bound, bound.names[i] as string, value, known[i]));
    return { ...sent, values };
  }

  private async describedOf(sent: Sent, signal: AbortSignal): Promise<SentDescription> {
    const known = this.described.get(sent.text);
    if (known !== undefined) return known;
    const query = this.asked({ ...sent, values: sent.names.map(() => null) });
    const { types: found, columns } = (await this.sent(
      query.describe() as unknown as Query,
      signal,
      sent,
    )) as unknown as SentDescription;
    const description = { types: found, columns: columns ?? null };
    this.described.set(sent.text, description);
    return description;
  }

  /** Checks the columns before a change whose rows could not be represented. */
  private async checkColumns(sent: Sent, signal: AbortSignal): Promise<void> {
    const { columns } = await this.describedOf(sent, signal);
    checkColumnNames((columns ?? []).map(({ name }) => name));
  }

  private async rows(
    statement: SqlStatement,
    result: Iterable<unknown> & { readonly columns?: unknown },
    signal: AbortSignal,
  ): Promise<SqlRow[]> {
    const columns = (result.columns ?? []) as readonly SentColumn[];
    await this.learn(columns, signal);
    return rowChanger(statement, columns, this.ownTypes)([...result] as SqlRow[]);
  }

  private async learn(columns: readonly SentColumn[], signal: AbortSignal): Promise<void> {
    const asked = unknownTypes(columns, this.ownTypes);
    if (asked.length === 0) return;
    const query = this.client.unsafe(OWN_TYPES, [`{${asked.join(',')}}`], { prepare: false } as object);
    learnTypes(this.ownTypes, asked, [...(await this.sent(query, signal))] as never);
  }

  /** The driver requests one socket, and another one for each cancel request; it never reconnects. */
  private async socket(): Promise<Socket> {
    const isOwn = this.sockets.own === undefined;
    if (this.isClosed || (!isOwn && !this.isCancelled)) throw connectionLost(this.settings.host);
    const plain = await this.deps.connect(this.sockets.signal, !isOwn);
    this.sockets.add(plain);
    const secure = tlsOptions(this.settings);
    const socket = secure === undefined ? plain : await encrypted(plain, secure);
    if (this.isClosed) socket.destroy();
    if (isOwn) this.sockets.watch(socket);
    return socket;
  }
}

/** Requests encryption in clear text, as the protocol requires. Bytes that arrive before the encryption begins are refused. */
async function encrypted(plain: Socket, options: tls.ConnectionOptions): Promise<Socket> {
  const answer = await new Promise<Buffer>((resolve, reject) => {
    plain.once('error', reject);
    plain.once('close', () => reject(connectionLost('The database')));
    plain.once('data', (data) => {
      plain.pause();
      resolve(data);
    });
    plain.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  });
  if (answer.length !== 1 || answer[0] !== 0x53) {
    plain.destroy();
    throw offersNoTls();
  }
  return startTls(plain, options, notEncrypted);
}
