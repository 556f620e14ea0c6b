import type mysql from 'mysql2';
import type { Connection, FieldPacket } from 'mysql2';
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
import { bind } from '../../placeholders.ts';
import { checkRead } from '../../reads.ts';
import { connectionLost, harmlessToServers, tlsOptions, untilAborted } from '../../servers.ts';
import {
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
import { describedColumns } from './columns.ts';
import { mysqlError } from './errors.ts';
import { writesOfGrants } from './grants.ts';
import { COLUMNS, limitsOf, setupOf } from './setup.ts';
import { OpenWork, OWN_BYTES, SessionSockets } from '../../open-work.ts';
import { changeOf, checkNames, filled, type Filled, reader } from './values.ts';
import { hasOffset, inUtc, timeRefusal, Times } from './times.ts';

type Driver = Pick<typeof mysql, 'createConnection'>;

export default defineKind({
  use: 'sql',
  name: 'mysql',
  title: 'MySQL or MariaDB',
  doc: 'A MySQL or MariaDB database.',
  settings: z.strictObject(databaseFields({ port: 3306, user: 'root' })),
  harmless: harmlessToServers,
  most: ({ most }) => most,
  destination: ({ host, port }) => ({ host, port }),
  writes: async (_settings, query) => writesOfGrants(await query('SHOW GRANTS')),
  async open(settings, deps, signal) {
    const { default: driver } = await import('mysql2');
    const session = new MysqlSession(driver, settings, deps);
    try {
      await untilAborted(signal, session.start());
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  },
});

/** Rows of a stream that are passed on together. */
const PIECE = 1000;

/** A statement that changes data and returns rows. */
const RETURNS = /\breturning\b/i;

class MysqlSession implements SqlSession {
  private readonly driver: Driver;
  private readonly settings: DatabaseSettings;
  private readonly deps: SessionDeps;
  private readonly sockets = new SessionSockets();
  private readonly under = new OpenWork(mysqlError);
  private connection: Connection | undefined = undefined;
  /** The version of the server. */
  private version = '';
  private isClosed = false;
  /** Whether a kill was sent. It may arrive late and end the next statement, so the session is not used again. */
  private isKilled = false;
  /** Placeholders for time columns, by statement. */
  private readonly times = new Map<string, ReadonlySet<number>>();

  constructor(driver: Driver, settings: DatabaseSettings, deps: SessionDeps) {
    this.driver = driver;
    this.settings = settings;
    this.deps = deps;
  }

  async start(): Promise<void> {
    try {
      const { connection } = await this.connect();
      this.connection = connection;
      this.version = await versionOf(connection);
      await this.setup();
    } catch (error) {
      throw mysqlError(error);
    }
  }

  about(signal: AbortSignal): Promise<string> {
    return this.own(signal, async () => {
      await this.all('SELECT 1', signal);
      return this.version.includes('MariaDB') ? this.version : `MySQL ${this.version}`;
    });
  }

  tables(signal: AbortSignal): Promise<ConnectionTables> {
    return this.own(signal, async () => {
      const rows = await this.all(COLUMNS, signal);
      return tablesOf(
        rows.map((row) => ({
          ...row,
          view: row['view'] === 1,
          nullable: row['nullable'] === 1,
          key: row['key'] === 1,
        })) as unknown as ListedColumn[],
        '`',
      );
    });
  }

  describe({ sql, change }: AskedDescription, signal: AbortSignal): Promise<DescribedColumn[]> {
    return this.own(signal, async () => {
      if (!change) checkRead(sql, 'mysql');
      const { text, names } = bind(sql, 'mysql');
      const done = this.cancelling(signal);
      try {
        // A change is not even prepared while the session can only read; nothing executes it.
        if (change) await this.plain('SET SESSION TRANSACTION READ WRITE');
        const columns = await this.columns(text);
        this.open().unprepare(text);
        checkNames(columns);
        return describedColumns(text, columns, names.length > 0);
      } finally {
        await done();
        if (change) this.reset();
      }
    });
  }

  query(statement: SqlStatement, limits: ReadLimits, signal: AbortSignal): Promise<SqlRow[]> {
    return this.under.run(signal, async () => {
      checkRead(statement.sql, 'mysql');
      const stop = this.sockets.counting(limits.maxBytes);
      try {
        if (limits.isForeign === true) await this.narrow(limits.timeoutMs);
        return await this.withTimes(filled(statement), async (asked) => {
          const rows: SqlRow[] = [];
          for await (const row of this.rows(asked, signal)) {
            if (rows.push(row) > limits.maxRows) throw tooManyRows(limits.maxRows);
          }
          await this.checkOffsets(asked, signal);
          return rows;
        });
      } finally {
        stop();
        this.reset();
      }
    });
  }

  async *stream(statement: SqlStatement, signal: AbortSignal): AsyncGenerator<SqlRow[]> {
    const end = this.under.begin();
    const count = () => this.sockets.counting(PIECE_BYTES, tooLargePiece());
    let stop = count();
    try {
      checkRead(statement.sql, 'mysql');
      const asked = filled(statement);
      let piece: SqlRow[] = [];
      for await (const row of this.rows(asked, signal)) {
        if (piece.push(row) < PIECE) continue;
        stop();
        yield piece;
        piece = [];
        stop = count();
      }
      if (piece.length > 0) yield piece;
      await this.checkOffsets(asked, signal).catch((error: unknown) => Promise.reject(inUtc(error) as Error));
    } catch (error) {
      throw this.under.causeOf(error, signal);
    } finally {
      this.reset();
      end();
      stop();
    }
  }

  execute(
    statements: readonly SqlStatement[],
    { maxRows, maxBytes }: SqlLimits,
    signal: AbortSignal,
  ): Promise<SqlChange[]> {
    return this.under.run(signal, async () => {
      const stop = this.sockets.counting(maxBytes);
      // The rows that a change returns may be refused; the change is then rolled back.
      const isMany = statements.length > 1 || RETURNS.test(statements[0]?.sql ?? '');
      try {
        await this.plain('SET SESSION TRANSACTION READ WRITE');
        if (isMany) await this.plain('START TRANSACTION');
        const changes: SqlChange[] = [];
        for (const statement of statements) {
          const asked = filled(statement);
          const change = await this.withTimes(asked, (tried) => this.change(tried, signal));
          if (change.rows.length > maxRows) throw tooManyRows(maxRows);
          changes.push(change);
        }
        if (isMany) await this.plain('COMMIT');
        return changes;
      } finally {
        stop();
        this.reset();
      }
    });
  }

  /** Statements of the session itself, whose answers are small. */
  private own<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.under.run(signal, async () => {
      const stop = this.sockets.counting(OWN_BYTES, unasked(OWN_BYTES));
      try {
        return await work();
      } finally {
        stop();
      }
    });
  }

  get isOpen(): boolean {
    return !this.isClosed && !this.isKilled && this.sockets.isOpen;
  }

  async settled(): Promise<boolean> {
    await this.under.ended();
    return this.isOpen;
  }

  close(): void {
    this.isClosed = true;
    this.connection?.destroy();
    this.sockets.close();
  }

  private async all(sql: string, signal: AbortSignal): Promise<SqlRow[]> {
    const rows: SqlRow[] = [];
    const asked = { text: sql, values: [], bytes: undefined };
    for await (const row of this.rows(asked, signal)) rows.push(row);
    return rows;
  }

  /** Times with a zone are converted to UTC once the server has refused them as they are. */
  private async withTimes<T>(asked: Filled, work: (asked: Filled) => Promise<T>): Promise<T> {
    const times = new Times(this.times.get(asked.text));
    for (;;) {
      try {
        const done = await work({ ...asked, values: times.apply(asked.values) });
        if (times.places.size > 0) this.times.set(asked.text, times.places);
        return done;
      } catch (error) {
        const { errno, sqlMessage } = error as { readonly errno?: unknown; readonly sqlMessage?: unknown };
        const refusal = timeRefusal(errno, sqlMessage);
        if (refusal === undefined || !times.next(refusal, asked.values)) throw error;
      }
    }
  }

  /** A read drops the offset of a time with a warning, and compares another time. Throws the error that a change would. */
  private async checkOffsets({ values }: Filled, signal: AbortSignal): Promise<void> {
    const offsets = values.filter(hasOffset);
    if (offsets.length === 0) return;
    const warnings = await this.all('SHOW WARNINGS', signal);
    for (const { Code: errno, Message: message } of warnings) {
      const refusal = timeRefusal(errno, message);
      if (refusal !== undefined && offsets.includes(refusal.value))
        throw Object.assign(new Error(refusal.message), { errno, sqlMessage: refusal.message });
    }
  }

  private columns(text: string): Promise<FieldPacket[]> {
    return new Promise((resolve, reject) => {
      this.open().prepare(text, (error, statement) =>
        error ? reject(error) : resolve((statement as unknown as { columns: FieldPacket[] }).columns),
      );
    });
  }

  /** Yields row by row; a stream that is not read to its end costs its session, because its remaining rows stay unread. */
  private async *rows({ text, values, bytes }: Filled, signal: AbortSignal): AsyncGenerator<SqlRow> {
    const command = this.open().execute({ sql: text, values: [...values] });
    const done = this.cancelling(signal);
    let fields: FieldPacket[] | undefined;
    let read: ((row: SqlRow) => SqlRow) | undefined;
    let isOver = false;
    command.on('fields', (found: FieldPacket[] | undefined) => void (fields = found));
    const stream = command.stream({ highWaterMark: PIECE });
    // The driver reports it to callbacks only.
    const lose = (): void => void stream.destroy(connectionLost('The database'));
    this.sockets.own?.once('close', lose);
    try {
      for await (const row of stream as AsyncIterable<SqlRow>) {
        if (fields === undefined) break;
        read ??= reader(fields, bytes);
        yield read(row);
      }
      isOver = true;
      if (fields !== undefined) reader(fields, bytes);
    } catch (error) {
      isOver = (error as { fatal?: boolean }).fatal !== true;
      throw error;
    } finally {
      this.sockets.own?.off('close', lose);
      await done();
      if (!isOver) this.close();
    }
  }

  private async change({ text, values, bytes }: Filled, signal: AbortSignal): Promise<SqlChange> {
    const done = this.cancelling(signal);
    try {
      return await new Promise<SqlChange>((resolve, reject) => {
        this.open().execute({ sql: text, values: [...values] }, (error, result, fields) => {
          if (error) return reject(error);
          try {
            resolve(changeOf(result, fields, bytes));
          } catch (fault) {
            reject(fault as Error);
          }
        });
      });
    } finally {
      await done();
    }
  }

  /** Kills the statement when the signal aborts; the returned function resolves when no kill is under way. */
  private cancelling(signal: AbortSignal): () => Promise<void> {
    let kill: Promise<void> | undefined;
    let cut: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      this.isKilled = true;
      cut = setTimeout(() => this.close(), GRACE_MS);
      kill = this.kill().catch(() => this.close());
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    return async () => {
      signal.removeEventListener('abort', cancel);
      await kill;
      clearTimeout(cut);
    };
  }

  private async kill(): Promise<void> {
    const { threadId } = this.open();
    const { connection } = await this.connect(true);
    try {
      await plain(connection, `KILL QUERY ${threadId}`);
    } finally {
      connection.destroy();
    }
  }

  private async narrow(timeoutMs: number): Promise<void> {
    await this.plain(limitsOf(this.version, timeoutMs));
    await this.plain('START TRANSACTION READ ONLY');
  }

  /** Resets the session to its initial state. */
  private reset(): void {
    if (!this.isOpen) return;
    const done = new Promise<void>((resolve, reject) => {
      this.open().reset((error: Error | null) => (error ? reject(error) : resolve()));
    }).then(() => this.setup());
    const close = (): void => this.close();
    this.under.addReset(done.catch(close), close);
  }

  private setup(): Promise<void> {
    return this.plain(setupOf(this.version));
  }

  private plain(text: string): Promise<void> {
    return plain(this.open(), text);
  }

  private open(): Connection & { reset(done: (error: Error | null) => void): void } {
    if (this.connection === undefined || this.isClosed) throw connectionLost('The database');
    return this.connection as never;
  }

  private async connect(ends = false): Promise<{ connection: Connection }> {
    const { user, password, database } = this.settings;
    const secure = tlsOptions(this.settings);
    const socket = await this.deps.connect(this.sockets.signal, ends);
    this.sockets.add(socket);
    if (!ends) this.sockets.watch(socket);
    if (this.isClosed) socket.destroy();
    const connection = this.driver.createConnection({
      host: this.settings.host,
      user,
      password,
      database,
      stream: socket,
      charset: 'utf8mb4',
      timezone: 'Z',
      dateStrings: true,
      supportBigNumbers: true,
      jsonStrings: true,
      // Otherwise the driver compiles its row parsers from the names of columns.
      disableEval: true,
      connectTimeout: 0,
      ...(secure && { ssl: { ...secure, verifyIdentity: secure.rejectUnauthorized } }),
    });
    failOnBadPackets(connection, () => this.close());
    await new Promise<void>((resolve, reject) => {
      connection.on('error', reject);
      socket.once('close', () => reject(connectionLost('The database')));
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
    return { connection };
  }
}

/** The driver reads an unexpected packet outside of its own error handling, which would end the process. */
export function failOnBadPackets(connection: Connection, fail: () => void): void {
  const reading = connection as unknown as { handlePacket(packet: unknown): void };
  const handle = reading.handlePacket.bind(connection);
  reading.handlePacket = (packet) => {
    try {
      handle(packet);
    } catch {
      fail();
    }
  };
}

function versionOf(connection: Connection): Promise<string> {
  return new Promise((resolve, reject) => {
    connection.query('SELECT version() AS version', (error, rows) =>
      error ? reject(error) : resolve(String((rows as SqlRow[])[0]?.['version'])),
    );
  });
}

function plain(connection: Connection, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(text, (error) => (error ? reject(error) : resolve()));
  });
}
