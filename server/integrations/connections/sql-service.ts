import {
  type Asker,
  itemsOfPieces,
  type SqlRow,
  type SqlService,
  type SqlStatement,
  WeftError,
} from '#engine';
import { before, type Deadline } from '../../base/outbound/deadline.ts';
import type { ReadLimits, SqlSession } from './kind.ts';
import type { Turn } from './kinds.ts';
import { lending, lendingAgain, type Pool, within } from './pool.ts';

/** The service of operators; the server itself also specifies who has written a statement. */
export interface ConnectionSql extends Omit<SqlService, 'query'> {
  query(
    call: SqlStatement & ReadLimits & { readonly connection: string },
    by: Asker,
    signal: AbortSignal,
  ): Promise<SqlRow[]>;
}

interface SqlServiceDeps {
  /** The sessions of a connection for this use. Throws `connection_missing`, `connection_not_granted`, `secret_draft`. */
  poolFor(connection: string, by: Asker): Promise<Pool<SqlSession>>;
  readonly turn: Turn;
}

/** Lends sessions to operators. A caller never waits for a cancelled statement: its session is cleaned up in the background. */
export function createSqlService({ poolFor, turn }: SqlServiceDeps): ConnectionSql {
  const inTime = <R>(
    timeoutMs: number,
    signal: AbortSignal,
    work: (deadline: Deadline) => Promise<R>,
  ): Promise<R> => within({ timeoutMs, late: lateAnswer }, signal, work);

  async function* pieces(
    { connection, sql, params, bytes, timeoutMs }: Parameters<SqlService['stream']>[0],
    by: Asker,
    signal: AbortSignal,
  ): AsyncGenerator<readonly SqlRow[]> {
    const ended = new AbortController();
    const stop = AbortSignal.any([signal, ended.signal]);
    const lent = await inTime(timeoutMs, signal, async (deadline) => {
      await turn(connection, by, timeoutMs, deadline.signal);
      const pool = await poolFor(connection, by);
      return pool.take(by, deadline.signal);
    });
    const rows = lent.session.stream({ sql, params, bytes }, stop)[Symbol.asyncIterator]();
    let isAsked = false;
    try {
      for (;;) {
        isAsked = true;
        const piece = await inTime(timeoutMs, signal, (deadline) => before(deadline, rows.next()));
        isAsked = false;
        if (piece.done === true) return;
        yield piece.value;
      }
    } finally {
      // Between two batches the cursor is closed; only cancelling ends a batch.
      if (isAsked) ended.abort(new WeftError('sql_failed', 'The rows are no longer needed.'));
      void Promise.resolve(rows.return?.()).catch(() => {});
      lent.giveBack();
    }
  }

  return {
    query: ({ sql, params, bytes, ...limits }, by, signal) =>
      inTime(limits.timeoutMs, signal, async (deadline) => {
        await turn(limits.connection, by, limits.timeoutMs, deadline.signal);
        const pool = await poolFor(limits.connection, by);
        return lendingAgain(pool, by, deadline, (session, stop) =>
          session.query({ sql, params, bytes }, limits, stop),
        );
      }),
    execute: ({ statements, ...limits }, by, signal) =>
      inTime(limits.timeoutMs, signal, async (deadline) => {
        await turn(limits.connection, by, limits.timeoutMs, deadline.signal);
        const pool = await poolFor(limits.connection, by);
        return lending(pool, by, deadline, ({ session }, stop) => session.execute(statements, limits, stop));
      }),
    stream: (call, by, signal) => itemsOfPieces(pieces(call, by, signal)),
  };
}

export function lateAnswer(timeoutMs: number): WeftError {
  return new WeftError('sql_timeout', `The database did not answer within ${timeoutMs} ms.`);
}
