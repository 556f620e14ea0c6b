import { type Asker, type SqlRow, type SqlService, type SqlStatement, WeftError } from '#engine';
import { before, type Deadline, startDeadline } from '../../base/outbound/deadline.ts';
import type { ReadLimits } from './kind.ts';
import type { Turn } from './kinds.ts';
import type { Lent, Pool } from './pool.ts';

/** The service of operators; the server itself says also whose statement it reads with. */
export interface ConnectionSql extends Omit<SqlService, 'query'> {
  query(
    call: SqlStatement & ReadLimits & { readonly connection: string },
    by: Asker,
    signal: AbortSignal,
  ): Promise<SqlRow[]>;
}

export interface SqlServiceDeps {
  /** The sessions of a connection for this use. Throws `connection_missing`, `connection_not_granted`, `secret_draft`. */
  poolFor(connection: string, by: Asker): Promise<Pool>;
  readonly turn: Turn;
}

/** Lends sessions to operators. A caller never waits for a cancelled statement: its session is looked after apart. */
export function createSqlService({ poolFor, turn }: SqlServiceDeps): ConnectionSql {
  /** Reads, which may be sent again in the time that is left. An idle session that has ended says so only when something is sent. */
  const query: ConnectionSql['query'] = ({ sql, params, ...limits }, by, signal) =>
    within(limits.timeoutMs, signal, async (deadline) => {
      await turn(limits.connection, by, limits.timeoutMs, deadline.signal);
      const pool = await poolFor(limits.connection, by);
      for (;;) {
        let wasIdle = false;
        try {
          return await lending(pool, by, deadline, (lent, stop) => {
            ({ wasIdle } = lent);
            return lent.session.query({ sql, params }, limits, stop);
          });
        } catch (error) {
          if (!wasIdle || !(error instanceof WeftError) || error.code !== 'connection_failed') throw error;
        }
      }
    });

  return {
    query,
    execute: ({ statements, ...limits }, by, signal) =>
      within(limits.timeoutMs, signal, async (deadline) => {
        await turn(limits.connection, by, limits.timeoutMs, deadline.signal);
        const pool = await poolFor(limits.connection, by);
        return lending(pool, by, deadline, ({ session }, stop) => session.execute(statements, limits, stop));
      }),
    async *stream({ connection, sql, params, timeoutMs }, by, signal) {
      const ended = new AbortController();
      const stop = AbortSignal.any([signal, ended.signal]);
      const lent = await within(timeoutMs, signal, async (deadline) => {
        await turn(connection, by, timeoutMs, deadline.signal);
        const pool = await poolFor(connection, by);
        return pool.take(by, deadline.signal);
      });
      const pieces = lent.session.stream({ sql, params }, stop)[Symbol.asyncIterator]();
      let isAsked = false;
      try {
        for (;;) {
          isAsked = true;
          const piece = await within(timeoutMs, signal, (deadline) => before(deadline, pieces.next()));
          isAsked = false;
          if (piece.done === true) return;
          yield* piece.value;
        }
      } finally {
        // Between two pieces the cursor is closed; within one nothing but cancelling ends it.
        if (isAsked) ended.abort(new WeftError('sql_failed', 'Nobody waits for the rows any more.'));
        void Promise.resolve(pieces.return?.()).catch(() => {});
        lent.giveBack();
      }
    },
  };
}

/** Lends a session of a pool for some work, until the deadline. */
export async function lending<T>(
  pool: Pool,
  by: Asker,
  deadline: Deadline,
  work: (lent: Lent, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lent = await pool.take(by, deadline.signal);
  try {
    return await before(deadline, work(lent, deadline.signal));
  } finally {
    lent.giveBack();
  }
}

export async function within<T>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(timeoutMs, signal, () => late(timeoutMs));
  try {
    return await work(deadline);
  } finally {
    deadline.end();
  }
}

function late(timeoutMs: number): WeftError {
  return new WeftError('sql_timeout', `The database did not answer within ${timeoutMs} ms.`);
}
