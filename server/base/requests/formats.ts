import { isIPv4, isIPv6 } from 'node:net';

/**
 * The formats that `request` schemas can name. The list is short and our own, because every check here takes linear
 * time on any text; other names have no effect (as JSON Schema requires for formats that a validator does not know).
 */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  email: isEmail,
  uri: isUri,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  date: isDate,
  time: isTime,
  'date-time': isDateTime,
  ipv4: isIPv4,
  ipv6: (text) => !text.includes('%') && isIPv6(text),
};

/** The addresses that mail systems accept in practice: dot-atoms before the `@`, a host name with a dot after it. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64 || text.length > 254) return false;
  const dotAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
  return dotAtom.test(text.slice(0, at)) && isHost(text.slice(at + 1));
}

function isHost(text: string): boolean {
  const labels = text.split('.');
  return (
    labels.length > 1 &&
    labels.every((label) => label.length <= 63 && /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i.test(label))
  );
}

/** Absolute, as RFC 3986 requires: a scheme, and no spaces or control characters, which the URL parser would tolerate. */
function isUri(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:[\x21-\x7e]+$/i.test(text) && URL.canParse(text);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!found) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && leap ? 29 : DAYS[month - 1];
  return last !== undefined && day >= 1 && day <= last;
}

/** RFC 3339: with seconds and an offset; 60 seconds only where a leap second is possible. */
function isTime(text: string): boolean {
  const found = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:z|[+-](\d{2}):(\d{2}))$/i.exec(text);
  if (!found) return false;
  const [hour, minute, second] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const [offsetHour, offsetMinute] = [Number(found[4] ?? 0), Number(found[5] ?? 0)];
  return (
    hour <= 23 &&
    minute <= 59 &&
    second <= 60 &&
    (second < 60 || minute % 30 === 29) &&
    offsetHour <= 23 &&
    offsetMinute <= 59
  );
}

function isDateTime(text: string): boolean {
  return /^[t ]$/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}
