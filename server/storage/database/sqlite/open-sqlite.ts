import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isCut } from '../../../base/adapters/lost-data.ts';
import { StartError } from '../../../base/errors/start-error.ts';
import { isRefusedByDisk } from '../../../base/errors/storage-refusal.ts';
import { refusedStart } from '../../../base/files/storage-start.ts';
import { Statements } from '../../../base/adapters/statements.ts';
import type { Migration } from '../migration.ts';
import type { Sql, SqlStatement, SqlTransaction, SqlValue, TransactionOptions } from '../sql.ts';
import { migrateSqlite } from './migrate-sqlite.ts';
import { SqliteThread, storageFailed } from './sqlite-thread.ts';

/** How long a read waits where the file is being recovered, in milliseconds. */
const BUSY_MS = 1000;

/** What a thread runs where nothing else is said. */
const PROGRAM = new URL('./thread.js', import.meta.url);

interface SqliteOptions {
  /**
   * For a file whose reads may take long: what its threads run, of which one reads then. It calls `serve`, perhaps with
   * functions that the statements need.
   */
  readonly program?: URL;
}

type Reads = Pick<Sql, 'all' | 'first' | 'close'>;

/**
 * Opens a SQLite file, whose folder must exist, with its tables at the newest format; creates the file. Reads happen on
 * the calling thread unless a `program` is given, and never wait for a writer (write-ahead log); writes happen in a thread
 * that starts with the first one. Throws a `StartError` if the file is no such database, is newer than this program, or
 * cannot be written.
 */
export function openSqlite(
  file: string,
  migrations: readonly Migration[],
  { program }: SqliteOptions = {},
): Sql {
  const db = openFile(file, migrations);
  const reads =
    program === undefined
      ? readsHere(db)
      : readsApart(db, new SqliteThread(program, { file, writes: false }));
  const writer = new SqliteThread(program ?? PROGRAM, { file, writes: true });
  const turns = new Turns();
  const write = (asked: readonly SqlStatement[], { synced = false }: TransactionOptions = {}) =>
    turns.one(() => writer.call<number[]>({ op: 'batch', statements: asked.map(toSend), synced }));
  return {
    all: reads.all,
    first: reads.first,
    async run(text, ...values) {
      const [changed] = await write([[text, ...values]]);
      return changed as number;
    },
    batch: write,
    transaction: (work, { synced = false } = {}) =>
      turns.alone(async () => {
        await writer.call({ op: 'begin', synced });
        let commit = false;
        try {
          const result = await work(transactionOf(writer));
          commit = true;
          return result;
        } finally {
          await writer.call({ op: 'end', commit });
        }
      }),
    async close() {
      await writer.close();
      await reads.close();
    },
  };
}

function readsHere(db: DatabaseSync): Reads {
  const statements = new Statements(db);
  return {
    async all<Row extends object>(text: string, ...values: SqlValue[]) {
      return reading(() => statements.get(text).all(...values) as Row[]);
    },
    async first<Row extends object>(text: string, ...values: SqlValue[]) {
      return reading(() => statements.get(text).get(...values) as Row | undefined);
    },
    async close() {
      if (db.isOpen) db.close();
    },
  };
}

function readsApart(db: DatabaseSync, reader: SqliteThread): Reads {
  db.close();
  return { ...readsOf(reader), close: () => reader.close() };
}

function transactionOf(writer: SqliteThread): SqlTransaction {
  return {
    ...readsOf(writer),
    async run(...statement) {
      const [changed] = await writer.call<[number]>({ op: 'write', statement: toSend(statement) });
      return changed;
    },
  };
}

function readsOf(thread: SqliteThread): Pick<Reads, 'all' | 'first'> {
  const read = <Row>(statement: SqlStatement) =>
    thread.call<Row[]>({ op: 'read', statement: toSend(statement) });
  return {
    all: (...statement) => read(statement),
    async first<Row extends object>(...statement: SqlStatement) {
      const [row] = await read<Row>(statement);
      return row;
    },
  };
}

/** Posting a view of bytes sends its whole buffer, so parts are copied. */
function toSend(statement: SqlStatement): SqlStatement {
  if (!statement.some(isPart)) return statement;
  const [text, ...values] = statement;
  return [text, ...values.map((value) => (isPart(value) ? new Uint8Array(value) : value))];
}

function isPart(value: SqlValue): value is Uint8Array {
  return value instanceof Uint8Array && value.byteLength < value.buffer.byteLength;
}

function openFile(file: string, migrations: readonly Migration[]): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0 && isCut(file))
      throw new Error('it ends too early');
    db = new DatabaseSync(file, { timeout: BUSY_MS });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    migrateSqlite(db, file, migrations);
    db.exec('PRAGMA query_only = ON');
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof StartError) throw error;
    const { message } = error as Error;
    if (isRefusedByDisk(error)) throw refusedStart(dirname(file), message);
    throw new StartError(`Cannot open ${file} (${message}): repair it, or move it away to start without it.`);
  }
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isRefusedByDisk(error)) throw storageFailed((error as Error).message);
    throw error;
  }
}

/**
 * Schedules writes: many single writes at once, or one transaction alone. Each gets its turn in the order of the
 * requests.
 */
class Turns {
  private isHeld = false;
  private readonly queue: { readonly alone: boolean; readonly begin: () => void }[] = [];

  /** For a write that is sent as a whole. */
  one<T>(write: () => Promise<T>): Promise<T> {
    if (!this.isHeld) return write();
    return new Promise((resolve, reject) => {
      const begin = (): void => void write().then(resolve, reject);
      this.queue.push({ alone: false, begin });
    });
  }

  /** For several writes that no other write may interrupt. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.isHeld) await new Promise<void>((begin) => void this.queue.push({ alone: true, begin }));
    this.isHeld = true;
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private next(): void {
    this.isHeld = false;
    for (let turn = this.queue.shift(); turn !== undefined; turn = this.queue.shift()) {
      this.isHeld = turn.alone;
      turn.begin();
      if (turn.alone) return;
    }
  }
}
