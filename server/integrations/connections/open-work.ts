import type { Socket } from 'node:net';
import { connectionLost } from './servers.ts';
import { tooManyBytes, unasked } from './sql-common.ts';

/** How often the bytes of an arriving answer are counted, in milliseconds. */
const COUNT_MS = 20;

/** The same interval while no answer is counted. */
const WATCH_MS = 100;

/** The most bytes of an answer to a request of the session itself, such as the list of tables, and of unrequested data. */
export const OWN_BYTES = 50_000_000;

/** How long a session may take to be reset, in milliseconds. */
const RESET_MS = 5000;

/** The operation of a session; it counts until it has ended, even if no caller waits for it. */
export class OpenWork {
  private last: Promise<unknown> = Promise.resolve();
  private readonly coded: (error: unknown) => unknown;

  /** `coded` converts an error of the driver into a coded error. */
  constructor(coded: (error: unknown) => unknown) {
    this.coded = coded;
  }

  add(work: Promise<unknown>): void {
    this.last = Promise.all([this.last, work.catch(() => {})]);
  }

  /** Tracks the reset of a session; if it takes too long after `after` has ended, `late` is called and the reset is no longer tracked. */
  addReset(work: Promise<unknown>, late: () => void, after: Promise<unknown> = Promise.resolve()): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
      resolve();
    };
    const wait = (): void => {
      if (isOver) return;
      timer = setTimeout(() => {
        late();
        end();
      }, RESET_MS).unref();
    };
    after.then(wait, wait);
    work.then(end, end);
    this.add(promise);
  }

  /** Rejects with the signal's reason once it has aborted. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const done = work().catch((error: unknown) => Promise.reject(this.causeOf(error, signal) as Error));
    this.add(done);
    return done;
  }

  /** Begins an operation that the returned function ends. */
  begin(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.add(promise);
    return resolve;
  }

  causeOf(error: unknown, signal: AbortSignal): unknown {
    return signal.aborted ? signal.reason : this.coded(error);
  }

  /** Resolves when no operation is under way. */
  async ended(): Promise<void> {
    for (let last; last !== this.last; ) await (last = this.last);
  }
}

/** The sockets of a session: its own, and those that cancel its statements. */
export class SessionSockets {
  private readonly all = new Set<Socket>();
  private readonly closing = new AbortController();
  /** Encrypted, if the connection is. */
  own: Socket | undefined = undefined;
  /** The bytes that had arrived when the current limit began, and that limit. */
  private before = 0;
  private most = OWN_BYTES;

  /** Aborts when the session is closed. */
  get signal(): AbortSignal {
    return this.closing.signal;
  }

  add(socket: Socket): void {
    this.all.add(socket);
    socket.once('close', () => this.all.delete(socket));
  }

  get isOpen(): boolean {
    return this.own?.destroyed === false;
  }

  close(): void {
    // First, because otherwise its buffer would be written to a closed socket.
    this.own?.destroy();
    for (const socket of this.all) socket.destroy();
    this.closing.abort(connectionLost('The session'));
  }

  /** Sets its own socket, which is closed when the server sends much unrequested data. */
  watch(socket: Socket): void {
    this.own = socket;
    const timer = setInterval(() => {
      if (this.isOver) socket.destroy(unasked(this.most));
    }, WATCH_MS).unref();
    socket.once('close', () => clearInterval(timer));
  }

  /** Ends the session if more bytes arrive than the limit allows; the returned function stops counting and checks the sum. */
  counting(maxBytes: number, fault = tooManyBytes(maxBytes)): () => void {
    this.limit(maxBytes);
    const end = (): void => void this.own?.destroy(fault);
    const timer = setInterval(() => this.isOver && end(), COUNT_MS);
    return () => {
      clearInterval(timer);
      const { isOver } = this;
      this.limit(OWN_BYTES);
      if (!isOver) return;
      end();
      throw fault;
    };
  }

  private get isOver(): boolean {
    return (this.own?.bytesRead ?? 0) - this.before > this.most;
  }

  private limit(most: number): void {
    this.before = this.own?.bytesRead ?? 0;
    this.most = most;
  }
}
