import { Cron } from 'croner';
import { useNow } from '../../ui/use-now.ts';

const COUNT = 5;

interface NextTimesProps {
  cron: string;
  timezone: string;
  /** The problem is shown elsewhere already. */
  isToldOf: boolean;
}

/** The next times of a cron pattern, in its time zone. Loaded with the first schedule. */
export default function NextTimes({ cron, timezone, isToldOf }: NextTimesProps) {
  const now = useNow(true, 10_000);
  if (!isZone(timezone)) return null;
  const times = nextTimes(cron, timezone, now);
  if (typeof times === 'string') {
    return isToldOf ? null : (
      <p role="status" className="text-xs text-bad">
        {times}
      </p>
    );
  }
  return (
    <div className="rounded-md bg-surface-2 px-2 py-1.5 text-xs">
      <p className="font-medium">
        {times.length === 0 ? 'It has no future times.' : `Next times (${timezone})`}
      </p>
      <ol aria-label="Next times" className="text-text-2 tabular-nums">
        {times.map((time) => (
          <li key={time}>{time}</li>
        ))}
      </ol>
    </div>
  );
}

/** The problem of the zone is shown beside its own field. */
function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function nextTimes(cron: string, timezone: string, now: number): readonly string[] | string {
  try {
    const words = new Intl.DateTimeFormat('en-GB', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      ...(cron.trim().split(/\s+/).length === 6 && { second: '2-digit' }),
      timeZone: timezone,
    });
    const pattern = new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' });
    return pattern.nextRuns(COUNT, new Date(now)).map((time) => words.format(time));
  } catch (error) {
    return `No time can be read from this: ${(error as Error).message.replace(/^CronPattern: /, '')}`;
  }
}
