const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** `Tue, 03 Mar 2026 08:00:00 +0100`, the form of mails. */
const MAIL =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})\s+([a-z]{3})[a-z]*\s+(\d{2}|\d{4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([-+]\d{2}:?\d{2}|[a-z]{1,4})?$/i;
/** `2026-03-03T08:00:00.5+01:00`. */
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[-+]\d{2}:?\d{2})?)?$/i;
/** Hours of the zones that RFC 822 names. */
const ZONES: Readonly<Record<string, number>> = {
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

/** A date of a feed in the form of ISO 8601, to the second and in UTC; undefined for what cannot be read. */
export function feedDate(text: string): string | undefined {
  const mail = MAIL.exec(text.trim());
  if (mail) {
    const [, day, name = '', year = '', ...time] = mail;
    const whole = year.length === 2 ? Number(year) + (Number(year) < 70 ? 2000 : 1900) : Number(year);
    return written(whole, MONTHS.indexOf(name.toLowerCase()) + 1, Number(day), time);
  }
  const [all, year, month, day, ...time] = ISO.exec(text.trim()) ?? [];
  return all === undefined ? undefined : written(Number(year), Number(month), Number(day), time);
}

type Time = readonly (string | undefined)[];

function written(year: number, month: number, day: number, [h, m, s, zone]: Time): string | undefined {
  const [hour, minute, second] = [Number(h ?? 0), Number(m ?? 0), Number(s ?? 0)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 24 || minute > 59 || second > 60) return undefined;
  const at = (hour * 60 + minute - offsetOf(zone)) * 60 + second;
  return isoText(dayNumber(year, month, day) + Math.floor(at / 86_400), ((at % 86_400) + 86_400) % 86_400);
}

/** In minutes; a zone that is unknown counts as UTC. */
function offsetOf(zone = 'z'): number {
  const [, sign, hours, minutes] = /^([-+])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (sign === undefined) return (ZONES[zone.toLowerCase()] ?? 0) * 60;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days from 1 March of the year 0; years begin in March, so that the leap day is their last. */
function dayNumber(year: number, month: number, day: number): number {
  const from = month < 3 ? year - 1 : year;
  const leaps = Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400);
  return from * 365 + leaps + Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
}

function isoText(days: number, seconds: number): string {
  let year = Math.floor(days / 365.2425) + 1;
  while (dayNumber(year, 1, 1) > days) year--;
  let month = 1;
  while (month < 12 && dayNumber(year, month + 1, 1) <= days) month++;
  const day = days - dayNumber(year, month, 1) + 1;
  const two = (n: number): string => String(n).padStart(2, '0');
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${time}.000Z`;
}
