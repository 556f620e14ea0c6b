import type { WaitInfo, WaitListQuery, WaitStatus } from '#shared/wait.ts';

/** A wait as it is stored. Times are Unix milliseconds. */
export interface WaitRow {
  readonly id: string;
  readonly run: string;
  readonly flow: string;
  readonly node: string;
  readonly status: WaitStatus;
  readonly openedAt: number;
  /** After it nobody may decide. */
  readonly until: number | undefined;
  readonly notify: 'due' | 'sent' | 'failed' | undefined;
  /** When its run was found to be over. */
  readonly overAt: number | undefined;
  /** The part that only people read. */
  readonly told: Pick<WaitInfo, 'title' | 'ask' | 'decision'> & { readonly problem?: string };
}

/** Storage for the rows. Every call is done when it returns; `atomically` does everything or nothing. */
export interface WaitRows {
  get(id: string): WaitRow | undefined;
  put(row: WaitRow): void;
  /** The oldest first; one more than `limit` if there are more. */
  list(query: WaitListQuery): WaitRow[];
  ofRun(run: string): WaitRow[];
  untold(): WaitRow[];
  /** Open ones past their expiry are expired from now on. */
  expire(now: number): void;
  /** Deletes those of runs that were over before this time. */
  sweep(before: number): void;
  /** Deletes those of the run. */
  forget(run: string): void;
  atomically<T>(work: () => T): T;
}

export function infoOf(row: WaitRow): WaitInfo {
  const { id, run, flow, node, status, openedAt, until, notify, told } = row;
  const { title, ask, decision, problem } = told;
  return {
    id,
    run,
    flow,
    node,
    status,
    title,
    ask,
    openedAt: new Date(openedAt).toISOString(),
    ...(until !== undefined && { expiresAt: new Date(until).toISOString() }),
    ...(decision && { decision }),
    ...(notify && { notified: { state: notify, ...(problem !== undefined && { problem }) } }),
  };
}
