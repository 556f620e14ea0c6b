import { parentPort, Worker } from 'node:worker_threads';
import { isRefusedByDisk } from '../errors/storage-refusal.ts';

/**
 * The functions of a thread by name. Arguments and results are copied. `close` releases what the thread has open. A thread with `open` can
 * serve one setup after another.
 */
export type ThreadCalls<C> = { readonly [Op in keyof C]: (...given: never[]) => unknown };

type Answer<C extends ThreadCalls<C>, Op extends keyof C> = Promise<Awaited<ReturnType<C[Op]>>>;

/** `refused`: the disk refused it, or the thread ended before it answered; the same request may succeed later. */
export interface ThreadFailure {
  readonly message: string;
  readonly refused: boolean;
}

/** How a worker thread is started, and what its failures become. */
export type ThreadSetup<C extends ThreadCalls<C>, Message = never> = Behaviour<C, Message> &
  (OwnThread | ReusedThread<C>);

/** A thread for this setup alone. */
interface OwnThread {
  readonly start: () => Worker;
}

/** A thread that perhaps served others before, and may serve others once it is closed. */
interface ReusedThread<C> {
  readonly program: URL;
  /** The argument of `open`, which is called before the first request. */
  readonly open: C extends { open(given: infer Given): void } ? Given : never;
}

interface Behaviour<C extends ThreadCalls<C>, Message> {
  /** The error that a request is rejected with. */
  readonly failure: (why: ThreadFailure) => Error;
  /** Milliseconds without a request after which the thread ends; by default it stays. */
  readonly idleMs?: number;
  /** Called after each start, before the first request. */
  readonly begun?: () => void;
  /** Receives the messages that the thread sends unasked (`sendToCaller`). */
  readonly onMessage?: (message: Message, from: LiveThread<C>) => void;
  /** Called after each end, once all pending requests were rejected. */
  readonly ended?: () => void;
}

/** One start of a thread. Requests are rejected once it has ended. */
export interface LiveThread<C extends ThreadCalls<C>> {
  ask<Op extends keyof C>(op: Op, ...given: Parameters<C[Op]>): Answer<C, Op>;
}

const ENDED = 'its thread ended';
/** How long a closed thread waits for another setup, in milliseconds, since it costs memory. */
const SPARE_MS = 5000;
/** How many closed threads of a program wait at most. */
const MOST_SPARE = 4;

interface Request {
  readonly id: number;
  readonly op: PropertyKey;
  readonly given: readonly unknown[];
}

type Reply<Message> =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ThreadFailure }
  | { readonly unasked: Message };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * The caller's end of a thread that answers requests (`answerCalls`). It starts with the first request.
 * AT1. Requests arrive in the order in which they were made, and each is settled by its own answer.
 * AT2. No request waits for ever: when the thread ends, pending requests are rejected, and the next one starts another thread.
 * AT3. Only a pending request keeps the process alive, unless the thread sends messages unasked.
 * AT4. Requests made before `close` are answered, later ones rejected.
 * AT5. A function that throws rejects its own request only.
 * AT6. A thread that is closed may serve another setup of its program; one that failed or was stopped does not.
 */
export class AskedThread<C extends ThreadCalls<C>, Message = never> {
  private readonly setup: ThreadSetup<C, Message>;
  private life: Life<C, Message> | undefined;
  private closing: Promise<void> | undefined;

  constructor(setup: ThreadSetup<C, Message>) {
    this.setup = setup;
  }

  /** Rejects with the setup's `failure`. */
  ask<Op extends keyof C>(op: Op, ...given: Parameters<C[Op]>): Answer<C, Op> {
    if (this.closing !== undefined)
      return Promise.reject(this.setup.failure({ message: 'it is closed', refused: true }));
    return this.running().ask(op, ...given);
  }

  /** Starts the thread before the first request. */
  start(): void {
    this.running();
  }

  close(): Promise<void> {
    this.closing ??= this.life?.close() ?? Promise.resolve();
    return this.closing;
  }

  /** Stops the thread where it is, and rejects what waits. The next request starts another one. */
  async end(): Promise<void> {
    await this.life?.end();
  }

  /** Stops the thread where it is, as a crash does; later requests are rejected. */
  async kill(): Promise<void> {
    this.closing ??= Promise.resolve();
    await this.end();
  }

  private running(): Life<C, Message> {
    if (this.life !== undefined) return this.life;
    const life = new Life(this.setup, () => {
      this.life = undefined;
      this.setup.ended?.();
    });
    this.life = life;
    this.setup.begun?.();
    return life;
  }
}

class Life<C extends ThreadCalls<C>, Message> implements LiveThread<C> {
  private readonly setup: ThreadSetup<C, Message>;
  private readonly worker: Worker;
  private readonly ended: () => void;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private isOver = false;
  private idle: NodeJS.Timeout | undefined;

