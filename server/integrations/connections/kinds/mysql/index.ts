import type { Socket } from 'node:net';
import type mysql from 'mysql2';
import type { Connection, FieldPacket } from 'mysql2';
import { z } from 'zod';
import type { SqlChange, SqlLimits, SqlRow, SqlStatement } from '#engine';
import type { ConnectionTables } from '#shared/connection.ts';
import type { DescribedColumn } from '#shared/described.ts';
import { parseKeepingDigits } from '#shared/lost-digits.ts';
import { defineKind, type ReadLimits, type SessionDeps, type SqlSession } from '../../kind.ts';
import { bind, valuesFor } from '../../placeholders.ts';
import { checkRead } from '../../reads.ts';
import { connectionLost, harmlessToServers, tlsOptions, untilAborted } from '../../servers.ts';
import {
  databaseFields,
  type DatabaseSettings,
  decimalOf,
  GRACE_MS,
  type ListedColumn,
  MAX_COLUMNS,
  tablesOf,
  databaseText,
  tooManyRows,
} from '../../sql-common.ts';
import { describedColumns } from './columns.ts';
import { mysqlError } from './errors.ts';
import { writesOfGrants } from './grants.ts';
import { OpenWork, SessionSockets } from '../../open-work.ts';

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

/** Rows of a stream that are passed on at once. */
const PIECE = 1000;

/** Reading is what a session may do, unless it is told otherwise. */
function setupOf(version: string): string {
  const readOnly = version.includes('MariaDB') ? 'tx_read_only' : 'transaction_read_only';
  return `SET SESSION time_zone = '+00:00', SESSION ${readOnly} = 1,
    SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`;
}

/** A statement that a model has written is also limited by the server; each has a variable of its own for that. */
function limitsOf(version: string, timeoutMs: number): string {
  if (!version.includes('MariaDB')) return `SET SESSION max_execution_time = ${Math.ceil(timeoutMs)}`;
  return `SET SESSION max_statement_time = ${timeoutMs / 1000}, SESSION max_session_mem_used = 268435456`;
}

class MysqlSession implements SqlSession {
  private readonly driver: Driver;
  private readonly settings: DatabaseSettings;
  private readonly deps: SessionDeps;
  private readonly sockets = new SessionSockets();
  private readonly under = new OpenWork(mysqlError);
  private connection: Connection | undefined = undefined;
  /** Of the server. */
  private version = '';
  private isClosed = false;
  /** A kill may reach the server late and end the next statement, so there is none. */
  private isKilled = false;

  constructor(driver: Driver, settings: DatabaseSettings, deps: SessionDeps) {
    this.driver = driver;
    this.settings = settings;
    this.deps = deps;
  }

  async start(): Promise<void> {
    try {
      const { connection, socket } = await this.connect();
      this.connection = connection;
      this.sockets.own = socket;
      this.version = await versionOf(connection);
      await this.setup();
    } catch (error) {
      throw mysqlError(error);
    }
  }

  about(signal: AbortSignal): Promise<string> {
    return this.under.run(signal, async () => {
      await this.all('SELECT 1', signal);
      return this.version.includes('MariaDB') ? this.version : `MySQL ${this.version}`;
    });
  }

