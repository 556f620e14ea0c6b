import type { Socket } from 'node:net';
import { connectionLost } from './servers.ts';
import { tooManyBytes } from './sql-common.ts';

/** How often the bytes of an answer are counted while it arrives, in milliseconds. */
const COUNT_MS = 20;

/** How long a session may take to be reset, in milliseconds. */
const RESET_MS = 5000;

/** What a session has under way; it counts until it has ended, even if nobody waits for it. */
export class OpenWork {
  private last: Promise<unknown> = Promise.resolve();
  private readonly coded: (error: unknown) => unknown;

  /** `coded` makes the coded error of one of the driver. */
  constructor(coded: (error: unknown) => unknown) {
    this.coded = coded;
  }

  add(work: Promise<unknown>): void {
    this.last = Promise.all([this.last, work.catch(() => {})]);
  }

  /** Counts how a session is made ready again; what takes too long once `after` has ended calls `late`, and counts no more. */
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
    const done = work().catch((error: unknown) => Promise.reject(this.told(error, signal) as Error));
    this.add(done);
    return done;
  }

  /** Begins something that the returned function ends. */
  begin(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.add(promise);
    return resolve;
  }

  told(error: unknown, signal: AbortSignal): unknown {
    return signal.aborted ? signal.reason : this.coded(error);
  }

  /** Resolves when nothing is under way any more. */
  async ended(): Promise<void> {
    for (let last; last !== this.last; ) await (last = this.last);
  }
}

/** The sockets of a session: its own, and those by which its statements are cancelled. */
export class SessionSockets {
  private readonly all = new Set<Socket>();
  private readonly closing = new AbortController();
  /** Encrypted, if the connection is. */
  own: Socket | undefined = undefined;

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
    // First, or what is left in it would be written to a socket that is gone.
    this.own?.destroy();
    for (const socket of this.all) socket.destroy();
    this.closing.abort(connectionLost('The session'));
  }

  /** Ends the session while more bytes arrive than may; the returned function ends the counting and judges the sum. */
  counting(maxBytes: number): () => void {
    const from = this.own?.bytesRead ?? 0;
    const isOver = (): boolean => (this.own?.bytesRead ?? 0) - from > maxBytes;
    const end = (): void => void this.own?.destroy(tooManyBytes(maxBytes));
    const timer = setInterval(() => isOver() && end(), COUNT_MS);
    return () => {
      clearInterval(timer);
      if (!isOver()) return;
      end();
      throw tooManyBytes(maxBytes);
    };
  }
}
