import { Worker } from 'node:worker_threads';
import { WeftError } from '#engine';
import type { JournalCalls, JournalOp, JournalReply, JournalRequest, JournalSetup } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * The server's end of the journal's thread, which starts with the first call.
 * JT1. Calls are answered in order.
 * JT2. Nothing waits for ever: when the thread dies, its pending calls are rejected, and the next call starts
 *      another one.
 */
export class JournalThread {
  private readonly setup: JournalSetup;
  private readonly begun: () => void;
  private worker: Worker | undefined = undefined;
  private lastId = 0;
  private closed = false;
  private readonly waiting = new Map<number, Waiting>();

  /** `begun` is called after each start of a thread. */
  constructor(setup: JournalSetup, begun: () => void) {
    this.setup = setup;
    this.begun = begun;
  }

  /** Rejects with `storage_failed`. */
  call<Op extends JournalOp>(op: Op, input: JournalCalls[Op]['in']): Promise<JournalCalls[Op]['out']> {
    if (this.closed) return Promise.reject(failure('it is closed'));
    const to = this.running();
    const request: JournalRequest<Op> = { id: ++this.lastId, op, input };
    return new Promise((resolve, reject) => {
      this.waiting.set(request.id, { resolve: resolve as Waiting['resolve'], reject });
      to.ref();
      to.postMessage(request);
    });
  }

  async close(): Promise<void> {
    if (this.closed) return;
    const ending = this.worker && this.call('close', null).catch(() => {});
    this.closed = true;
    await ending;
    await this.worker?.terminate();
  }

  private running(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: this.setup });
    // Only a call that somebody waits for keeps the process alive.
    worker.unref();
    worker.on('message', (reply: JournalReply) => this.settle(worker, reply));
    worker.on('error', (error) => this.lose(worker, error.message));
    worker.on('exit', () => this.lose(worker, 'its thread ended'));
    this.worker = worker;
    this.begun();
    return worker;
  }

  private settle(from: Worker, reply: JournalReply): void {
    const call = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (this.waiting.size === 0) from.unref();
    if ('error' in reply) call?.reject(failure(reply.error));
    else call?.resolve(reply.value);
  }

  private lose(which: Worker, reason: string): void {
    if (this.worker !== which) return;
    this.worker = undefined;
    for (const call of this.waiting.values()) call.reject(failure(reason));
    this.waiting.clear();
  }
}

function failure(reason: string): WeftError {
  return new WeftError(
    'storage_failed',
    `The run history could not be used (${reason}); free space or repair permissions of the data folder.`,
  );
}
