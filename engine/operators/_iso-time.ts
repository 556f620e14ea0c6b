import { WeftError } from '../base/operator.ts';

/**
 * Times as ISO 8601 texts in UTC and as milliseconds since 1970. Implemented here, since the engine has no clock and no
 * Date.
 */

const DAY_MS = 86_400_000;
/** The same range of days before and after 1970 as JavaScript's own dates. */
const MAX_MS = 8_640_000_000_000_000;
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?)?$/;

/** Throws `bad_input` for a number that is no time. */
export function checkedMs(ms: number): number {
  if (Math.abs(ms) <= MAX_MS) return ms;
  throw new WeftError('bad_input', `${ms} is not a valid time in milliseconds.`);
}

/**
 * `2026-03-01T12:30:00.000Z`.
 * @throws WeftError `bad_input` for a number outside the years 0 to 9999.
 */
export function isoText(ms: number): string {
  const whole = Math.floor(checkedMs(ms));
  const days = Math.floor(whole / DAY_MS);
  const rest = whole - days * DAY_MS;
  const { year, month, day } = dateOf(days);
  if (year < 0 || year > 9999)
    throw new WeftError('bad_input', `${ms} is in the year ${year}, which does not have four digits.`);
  const [hours, minutes, seconds] = [rest / 3_600_000, (rest / 60_000) % 60, (rest / 1000) % 60].map(
    Math.floor,
  );
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  return `${date}T${pad(hours)}:${pad(minutes)}:${pad(seconds)}.${pad(rest % 1000, 3)}Z`;
}

/**
 * Parses a date, or a date with a time; without an offset it is UTC.
 * @throws WeftError `bad_input` for any other text, and for days and hours that do not exist.
 */
export function isoMs(text: string): number {
  const parts = text.length <= 60 ? ISO.exec(text.trim()) : null;
  if (!parts) throw notIso(text);
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const days = daysOf(year, month, day);
  const exists = sameDate(dateOf(days), { year, month, day }) && hour < 24 && minute < 60 && second < 60;
  const offset = (Number(parts[10] ?? 0) * 60 + Number(parts[11] ?? 0)) * (parts[9] === '-' ? -1 : 1);
  if (!exists || Math.abs(offset) >= 24 * 60) throw notIso(text);
  const ms = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  return days * DAY_MS + ((hour * 60 + minute - offset) * 60 + second) * 1000 + ms;
}

interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function sameDate(a: CalendarDay, b: CalendarDay): boolean {
  return a.year === b.year && a.month === b.month && a.day === b.day;
}

// Both count years from March, so that the leap day is the last day of a year; 400 years have 146,097 days.

function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function dateOf(days: number): CalendarDay {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

function pad(value: number | undefined, digits = 2): string {
  return String(value).padStart(digits, '0');
}

function notIso(text: string): WeftError {
  const shown = JSON.stringify(text.slice(0, 60));
  return new WeftError(
    'bad_input',
    `${shown} is not a time; write it as 2026-03-01 or 2026-03-01T12:30:00Z.`,
  );
}