  tables(signal: AbortSignal): Promise<ConnectionTables> {
    return this.under.run(signal, async () => {
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

  describe(sql: string, signal: AbortSignal): Promise<DescribedColumn[]> {
    return this.under.run(signal, async () => {
      checkRead(sql, 'mysql');
      const { text, names } = bind(sql, 'mysql');
      const done = this.cancelling(signal);
      try {
        const columns = await new Promise<FieldPacket[]>((resolve, reject) => {
          this.open().prepare(text, (error, statement) =>
            error ? reject(error) : resolve((statement as unknown as { columns: FieldPacket[] }).columns),
          );
        });
        this.open().unprepare(text);
        return describedColumns(text, columns, names.length > 0);
      } finally {
        await done();
      }
    });
  }

  query(statement: SqlStatement, limits: ReadLimits, signal: AbortSignal): Promise<SqlRow[]> {
    return this.under.run(signal, async () => {
      checkRead(statement.sql, 'mysql');
      const stop = this.sockets.counting(limits.maxBytes);
      try {
        if (limits.isForeign === true) await this.narrow(limits.timeoutMs);
        const rows: SqlRow[] = [];
        for await (const row of this.rows(statement, signal)) {
          if (rows.push(row) > limits.maxRows) throw tooManyRows(limits.maxRows);
        }
        return rows;
      } finally {
        stop();
        this.reset();
      }
    });
  }

  async *stream(statement: SqlStatement, signal: AbortSignal): AsyncGenerator<SqlRow[]> {
    const end = this.under.begin();
    try {
      checkRead(statement.sql, 'mysql');
      let piece: SqlRow[] = [];
      for await (const row of this.rows(statement, signal)) {
        if (piece.push(row) < PIECE) continue;
        yield piece;
        piece = [];
      }
      if (piece.length > 0) yield piece;
    } catch (error) {
      throw this.under.told(error, signal);
    } finally {
      this.reset();
      end();
    }
  }

  execute(
    statements: readonly SqlStatement[],
    { maxRows, maxBytes }: SqlLimits,
    signal: AbortSignal,
  ): Promise<SqlChange[]> {
    return this.under.run(signal, async () => {
      const stop = this.sockets.counting(maxBytes);
      const isMany = statements.length > 1;
      try {
        await this.plain('SET SESSION TRANSACTION READ WRITE');
        if (isMany) await this.plain('START TRANSACTION');
        const changes: SqlChange[] = [];
        for (const statement of statements) {
          const change = await this.change(statement, signal);
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
    for await (const row of this.rows({ sql, params: {} }, signal)) rows.push(row);
    return rows;
  }

  /** Row by row; one that is not read to its end costs the session, whose rest nobody wants. */
  private async *rows(statement: SqlStatement, signal: AbortSignal): AsyncGenerator<SqlRow> {
    const { text, values } = bound(statement);
    const command = this.open().execute({ sql: text, values });
    const done = this.cancelling(signal);
    let read: ((row: SqlRow) => SqlRow) | undefined;
    let isOver = false;
    command.on('fields', (fields: FieldPacket[] | undefined) => void (read = fields && reader(fields)));
    const stream = command.stream({ highWaterMark: PIECE });
    // The driver tells only callbacks.
    const lose = (): void => void stream.destroy(connectionLost('The database'));
    this.sockets.own?.once('close', lose);
    try {
      for await (const row of stream as AsyncIterable<SqlRow>) {
        if (read === undefined) break;
        yield read(row);
      }
      isOver = true;
    } catch (error) {
      isOver = (error as { fatal?: boolean }).fatal !== true;
      throw error;
    } finally {
      this.sockets.own?.off('close', lose);
      await done();
      if (!isOver) this.close();
    }
  }

  private async change(statement: SqlStatement, signal: AbortSignal): Promise<SqlChange> {
    const { text, values } = bound(statement);
    const done = this.cancelling(signal);
    try {
      return await new Promise<SqlChange>((resolve, reject) => {
        this.open().execute({ sql: text, values }, (error, result, fields) => {
          if (error) return reject(error);
          if (!Array.isArray(result)) return resolve({ count: result.affectedRows, rows: [] });
          const rows = (result as SqlRow[]).map(reader(fields));
          resolve({ count: rows.length, rows });
        });
      });
    } finally {
      await done();
    }
  }

  /** Kills the statement when the signal aborts; the returned function waits until no kill is under way. */
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

  /** Everything of the session is as at its start. */
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

  private async connect(ends = false): Promise<{ connection: Connection; socket: Socket }> {
    const { user, password, database } = this.settings;
    const secure = tlsOptions(this.settings);
    const socket = await this.deps.connect(this.sockets.signal, ends);
    this.sockets.add(socket);
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
      // Its parsers for rows are otherwise made from the names of columns.
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
    return { connection, socket };
  }
}

/** The driver reads a packet that it did not ask for outside of its own error handling, and would end the process. */
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

type Bindable = string | number | Uint8Array | null;

function bound(asked: SqlStatement): { readonly text: string; readonly values: Bindable[] } {
  const statement = bind(asked.sql, 'mysql');
  const given = valuesFor(statement, asked);
  return {
    text: statement.text,
    values: given.map((value, i) => bindable(statement.names[i] as string, value)),
  };
}

/** Numbers stay numbers: LIMIT takes no text. */
function bindable(name: string, value: unknown): Bindable {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return databaseText(name, value);
}

/** Types of columns in the protocol. */
const DECIMALS = new Set([0, 246]);
const TIMESTAMP = 7;
const DATETIME = 12;
const BIT = 16;
const JSON_TYPE = 245;

function reader(fields: readonly FieldPacket[]): (row: SqlRow) => SqlRow {
  const converted = fields.flatMap((field) => {
    const { name, columnType: type, type: other } = field;
    // MariaDB sends JSON as a text that says so.
    const isJson = (field as { extendedFormat?: string }).extendedFormat === 'json';
    const read = readerOf(isJson ? JSON_TYPE : (type ?? other ?? -1));
    return read === undefined ? [] : [[name, read] as const];
  });
  return (row) => {
    for (const [name, read] of converted) if (row[name] !== null) row[name] = read(row[name]);
    for (const [name, value] of Object.entries(row))
      if (value instanceof Uint8Array) row[name] = Buffer.from(value).toString('base64');
    return row;
  };
}

function readerOf(type: number): ((value: unknown) => unknown) | undefined {
  if (DECIMALS.has(type)) return (value) => decimalOf(String(value));
  if (type === JSON_TYPE) return (value) => parseKeepingDigits(String(value));
  if (type === DATETIME) return (value) => String(value).replace(' ', 'T');
  if (type === TIMESTAMP) return (value) => `${String(value).replace(' ', 'T')}Z`;
  if (type !== BIT) return undefined;
  return (value) => (value instanceof Uint8Array && value.length === 1 ? value[0] : value);
}

const COLUMNS = `
  SELECT t.table_name AS \`table\`, t.table_type <> 'BASE TABLE' AS view, c.column_name AS name,
    c.column_type AS type, c.is_nullable = 'YES' AS nullable, c.column_key = 'PRI' AS \`key\`
  FROM information_schema.columns AS c
  JOIN information_schema.tables AS t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  WHERE c.table_schema = database()
  ORDER BY t.table_name, c.ordinal_position
  LIMIT ${MAX_COLUMNS + 1}`;
