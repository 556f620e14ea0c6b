import { WeftError } from '#engine';
import { AskedThread, type ThreadFailure } from '../../../base/adapters/asked-thread.ts';
import type { SqliteCalls, SqliteReply, SqliteRequest, SqliteSetup } from './protocol.ts';

interface Waiting {
  resolve(value: never): void;
  reject(error: unknown): void;
}

/** The server's end of a thread of a file: sends the requests of a turn of the event loop together. */
export class SqliteThread {
  private readonly thread: AskedThread<SqliteCalls>;
  private unsent: SqliteRequest[] = [];
  private waiting: Waiting[] = [];

  /** `program` calls `serve`. */
  constructor(program: URL, setup: SqliteSetup) {
    this.thread = new AskedThread({ program, open: setup, failure });
  }

  /** Rejects with `storage_failed` if the disk refuses, and with what SQLite says if the statement is wrong. */
  call<T>(request: SqliteRequest): Promise<T> {
    if (this.unsent.push(request) === 1) setImmediate(() => this.send());
    return new Promise((resolve, reject) => void this.waiting.push({ resolve, reject }));
  }

  close(): Promise<void> {
    this.send();
    return this.thread.close();
  }

  private send(): void {
    const { unsent, waiting } = this;
    if (unsent.length === 0) return;
    this.unsent = [];
    this.waiting = [];
    this.thread.ask('all', unsent).then(
      (replies) => waiting.forEach((each, at) => settle(each, replies[at] as SqliteReply)),
      (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
    );
  }
}

function settle({ resolve, reject }: Waiting, reply: SqliteReply): void {
  if ('error' in reply) reject(failure(reply.error));
  else resolve(reply.value as never);
}

function failure({ message, refused }: ThreadFailure): Error {
  return refused ? storageFailed(message) : new Error(message);
}

/** `reason` is the system's message. */
export function storageFailed(reason: string): WeftError {
  return new WeftError(
    'storage_failed',
    `The data folder could not be used (${reason}); free space or repair permissions, then repeat.`,
  );
}
