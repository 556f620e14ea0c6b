import { createHash } from 'node:crypto';
import type { WaitAsk, WaitInfo, WaitStatus } from '#shared/wait.ts';

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
  /** For a wait for programs: what ends it (`signalOf`). */
  readonly signal: string | undefined;
  /** When its run was found to be over. */
  readonly overAt: number | undefined;
  /** The part that people see. */
  readonly shown: Pick<WaitInfo, 'title' | 'ask' | 'decision'> & { readonly problem?: string };
}

/** The wait as the API tells it. */
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

/** For a wait for a call. */
export const CALL_SIGNAL = 'call';

/** What ends a wait for programs; undefined for a question to people. */
export function signalOf({ kind, event }: Pick<WaitAsk, 'kind' | 'event'>): string | undefined {
  if (kind === 'event' && event !== undefined) return eventSignal(event.name, event.key);
  return kind === 'call' ? CALL_SIGNAL : undefined;
}

/** A hash: the key may hold what must not be stored in clear text, and may be longer than an index likes. */
export function eventSignal(name: string, key: string): string {
  return `event ${createHash('sha256').update(`${name} ${key}`).digest('base64url')}`;
}
