import type { Retry } from '#shared/flow.ts';

/** The wait after failed attempt number `attempt` (1 for the first), in milliseconds. */
export function retryDelay(retry: Retry, attempt: number, random: () => number): number {
  const delay = retry.backoffMs * retry.factor ** (attempt - 1);
  return retry.jitter === 0 ? delay : delay * (1 - retry.jitter) + delay * retry.jitter * random();
}
