import type { Step } from '../plan/plan.ts';
import type { Host } from '../host.ts';
import { askedWait, MAX_ASKED_WAIT_MS } from '../retry-after.ts';

/**
 * The wait after failed attempt number `attempt` (1 for the first), in milliseconds: the back-off of the step's `retry`, or what
 * the other side asked for where that is longer, but no more of that than the step's own time limit.
 */
export function retryDelay(
  { retry, timeoutMs }: Step,
  { attempt, error }: { readonly attempt: number; readonly error: unknown },
  host: Pick<Host, 'now' | 'random'>,
): number {
  const asked = Math.min(
    askedWait(error, () => host.now()),
    timeoutMs > 0 ? timeoutMs : MAX_ASKED_WAIT_MS,
  );
  if (retry === undefined) return asked;
  const full = retry.backoffMs * retry.factor ** (attempt - 1);
  const delay = retry.jitter === 0 ? full : full * (1 - retry.jitter) + full * retry.jitter * host.random();
  return Math.max(delay, asked);
}
