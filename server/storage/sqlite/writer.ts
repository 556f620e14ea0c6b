import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isReadOnly, isRefusedByDisk } from '../../errors/storage-refusal.ts';
import type { SqlStatement } from '../sql.ts';
import type { WriterReply, WriterRequest, WriterSetup } from './protocol.ts';

/** The thread of writes: owns the only connection that writes, and answers requests in order. */

/** How long to wait for a command line that writes the same file, in milliseconds. */
const BUSY_MS = 10_000;

const port = parentPort;
if (port === null) throw new Error('started by writer-thread.ts only');
const { file } = workerData as WriterSetup;

let opened: { readonly db: DatabaseSync; readonly prepared: Map<string, StatementSync> } | undefined;

/** Opened by the first request that needs it; the next one retries if the file could not be used. */
function connection(): NonNullable<typeof opened> {
  if (opened !== undefined) return opened;
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  opened = { db, prepared: new Map() };
  return opened;
}

function statementOf(text: string): StatementSync {
  const { db, prepared } = connection();
  const known = prepared.get(text);
  if (known !== undefined) return known;
  const statement = db.prepare(text);
  prepared.set(text, statement);
  return statement;
}

function write([text, ...values]: SqlStatement): number {
  return Number(statementOf(text).run(...values).changes);
}

function begin(synced: boolean): void {
  const { db } = connection();
  db.exec(`PRAGMA synchronous = ${synced ? 'FULL' : 'NORMAL'}`);
  db.exec('BEGIN IMMEDIATE');
}

function end(commit: boolean): void {
  const { db } = connection();
  try {
    if (commit) db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function batch(statements: readonly SqlStatement[], synced: boolean): number[] {
  // A single statement is its own transaction.
  if (statements.length === 1 && !synced) return statements.map(write);
  begin(synced);
  let done = false;
  try {
    const changed = statements.map(write);
    done = true;
    return changed;
  } finally {
    end(done);
  }
}

function valueOf(request: WriterRequest): Extract<WriterReply, { readonly value: unknown }>['value'] {
  if (request.op === 'batch') return batch(request.statements, request.synced);
  if (request.op === 'write') return [write(request.statement)];
  if (request.op === 'read') {
    const [text, ...values] = request.statement;
    return statementOf(text).all(...values) as Record<string, string>[];
  }
  if (request.op === 'begin') begin(request.synced);
  else if (request.op === 'end') end(request.commit);
  else letGo();
  return null;
}

/** A file that was opened read-only stays read-only as long as it is open. */
function letGo(): void {
  opened?.db.close();
  opened = undefined;
}

function answer(request: WriterRequest): WriterReply {
  const { id } = request;
  try {
    return { id, value: valueOf(request) };
  } catch (error) {
    if (isReadOnly(error)) letGo();
    return { id, error: { message: (error as Error).message, refused: isRefusedByDisk(error) } };
  }
}

port.on('message', (requests: readonly WriterRequest[]) => {
  port.postMessage(requests.map(answer));
  if (requests.some(({ op }) => op === 'close')) port.close();
});
