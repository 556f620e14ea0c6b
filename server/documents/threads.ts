import { Worker } from 'node:worker_threads';
import { WeftError } from '#engine';
import type { Fault, FromThread, Job, Piece, ToThread } from './protocol.ts';

/** Documents that are open at the same time. A stream keeps its thread for as long as its reader takes. */
const MAX_THREADS = 8;
/** How long a document waits for a thread, in milliseconds. */
const WAIT_MS = 30_000;
/** A thread costs memory; it ends when nothing was read for so long, in milliseconds. */
const IDLE_MS = 30_000;
/** How long the thread may work on one piece, or on a document that is read as a whole, in milliseconds. */
const WORK_MS = 60_000;
/** Memory for one document, in megabytes. */
const HEAP_MB = 512;

class Thread {
  idle: NodeJS.Timeout | undefined;
  private readonly worker: Worker;
  private readonly received: FromThread[] = [];
  private ended: Error | undefined;
  private wake: () => void = () => {};

  constructor(onEnd: () => void) {
    this.worker = new Worker(new URL('./thread.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.worker.on('message', (message: FromThread) => {
      this.received.push(message);
      this.wake();
    });
    this.worker.on('error', (error) => this.leave(error));
    this.worker.on('exit', () => {
      this.leave(new Error('its reader ended'));
      onEnd();
    });
    this.worker.unref();
  }

  send(message: ToThread): void {
    this.worker.postMessage(message);
  }

  /** Throws the reason of `signal`, `document_too_large` after `limitMs`, or what the thread has ended with. */
  async next(signal: AbortSignal, limitMs: number): Promise<FromThread> {
    const onAbort = (): void => this.wake();
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      this.wake();
    }, limitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    this.worker.ref();
    try {
      for (;;) {
        signal.throwIfAborted();
        const message = this.received.shift();
        if (message !== undefined) return message;
        if (this.ended !== undefined) throw endOf(this.ended);
        if (isLate) throw tooSlow(limitMs);
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    } finally {
      clearTimeout(late);
      this.worker.unref();
      signal.removeEventListener('abort', onAbort);
    }
  }

  private leave(error: Error): void {
    this.ended ??= error;
    this.wake();
  }

  async end(): Promise<void> {
    clearTimeout(this.idle);
    await this.worker.terminate();
  }
}

function tooSlow(limitMs: number): WeftError {
  return new WeftError('document_too_large', `The document takes longer than ${limitMs / 1000} s to read.`);
}

function endOf(error: Error): WeftError {
  if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new WeftError(
      'document_too_large',
      `The document takes more than ${HEAP_MB} MB of memory to read.`,
    );
  return new WeftError('document_unreadable', `The document could not be read: ${error.message}.`);
}

export type Threads = ReturnType<typeof createThreads>;

/** The threads for documents, and how long they may work on one piece. */
export function createThreads({ workMs }: { readonly workMs: number } = { workMs: WORK_MS }) {
  const pool = createPool();

  /** Gives the job's pieces as they are asked for, and its result at the end. */
  async function* run(
    job: Job,
    source: AsyncIterable<Piece>,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, unknown> {
    signal.throwIfAborted();
    const thread = await pool.take(signal);
    const pieces = source[Symbol.asyncIterator]();
    let isDone = false;
    try {
      thread.send({ op: 'begin', job });
      for (;;) {
        const message = await thread.next(signal, workMs);
        if (message.op === 'need') {
          const { done, value } = await pieces.next();
          thread.send({ op: 'piece', piece: done ? undefined : value });
        } else if (message.op === 'piece') {
          yield message.piece;
          thread.send({ op: 'more' });
        } else if (message.op === 'failed') {
          throw errorOf(message.fault);
        } else {
          isDone = true;
          return message.result;
        }
      }
    } finally {
      // Otherwise it may still be at work on something.
      if (isDone) pool.give(thread);
      else await thread.end();
      await pieces.return?.();
    }
  }

  return { run, close: () => pool.close() };
}

function createPool() {
  const threads = new Set<Thread>();
  const free: Thread[] = [];
  const waiting: (() => void)[] = [];

  function start(): Thread {
    const thread: Thread = new Thread(() => {
      threads.delete(thread);
      const at = free.indexOf(thread);
      if (at !== -1) free.splice(at, 1);
      waiting.shift()?.();
    });
    threads.add(thread);
    return thread;
  }

  async function turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = setTimeout(() => reject(tooMany()), WAIT_MS);
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    waiting.push(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
      const at = waiting.indexOf(resolve);
      if (at !== -1) waiting.splice(at, 1);
    }
  }

  return {
    async take(signal: AbortSignal): Promise<Thread> {
      for (;;) {
        const thread = free.pop();
        if (thread !== undefined) {
          clearTimeout(thread.idle);
          return thread;
        }
        if (threads.size < MAX_THREADS) return start();
        await turn(signal);
      }
    },
    give(thread: Thread): void {
      thread.idle = setTimeout(() => void thread.end(), IDLE_MS).unref();
      free.push(thread);
      waiting.shift()?.();
    },
    async close(): Promise<void> {
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

function tooMany(): WeftError {
  return new WeftError('overloaded', `${MAX_THREADS} documents are being read already; try again later.`);
}

function errorOf({ code, message, data }: Fault): WeftError {
  return new WeftError(code, message, data === undefined ? {} : { data });
}
