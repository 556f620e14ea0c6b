import { DatabaseSync } from 'node:sqlite';
import { answerCalls, failureOf } from '../../../base/adapters/asked-thread.ts';
import { Statements } from '../../../base/adapters/statements.ts';
import { isReadOnly, isRefusedByDisk } from '../../../base/errors/storage-refusal.ts';
import type { SqlStatement } from '../sql.ts';
import type { SqliteCalls, SqliteReply, SqliteRequest, SqliteSetup } from './protocol.ts';

/** A thread of a file: owns its only connection that writes, or one that only reads, and answers requests in order. */

/** How long to wait for a command that writes the same file, in milliseconds. */
const BUSY_MS = 10_000;

type Batch = Extract<SqliteRequest, { readonly op: 'batch' }>;

let setup: SqliteSetup;
let connect: (file: string, timeout: number) => DatabaseSync;

let opened: { readonly db: DatabaseSync; readonly statements: Statements; synced: boolean } | undefined;

/** Opened by the first request that needs it; the next one retries if the file could not be used. */
function connection(): NonNullable<typeof opened> {
  if (opened !== undefined) return opened;
  const db = connect(setup.file, BUSY_MS);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  if (!setup.writes) db.exec('PRAGMA query_only = ON');
  opened = { db, statements: new Statements(db), synced: false };
  return opened;
}

function write([text, ...values]: SqlStatement): number {
  return Number(
    connection()
      .statements.get(text)
      .run(...values).changes,
  );
}

function begin(synced: boolean): void {
  const current = connection();
  if (current.synced !== synced) current.db.exec(`PRAGMA synchronous = ${synced ? 'FULL' : 'NORMAL'}`);
  current.synced = synced;
  current.db.exec('BEGIN IMMEDIATE');
}

function end(commit: boolean): void {
  const { db } = connection();
  try {
    if (commit) db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function transaction<T>(synced: boolean, work: () => T): T {
  begin(synced);
  let done = false;
  try {
    const result = work();
    done = true;
    return result;
  } finally {
    end(done);
  }
}

function batch({ statements, synced }: Batch): number[] {
  // A single statement is its own transaction.
  if (statements.length === 1 && !synced) return statements.map(write);
  return transaction(synced, () => statements.map(write));
}

/** Within a transaction that has others too. */
function batchAmongOthers({ statements }: Batch): number[] {
  if (statements.length === 1) return statements.map(write);
  const { db } = connection();
  db.exec('SAVEPOINT one');
  try {
    return statements.map(write);
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK TO one');
    throw error;
  } finally {
    if (db.isTransaction) db.exec('RELEASE one');
  }
}

function valueOf(request: SqliteRequest): Extract<SqliteReply, { readonly value: unknown }>['value'] {
  if (request.op === 'batch') return batch(request);
  if (request.op === 'write') return [write(request.statement)];
  if (request.op === 'read') {
    const [text, ...values] = request.statement;
    return connection()
      .statements.get(text)
      .all(...values) as Record<string, string>[];
  }
  if (request.op === 'begin') begin(request.synced);
  else if (request.op === 'end') end(request.commit);
  return null;
}

/** A file that was opened read-only stays read-only as long as it is open. */
function letGo(): void {
  opened?.db.close();
  opened = undefined;
}

function answer(request: SqliteRequest): SqliteReply {
  try {
    return { value: valueOf(request) };
  } catch (error) {
    if (isReadOnly(error)) letGo();
    return { error: failureOf(error) };
  }
}

/** In one transaction, because a commit costs more than most writes. An error of the disk fails all of them. */
function answerTogether(batches: readonly Batch[]): SqliteReply[] {
  const answerOne = (asked: Batch): SqliteReply => {
    try {
      return { value: batchAmongOthers(asked) };
    } catch (error) {
      if (isRefusedByDisk(error) || !connection().db.isTransaction) throw error;
      return { error: failureOf(error) };
    }
  };
  try {
    return transaction(false, () => batches.map(answerOne));
  } catch (error) {
    if (isReadOnly(error)) letGo();
    return batches.map(() => ({ error: failureOf(error) }));
  }
}

function answerAll(requests: readonly SqliteRequest[]): SqliteReply[] {
  const replies: SqliteReply[] = [];
  let together: Batch[] = [];
  const flush = (): void => {
    replies.push(...(together.length > 1 ? answerTogether(together) : together.map(answer)));
    together = [];
  };
  for (const request of requests) {
    if (request.op === 'batch' && !request.synced) together.push(request);
    else {
      flush();
      replies.push(answer(request));
    }
  }
  flush();
  return replies;
}

/**
 * Answers from now on. `open` opens the file for statements that need more functions than SQLite has; `timeout` is how
 * long it waits for another writer, in milliseconds.
 */
export function serve(open: typeof connect = (path, timeout) => new DatabaseSync(path, { timeout })): void {
  connect = open;
  answerCalls<SqliteCalls>({ open: (given) => void (setup = given), all: answerAll, close: letGo });
}
