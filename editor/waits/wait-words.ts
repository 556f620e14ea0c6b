import type { WaitInfo } from '#shared/wait.ts';
import { agoText, durationText } from '../ui/format.ts';

/** How a wait has ended; undefined while it is open. */
export function endWords({ status, decision }: WaitInfo, now: number): string | undefined {
  if (decision) {
    const { by, at, comment, decision: what } = decision;
    return `${by} ${what} it ${agoText(at, now)}${comment === '' ? '.' : `: “${comment}”`}`;
  }
  if (status === 'expired') return 'The time to decide is over; the run went on without a decision.';
  return status === 'void' ? 'The run is over, so there is nothing to decide any more.' : undefined;
}

const DAY_MS = 86_400_000;

/** Until when there is time; undefined where there always is. `now`: Unix milliseconds. */
export function expiryWords({ expiresAt }: Pick<WaitInfo, 'expiresAt'>, now: number): string | undefined {
  if (expiresAt === undefined) return undefined;
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'no time left';
  if (left < 60_000) return 'less than a minute left';
  if (left < 3_600_000) return `${durationText(Math.floor(left / 60_000) * 60_000).replace(' 0 s', '')} left`;
  if (left < DAY_MS) return `${Math.floor(left / 3_600_000)} h left`;
  const days = Math.floor(left / DAY_MS);
  return `${days} ${days === 1 ? 'day' : 'days'} left`;
}
