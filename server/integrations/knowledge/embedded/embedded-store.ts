import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { WeftError } from '#engine';
import { DEFAULT_PROJECT } from '../../../storage/database/sql.ts';
import { migrateSqlite } from '../../../storage/database/sqlite/migrate-sqlite.ts';
import type { KnowledgeStore } from '../store.ts';
import type { FromStore, Rows, StoreSetup, ToStore } from './protocol.ts';
import { knowledgeMigrations } from './tables.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** One thread of the store, which starts with the first request. Requests are answered in order. */
class StoreThread {
  private readonly setup: StoreSetup;
  private worker: Worker | undefined;
  private lastId = 0;
  private readonly waiting = new Map<number, Waiting>();

  constructor(setup: StoreSetup) {
    this.setup = setup;
  }

  call(op: keyof Rows, given: readonly unknown[]): Promise<unknown> {
    const id = ++this.lastId;
    const worker = this.running();
    worker.postMessage({ id, op, given } satisfies ToStore);
    worker.ref();
    return new Promise((resolve, reject) => void this.waiting.set(id, { resolve, reject }));
  }

  async close(): Promise<void> {
    const { worker } = this;
    if (worker === undefined) return;
    await this.call('close', []).catch(() => {});
    await worker.terminate();
  }

  private running(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: this.setup });
    // Only a request that somebody waits for keeps the process alive.
    worker.unref();
    worker.on('message', (reply: FromStore) => this.settle(worker, reply));
    worker.on('error', (error) => this.lose(worker, error.message));
    worker.on('exit', () => this.lose(worker, 'its thread ended'));
    this.worker = worker;
    return worker;
  }

  private settle(worker: Worker, reply: FromStore): void {
    const call = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (this.waiting.size === 0) worker.unref();
    if ('value' in reply) call?.resolve(reply.value);
    else if (reply.error.refused) call?.reject(refused(reply.error.message));
    else call?.reject(new Error(reply.error.message));
  }

  /** Nobody waits for ever; the next request starts another thread. */
  private lose(worker: Worker, why: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(refused(why));
    this.waiting.clear();
  }
}

function refused(why: string): WeftError {
  return new WeftError('storage_failed', `The knowledge could not be read or stored: ${why}.`);
}

const READS = [
  'spaces',
  'space',
  'spaceNamed',
  'documents',
  'document',
  'documentNamed',
  'chunks',
  'search',
  'withoutMeaning',
] as const satisfies (keyof Rows)[];
const WRITES = [
  'addSpace',
  'changeSpace',
  'removeSpace',
  'putDocument',
  'restart',
  'changeDocument',
  'removeDocument',
  'unfinished',
  'claim',
  'release',
  'source',
  'begin',
  'fetched',
  'replaceChunks',
  'toEmbed',
  'addVectors',
  'finish',
] as const satisfies (keyof Rows)[];

/** The store in a SQLite file, whose folder must exist. Throws a `StartError` if the file is no such database, or is newer. */
export function openEmbeddedStore(file: string, project: string = DEFAULT_PROJECT): KnowledgeStore {
  prepare(file);
  const reader = new StoreThread({ file, project, writes: false });
  const writer = new StoreThread({ file, project, writes: true });
  const calls = (ops: readonly (keyof Rows)[], thread: StoreThread) =>
    ops.map((op) => [op, (...given: unknown[]) => thread.call(op, given)] as const);
  return {
    ...(Object.fromEntries([...calls(READS, reader), ...calls(WRITES, writer)]) as unknown as KnowledgeStore),
    close: async () => {
      await Promise.all([reader.close(), writer.close()]);
    },
  };
}

/** Brings the tables to the newest format. */
function prepare(file: string): void {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  try {
    db.exec('PRAGMA journal_mode = WAL');
    migrateSqlite(db, file, knowledgeMigrations);
  } finally {
    db.close();
  }
}
