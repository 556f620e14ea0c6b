import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { WeftError } from '#engine';

/**
 * SQLSTATEs that say that the server cannot store now: connection, resources, operator intervention, system; the rights of the
 * user, and a database that has become read-only.
 */
const REFUSALS = /^(08|53|57|58|28|25006)/;
/** SQLSTATE: the server, or all of its transactions, are read-only. */
const READ_ONLY = '25006';
/** SQLSTATE: a transaction could not be serialised, or two wait for each other. */
export const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);
/** How long an answer may take, in milliseconds. */
const ANSWER_MS = 15_000;
/** How long connections that may be dead have for a word, in milliseconds. */
const PROBE_MS = 3000;
/**
 * How long connections stay before they are replaced again, in milliseconds: a server that is read-only for everybody is not
 * left at each write, and one that does not answer may keep what each connection has begun.
 */
const READ_ONLY_MS = 5000;
const SILENT_MS = 60_000;
/** What is under way on connections that are replaced may still end, in seconds. */
const END_S = 5;

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
 * Connections to the server that an address leads to.
 * PO1. After a failover that server may be another one, while the old one is still there: connections to a server that has become
 *      read-only are replaced by new ones, and so are those from which no word comes.
 * PO2. What was sent may have been done; it is refused, and never sent again here.
 */
export class Pool<T> {
  private readonly deps: Deps<T>;
  private opened: T;
  private replacedAt = Number.NEGATIVE_INFINITY;
  private probing = false;
  private closed = false;

  constructor(deps: Deps<T>) {
    this.deps = deps;
    this.opened = deps.open();
  }

  /** What the server answers, in time; rejects with `storage_failed` if it cannot be used now. */
  async use<R>(work: (opened: T) => Promise<R>): Promise<R> {
    const { opened } = this;
    const { answerMs = ANSWER_MS } = this.deps;
    try {
      return await inTime(work(opened), answerMs, () => void this.probe(opened));
    } catch (error) {
      const { code = '', message } = error as { readonly code?: string; readonly message: string };
      if (code === READ_ONLY) this.replace(opened, READ_ONLY_MS);
      if (!isRefusal(code)) throw error;
      throw databaseFailed(message || code);
    }
  }

  /** What is under way has so many seconds to end. */
  async end(seconds: number): Promise<void> {
    this.closed = true;
    await this.deps.clientOf(this.opened).end({ timeout: seconds });
  }

  /** One answer may be slow; where none comes any more, the connections are dead. */
  private async probe(opened: T): Promise<void> {
    if (this.probing || this.opened !== opened) return;
    this.probing = true;
    const word = this.deps.clientOf(opened).unsafe('SELECT 1');
    const isAlive = await Promise.race([
      word.then(
        () => true,
        () => false,
      ),
      sleep(PROBE_MS, false, { ref: false }),
    ]);
    this.probing = false;
    if (!isAlive) this.replace(opened, SILENT_MS);
  }

  private replace(opened: T, pauseMs: number): void {
    const now = performance.now();
    if (this.closed || this.opened !== opened || now - this.replacedAt < pauseMs) return;
    this.replacedAt = now;
    this.opened = this.deps.open();
    void this.deps
      .clientOf(opened)
      .end({ timeout: END_S })
      .catch(() => {});
    this.deps.replaced?.();
  }
}

/** A connection that has died without a word never answers; what was sent may have been done. */
function inTime<R>(work: Promise<R>, ms: number, late: () => void): Promise<R> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      late();
      reject(databaseFailed(`it has not answered for ${ms / 1000} seconds`));
    }, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Codes of connections that cannot be encrypted, or of certificates that are not trusted. */
const TLS = /^(ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_|EPROTO)/;

export function isTlsRefusal(code: string): boolean {
  return TLS.test(code);
}

export function isRefusal(code: string): boolean {
  return (
    REFUSALS.test(code) ||
    CONFLICTS.has(code) ||
    isTlsRefusal(code) ||
    /^(CONN|ECONN|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)/.test(code)
  );
}

/** `reason` is the server's or the system's message. */
export function databaseFailed(reason: string): WeftError {
  return new WeftError(
    'storage_failed',
    `The database could not be used (${reason}); repair it, then repeat.`,
  );
}
