import { WeftError } from './errors.ts';

/** Longest wait that another side can ask for if the node sets no limit of its own, in milliseconds. */
export const MAX_ASKED_WAIT_MS = 600_000;

/**
 * How long the other side asked to wait before another attempt, in milliseconds; 0 if it did not. The error carries it as
 * `data.retryAfter`, in the format of the header `Retry-After`: seconds, or a date. `now` is only called for a date.
 */
export function askedWait(thrown: unknown, now: () => number): number {
  const asked = retryAfterOf(thrown);
  if (typeof asked !== 'string' && typeof asked !== 'number') return 0;
  const text = String(asked).trim();
  if (/^\d{1,15}(\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = httpDate(text);
  return date === undefined ? 0 : Math.max(0, date - now());
}

/** How deep flows may call each other. */
const MAX_DEPTH = 16;

interface Data {
  readonly retryAfter?: unknown;
  /** Data of a called flow's error: the data of the failing node. */
  readonly data?: Data | null;
}

/** Errors of users' operators may carry any data, even data that throws when it is read. */
function retryAfterOf(thrown: unknown): unknown {
  try {
    if (!(thrown instanceof WeftError)) return undefined;
    let data = thrown.data as Data | null | undefined;
    for (let level = 0; level < MAX_DEPTH && data && data.retryAfter === undefined; level++) data = data.data;
    return data?.retryAfter;
  } catch {
    return undefined;
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HTTP_DATE = /^\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;

/** `Wed, 21 Oct 2026 07:28:00 GMT` in milliseconds since 1970. Implemented here, since the engine has no Date. */
function httpDate(text: string): number | undefined {
  const parts = HTTP_DATE.exec(text);
  const month = MONTHS.indexOf(parts?.[2] ?? '');
  if (!parts || month < 0) return undefined;
  const [day, year, hour, minute, second] = [1, 3, 4, 5, 6].map((i) => Number(parts[i])) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return daysSince1970(year, month, day) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Years start in March here, so that the leap day is the last day. */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month < 2 ? year - 1 : year;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const dayOfYear = Math.floor((153 * ((month + 10) % 12) + 2) / 5) + day - 1;
  return years * 365 + leaps + dayOfYear - 719_468;
}
