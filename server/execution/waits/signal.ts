import { createHash } from 'node:crypto';
import type { WaitAsk } from '#shared/wait.ts';

/** Of a wait for a call. */
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
