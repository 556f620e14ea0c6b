import type { WaitInfo } from '#shared/wait.ts';
import { agoText, durationText } from '../ui/format.ts';

/** How a wait has ended; undefined while it is open. */
export function endWords(
  { status, decision }: Pick<WaitInfo, 'status' | 'decision'>,
  now: number,
): string | undefined {
  if (decision) {
    const { by, at, comment, decision: what } = decision;
    return `${by} ${what} it ${agoText(at, now)}${comment === '' ? '.' : `: “${comment}”`}`;
  }
  if (status === 'expired') return 'The time to decide is over; the run continued without a decision.';
  return status === 'void' ? 'The run is over, so there is nothing to decide any more.' : undefined;
}

const DAY_MS = 86_400_000;
const LONG_MS = 3.5 * DAY_MS;

/** The deadline; undefined if there is none. `now`: Unix milliseconds. */
export function expiryWords({ expiresAt }: Pick<WaitInfo, 'expiresAt'>, now: number): string | undefined {
  if (expiresAt === undefined) return undefined;
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'no time left';
  if (left < 60_000) return 'less than a minute left';
  if (left < 3_600_000) return `${durationText(Math.floor(left / 60_000) * 60_000).replace(' 0 s', '')} left`;
  // Whole days only if rounding is not misleading: a wait of three days starts with 72 hours.
  if (left < LONG_MS) return `${Math.round(left / 3_600_000)} h left`;
  return `${Math.round(left / DAY_MS)} days left`;
}
