import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { answered, NoAnswer, ReadOnly } from './answered.ts';

/**
 * How long connections stay before they are replaced again, in milliseconds: a server that is read-only for all is not
 * left at each write, and one that does not answer may keep what each connection has begun.
 */
const READ_ONLY_MS = 5000;
const SILENT_MS = 60_000;

/**
 * Options of every connection. The driver would ask each new one for the types of arrays first, and end the process if it
 * breaks meanwhile; lists of texts are the only arrays that are sent.
 */
export const withoutTypes = {
  fetch_types: false,
  types: {
    texts: {
      to: 1009,
      from: [] as number[],
      serialize: (all: readonly string[]): string =>
        `{${all.map((text) => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`).join(',')}}`,
      parse: String,
    },
  },
};

/** How long the next attempt to connect waits, in seconds; `retries` were made before. */
export const backoff = (retries: number): number => Math.min(0.05 * 2 ** retries, 1);

interface Deps<T> {
  readonly open: () => T;
  readonly clientOf: (opened: T) => postgres.Sql;
  /** Called after all connections were replaced. */
  readonly replaced?: (() => void) | undefined;
  readonly answerMs?: number | undefined;
}

/**
 * Connections to the server behind an address.
 * PF1. After a failover that server may be another one, while the old one is still there: connections to a server that has become
 *      read-only are replaced by new ones, and so are those of which one has not answered in time: it may have
 *      died without a word, and the driver would send statements there until the system gives it up.
 * PF2. A request that was sent may have been executed; it is refused, and never sent again here.
 */
export class Pool<T> {
  private readonly deps: Deps<T>;
  private opened: T;
  private replacedAt = Number.NEGATIVE_INFINITY;
  private closed = false;

  constructor(deps: Deps<T>) {
    this.deps = deps;
    this.opened = deps.open();
  }

  /** The server's answer, if it comes in time; rejects with `storage_failed` if the server cannot be used now. */
  async use<R>(work: (opened: T) => Promise<R>): Promise<R> {
    const { opened } = this;
    try {
      return await answered(() => work(opened), this.deps.answerMs);
    } catch (error) {
      if (error instanceof ReadOnly) this.replace(opened, READ_ONLY_MS);
      if (error instanceof NoAnswer) this.replace(opened, SILENT_MS);
      throw error;
    }
  }

  /** Gives the work under way this many seconds to end. */
  async end(seconds: number): Promise<void> {
    this.closed = true;
    // A connection that has died does not even end.
    const late = sleep((seconds + 1) * 1000, undefined, { ref: false });
    await Promise.race([this.deps.clientOf(this.opened).end({ timeout: seconds }), late]);
  }

  private replace(opened: T, pauseMs: number): void {
    const now = performance.now();
    if (this.closed || this.opened !== opened || now - this.replacedAt < pauseMs) return;
    this.replacedAt = now;
    this.opened = this.deps.open();
    // Work on other connections goes on; dead connections end when the system gives them up.
    void this.deps
      .clientOf(opened)
      .end()
      .catch(() => {});
    this.deps.replaced?.();
  }
}
