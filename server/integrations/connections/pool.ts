import { type Asker, WeftError } from '#engine';
import { createPlaces, type GiveBack } from '../../base/outbound/places.ts';
import { before, type Deadline, startDeadline } from '../../base/outbound/deadline.ts';
import { untilHeld } from '../../base/outbound/while-held.ts';
import type { Session } from './kind.ts';

/** The sessions of a connection with its current settings. */
export interface Pool<T extends Session> {
  /**
   * Lends a session: a free one, or a new one while there are fewer than `most`. Waiting flows take turns. Rejects with
   * `connection_busy`, or with the signal's reason.
   */
  take(by: Asker, signal: AbortSignal): Promise<Lent<T>>;
  counts(): { readonly open: number; readonly idle: number; readonly queued: number };
  /** Closes free sessions now, and the others when they come back. */
  close(): void;
}

export interface Lent<T extends Session> {
  readonly session: T;
  /** Whether it was idle before, and may have ended unnoticed. */
  readonly wasIdle: boolean;
  giveBack(): void;
}

interface PoolDeps<T extends Session> {
  readonly name: string;
  readonly most: number;
  readonly queue: number;
  /** Milliseconds after which a free session is closed. */
  readonly idleMs: number;
  open(by: Asker, signal: AbortSignal): Promise<T>;
}

export function createPool<T extends Session>({ name, most, queue, idleMs, open }: PoolDeps<T>): Pool<T> {
  const places = createPlaces({ '*': { calls: most, queue } });
  const target = { url: new URL('http://connection/'), origin: name, host: name, port: 0 };
  const free: { readonly session: T; readonly timer: NodeJS.Timeout }[] = [];
  const all = new Set<T>();
  let isClosed = false;

  function end(session: T): void {
    all.delete(session);
    session.close();
  }

  function keep(session: T): void {
    const timer = setTimeout(() => {
      free.splice(free.indexOf(entry), 1);
      end(session);
    }, idleMs);
    timer.unref();
    const entry = { session, timer };
    free.push(entry);
  }

  /** The most recently used first, so that surplus sessions become idle. A server may have ended some meanwhile. */
  function kept(): T | undefined {
    for (let last = free.pop(); last !== undefined; last = free.pop()) {
      clearTimeout(last.timer);
      if (last.session.isOpen) return last.session;
      end(last.session);
    }
    return undefined;
  }

  async function settle(session: T, giveBack: GiveBack): Promise<void> {
    const isGood = await session.settled().catch(() => false);
    if (isGood && !isClosed) keep(session);
    else end(session);
    giveBack();
  }

  return {
    async take(by, signal) {
      const giveBack = await placeFor(() => places.take(target, 'calls', by.flow, signal), name, most);
      try {
        const idle = kept();
        const session = idle ?? (await open(by, signal));
        all.add(session);
        return { session, wasIdle: idle !== undefined, giveBack: () => void settle(session, giveBack) };
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    counts() {
      const queued = places.counts()[0]?.queued ?? 0;
      return { open: all.size, idle: free.filter(({ session }) => session.isOpen).length, queued };
    },
    close() {
      isClosed = true;
      for (let session = kept(); session !== undefined; session = kept()) end(session);
    },
  };
}

async function placeFor(
  take: () => GiveBack | Promise<GiveBack>,
  name: string,
  most: number,
): Promise<GiveBack> {
  try {
    return await take();
  } catch (error) {
    if (!(error instanceof WeftError) || error.code !== 'outbound_busy') throw error;
    throw new WeftError(
      'connection_busy',
      `All ${most} sessions of the connection ${name} are in use, and too many calls wait for one.`,
    );
  }
}

/** Lends a session of a pool for an operation, until the deadline. Begins it only while the claim of the caller's run holds. */
export async function lending<T extends Session, R>(
  pool: Pool<T>,
  by: Asker,
  deadline: Deadline,
  work: (lent: Lent<T>, signal: AbortSignal) => Promise<R>,
): Promise<R> {
  // Before it takes a session, so that a run whose claim is in doubt for long keeps none from the others.
  await untilHeld(by, deadline);
  const lent = await pool.take(by, deadline.signal);
  try {
    await untilHeld(by, deadline);
    return await before(deadline, work(lent, deadline.signal));
  } finally {
    lent.giveBack();
  }
}

/**
 * The same for a read, which may be sent again in the remaining time: the end of an idle session shows only when something is
 * sent.
 */
export async function lendingAgain<T extends Session, R>(
  pool: Pool<T>,
  by: Asker,
  deadline: Deadline,
  work: (session: T, signal: AbortSignal) => Promise<R>,
): Promise<R> {
  for (;;) {
    let wasIdle = false;
    try {
      return await lending(pool, by, deadline, (lent, signal) => {
        ({ wasIdle } = lent);
        return work(lent.session, signal);
      });
    } catch (error) {
      if (!wasIdle || !(error instanceof WeftError) || error.code !== 'connection_failed') throw error;
    }
  }
}

/** Limits an operation to so many milliseconds; then it fails with the error of `late`. */
export async function within<R>(
  { timeoutMs, late }: { readonly timeoutMs: number; late(ms: number): WeftError },
  signal: AbortSignal,
  work: (deadline: Deadline) => Promise<R>,
): Promise<R> {
  const deadline = startDeadline(timeoutMs, signal, () => late(timeoutMs));
  try {
    return await work(deadline);
  } finally {
    deadline.end();
  }
}
