import { randomBytes } from 'node:crypto';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const BASE = DIGITS.length;
const COUNTER_DIGITS = 4;
const COUNTER_END = BASE ** COUNTER_DIGITS;
const TIME_DIGITS = 9;

/**
 * Makes run ids such as `01k6zq0f8` + `0003` + `9f31c2ab77`: time, count within the millisecond, and a random part of this
 * process. They sort by start, fit into a path and a header, and cost far less than a UUID. They are no secret: what a run
 * holds is guarded by the scope `runs:read`, not by its id.
 */
export function makeRunIds(now: () => number, process = randomBytes(5).toString('hex')): () => string {
  let time = -1;
  let prefix = '';
  let count = 0;

  return () => {
    const read = now();
    // A clock that is set back must not break the order.
    if (read > time || count === COUNTER_END) {
      time = Math.max(read, time + 1);
      prefix = digits(time, TIME_DIGITS);
      count = 0;
    }
    return prefix + digits(count++, COUNTER_DIGITS) + process;
  };
}

const pairs = Array.from(
  { length: BASE * BASE },
  (_, i) => DIGITS.charAt(Math.floor(i / BASE)) + DIGITS.charAt(i % BASE),
);

function digits(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = length; i > 1; i -= 2) {
    text = pairs[rest % (BASE * BASE)] + text;
    rest = Math.floor(rest / (BASE * BASE));
  }
  return length % 2 === 1 ? DIGITS.charAt(rest % BASE) + text : text;
}
