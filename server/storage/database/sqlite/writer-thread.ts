import { Worker } from 'node:worker_threads';
import { WeftError } from '#engine';
import type { WriterReply, WriterRequest, WriterSetup } from './protocol.ts';

interface Waiting {
  resolve(value: never): void;
  reject(error: unknown): void;
}

type Asked = WriterRequest extends infer Each
  ? Each extends WriterRequest
    ? Omit<Each, 'id'>
    : never
  : never;

/**
 * The server's end of the thread of writes, which starts with the first request. Requests of the same turn of the
 * event loop are sent together, because a message costs more than most writes.
 * WT1. Requests are answered in order.
 * WT2. Nothing waits for ever: when the thread dies, its pending requests are rejected, and the next one starts another.
 */
export class WriterThread {
  private readonly setup: WriterSetup;
  private worker: Worker | undefined = undefined;
  private lastId = 0;
  private closed = false;
  private unsent: WriterRequest[] = [];
  private readonly waiting = new Map<number, Waiting>();

  constructor(setup: WriterSetup) {
    this.setup = setup;
  }

  /** Rejects with `storage_failed` if the disk refuses, and with what SQLite says if the statement is wrong. */
  call<T>(asked: Asked): Promise<T> {
    if (this.closed) return Promise.reject(storageFailed('it is closed'));
    const request = { ...asked, id: ++this.lastId } as WriterRequest;
    if (this.unsent.push(request) === 1) setImmediate(() => this.send());
    return new Promise((resolve, reject) => void this.waiting.set(request.id, { resolve, reject }));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    const ending = (this.worker ?? this.unsent[0]) && this.call({ op: 'close' }).catch(() => {});
    this.closed = true;
    await ending;
    await this.worker?.terminate();
  }

  private send(): void {
    const requests = this.unsent;
    this.unsent = [];
    const worker = this.running();
    worker.ref();
    worker.postMessage(requests);
  }

  private running(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: this.setup });
    // Only a request that somebody waits for keeps the process alive.
    worker.unref();
    worker.on('message', (replies: readonly WriterReply[]) => this.settle(worker, replies));
    worker.on('error', (error) => this.lose(worker, error.message));
    worker.on('exit', () => this.lose(worker, 'its thread ended'));
    this.worker = worker;
    return worker;
  }

  private settle(from: Worker, replies: readonly WriterReply[]): void {
    for (const reply of replies) {
      const call = this.waiting.get(reply.id);
      this.waiting.delete(reply.id);
      if (!('error' in reply)) call?.resolve(reply.value as never);
      else if (reply.error.refused) call?.reject(storageFailed(reply.error.message));
      else call?.reject(new Error(reply.error.message));
    }
    if (this.waiting.size === 0) from.unref();
  }

  private lose(which: Worker, reason: string): void {
    if (this.worker !== which) return;
    this.worker = undefined;
    for (const call of this.waiting.values()) call.reject(storageFailed(reason));
    this.waiting.clear();
  }
}

/** `reason` is the system's message. */
export function storageFailed(reason: string): WeftError {
  return new WeftError(
    'storage_failed',
    `The data folder could not be used (${reason}); free space or repair permissions, then repeat.`,
  );
}
