import type { WaitInfo, WaitStatus } from '#shared/wait.ts';

/** A wait as it is stored. Times are Unix milliseconds. */
export interface WaitRow {
  readonly id: string;
  readonly run: string;
  readonly flow: string;
  readonly node: string;
  readonly status: WaitStatus;
  readonly openedAt: number;
  /** The end of the time to decide. */
  readonly until: number | undefined;
  readonly notify: 'due' | 'sent' | 'failed' | undefined;
  /** Of a wait for programs: what ends it (`signalOf`). */
  readonly signal: string | undefined;
  /** When its run was found to be over. */
  readonly overAt: number | undefined;
  /** The part that people see. */
  readonly shown: Pick<WaitInfo, 'title' | 'ask' | 'decision'> & { readonly problem?: string };
}

export function infoOf(row: WaitRow): WaitInfo {
  const { id, run, flow, node, status, openedAt, until, notify, shown } = row;
  const { title, ask, decision, problem } = shown;
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
