import type { WaitInfo, WaitStatus } from '#shared/wait.ts';

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