  constructor(setup: ThreadSetup<C, Message>, ended: () => void) {
    this.setup = setup;
    this.ended = ended;
    this.worker = 'program' in setup ? takeThread(setup.program) : setup.start();
    this.worker.on('message', (reply: Reply<Message>) => this.take(reply));
    this.worker.on('error', (error) => this.lose(error.message));
    this.worker.on('exit', () => this.lose(ENDED));
    this.rest();
    if ('program' in setup) this.send('open', [setup.open]).catch(() => this.end());
  }

  ask<Op extends keyof C>(op: Op, ...given: Parameters<C[Op]>): Answer<C, Op> {
    return this.send(op, given) as Answer<C, Op>;
  }

  async close(): Promise<void> {
    const isClosed = await this.send('close', []).then(
      () => true,
      () => false,
    );
    // The stop releases what the thread still has open. A late answer would reach the next setup.
    if (!isClosed || this.isOver || this.waiting.size > 0 || !('program' in this.setup))
      return await this.end();
    this.lose(ENDED);
    keepThread(this.setup.program, this.worker);
  }

  async end(): Promise<void> {
    // Rejected first: a thread that is being stopped answers no request.
    this.lose(ENDED);
    await this.worker.terminate();
  }

  private send(op: PropertyKey, given: readonly unknown[]): Promise<unknown> {
    if (this.isOver) return Promise.reject(this.gone(ENDED));
    const request: Request = { id: ++this.lastId, op, given };
    return new Promise((resolve, reject) => {
      // Rejects if the arguments cannot be copied.
      this.worker.postMessage(request);
      this.worker.ref();
      clearTimeout(this.idle);
      this.waiting.set(request.id, { resolve, reject });
    });
  }

  private take(reply: Reply<Message>): void {
    if (this.isOver) return;
    if ('unasked' in reply) this.setup.onMessage?.(reply.unasked, this);
    else this.settle(reply);
  }

  private settle(reply: Exclude<Reply<Message>, { readonly unasked: Message }>): void {
    const call = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (this.waiting.size === 0) this.rest();
    if ('error' in reply) call?.reject(this.setup.failure(reply.error));
    else call?.resolve(reply.value);
  }

  /** No request is pending. */
  private rest(): void {
    const { onMessage, idleMs } = this.setup;
    if (onMessage === undefined) this.worker.unref();
    if (idleMs !== undefined) this.idle = setTimeout(() => void this.end(), idleMs).unref();
  }

  private lose(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.idle);
    for (const { reject } of this.waiting.values()) reject(this.gone(reason));
    this.waiting.clear();
    this.ended();
  }

  private gone(message: string): Error {
    return this.setup.failure({ message, refused: true });
  }
}

interface Spare {
  readonly worker: Worker;
  readonly timer: NodeJS.Timeout;
}

/**
 * Threads that are closed and wait for the next setup of their program: a new thread costs some 50 ms of processor time, which
 * counts where many files are opened one after another (knowledge bases, tests).
 */
const spares = new Map<string, Spare[]>();

/** A thread that runs `program`: one that waits, or a new one. */
function takeThread(program: URL): Worker {
  const spare = spares.get(program.href)?.pop();
  if (spare === undefined) return new Worker(program);
  clearTimeout(spare.timer);
  unheard(spare.worker);
  return spare.worker;
}

/** `worker` has nothing open and no pending request. */
function keepThread(program: URL, worker: Worker): void {
  const waiting = spares.get(program.href) ?? [];
  spares.set(program.href, waiting);
  unheard(worker);
  if (waiting.length >= MOST_SPARE) return void worker.terminate();
  const spare = { worker, timer: setTimeout(() => forget(), SPARE_MS).unref() };
  const forget = (): void => {
    clearTimeout(spare.timer);
    const at = waiting.indexOf(spare);
    if (at !== -1) waiting.splice(at, 1);
    void worker.terminate();
  };
  worker.on('error', forget);
  worker.on('exit', forget);
  worker.unref();
  waiting.push(spare);
}

/** Node's own listeners of a worker have to stay. */
function unheard(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

/**
 * The thread's end: answers what `AskedThread` asks. A thread whose functions do not wait answers in order. `failed` is
 * called with what a function throws, before its request is rejected.
 */
export function answerCalls<C extends ThreadCalls<C>>(calls: C, failed?: (error: unknown) => void): void {
  const port = callerPort();
  port.on('message', async ({ id, op, given }: Request) => {
    try {
      const value: unknown = await calls[op as keyof C](...(given as never[]));
      port.postMessage({ id, value } satisfies Reply<never>);
    } catch (error) {
      failed?.(error);
      port.postMessage({ id, error: failureOf(error) } satisfies Reply<never>);
    }
    if (op === 'close' && !('open' in calls)) port.close();
  });
}

/** What the caller of a thread learns of an error. */
export function failureOf(error: unknown): ThreadFailure {
  return { message: (error as Error).message, refused: isRefusedByDisk(error) };
}

/** Sends the caller of this thread a message that it has not asked for. */
export function sendToCaller<Message>(unasked: Message): void {
  callerPort().postMessage({ unasked } satisfies Reply<Message>);
}

function callerPort(): NonNullable<typeof parentPort> {
  if (parentPort === null) throw new Error('This file is started as a thread only.');
  return parentPort;
}
