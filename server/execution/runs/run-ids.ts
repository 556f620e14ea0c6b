import { randomBytes } from 'node:crypto';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** All pairs of digits: a number below 1024 is one pair, so most of an id is looked up. */
const pairs = Array.from({ length: 1024 }, (_, i) => DIGITS.charAt(i >> 5) + DIGITS.charAt(i & 31));
const PER_MILLISECOND = 1024 * 1024;

/**
 * Makes run ids such as `001k6zq0f8` + `0003` + `9f31c2ab77`: time, count within the millisecond, and a random part of
 * this process. They sort by start, fit into a path and a header, and cost far less than a UUID. They are not secret:
 * the scope `runs:read` protects the content of a run, not its id.
 */
export function makeRunIds(now: () => number, process = randomBytes(5).toString('hex')): () => string {
  let time = -1;
  let prefix = '';
  let count = 0;

  return () => {
    const read = now();
    // A clock that is set back must not break the order.
    if (read > time || count === PER_MILLISECOND) {
      time = Math.max(read, time + 1);
      prefix = timeText(time);
      count = 0;
    }
    const text = `${prefix}${pairs[count >> 10]}${pairs[count & 1023]}${process}`;
    count++;
    return text;
  };
}

/** When a run with such an id started, in Unix milliseconds; 0 for other ids. */
export function runStartedAt(id: string): number {
  let time = 0;
  for (const digit of id.slice(0, 10)) time = time * 32 + Math.max(0, DIGITS.indexOf(digit));
  return time;
}

/** Ten digits, enough until the year 37,000. */
function timeText(time: number): string {
  let text = '';
  for (let rest = time, i = 0; i < 5; i++, rest = Math.floor(rest / 1024)) text = pairs[rest % 1024] + text;
  return text;
}
