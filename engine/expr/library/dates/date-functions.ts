import type { DateTime } from 'luxon';
import type { Facts } from '../../tools.ts';
import { type FunctionEntry, textOf, wrongType } from '../entry.ts';
import { formatOf } from './format.ts';
import { isoText, Times, valid } from './time.ts';
import { amountOf, amountsOf, calendarUnits, type Unit, unitOf } from './units.ts';
import { badDate, type Zone } from './zone.ts';

type Make = (times: Times, args: readonly unknown[]) => unknown;

interface Bound {
  readonly bind: (facts: Facts) => (...args: readonly unknown[]) => unknown;
}

/** The code of a function over times. */
function over(make: Make): Bound {
  return {
    bind: (facts) => {
      const times = new Times(facts);
      return (...args) => make(times, args);
    },
  };
}

const AS_TEXT = { returns: 'string' } as const;

/** Adds amounts; `sign` is 1 or -1. */
function moved(times: Times, sign: 1 | -1, [value, amount, unit, zone]: readonly unknown[]): string {
  const name = sign === 1 ? 'plus' : 'minus';
  const by = typeof amount === 'number' ? one(amount, unit, name) : amountsOf(amount, name);
  // With an object or a duration, no unit comes before the zone.
  const where = typeof amount === 'number' ? zone : (zone ?? unit);
  const amounts = [...by].map(([key, count]): [string, number] => {
    if (calendarUnits.includes(key) && !Number.isInteger(count))
      badDate(
        `\`${name}\` adds whole ${key}s only, since they differ in length; use smaller units for parts.`,
      );
    return [`${key}s`, sign * count];
  });
  const time = times.read(value, times.zone(where), name);
  return isoText(valid(time.plus(Object.fromEntries(amounts))));
}

function one(amount: number, unit: unknown, name: string): Map<Unit, number> {
  if (unit === undefined || unit === null)
    badDate(`\`${name}\` needs a unit behind the number, such as "days".`);
  return new Map([[unitOf(unit, name), amountOf(amount, name)]]);
}

const BELOW_DAY: readonly Unit[] = ['hour', 'minute', 'second', 'millisecond'];

function start(times: Times, time: DateTime, unit: Unit): DateTime {
  const found = time.startOf(unit);
  // The day may begin twice, or later than at midnight.
  return BELOW_DAY.includes(unit) ? found : times.onClock(found, time.zone as Zone);
}

function end(times: Times, time: DateTime, unit: Unit): DateTime {
  if (BELOW_DAY.includes(unit)) return time.endOf(unit);
  const first = start(times, time, unit);
  return start(times, first.plus({ [`${unit}s`]: 1 }), unit).minus(1);
}

function bounds(make: typeof start, name: string): Bound {
  return over((times, [value, unit, zone]) => {
    const time = times.read(value, times.zone(zone), name);
    return isoText(valid(make(times, time, unitOf(unit, name))));
  });
}

function compared(name: string, holds: (time: number, ...others: number[]) => boolean): Bound {
  return over((times, values) => {
    const zone = times.zone(undefined);
    const [first = 0, ...others] = values.map((value) => times.read(value, zone, name).toMillis());
    return holds(first, ...others);
  });
}

/** The clock with other parts; a part that the day or the month does not have is refused. */
function withParts(time: DateTime, given: unknown): DateTime {
  const clock = time.setZone('utc', { keepLocalTime: true });
  const set = clock.set(Object.fromEntries(amountsOf(given, 'setParts')));
  for (const [unit, count] of amountsOf(given, 'setParts')) {
    if (unit === 'week' || set[unit] !== count)
      badDate(`\`setParts\` cannot make the ${unit} ${count}, since there is none.`);
  }
  return set;
}

const parts: Readonly<Record<string, (time: DateTime) => number>> = {
  year: (time) => time.year,
  quarter: (time) => time.quarter,
  month: (time) => time.month,
  week: (time) => time.weekNumber,
  weekYear: (time) => time.weekYear,
  day: (time) => time.day,
  weekday: (time) => time.weekday,
  dayOfYear: (time) => time.ordinal,
  hour: (time) => time.hour,
  minute: (time) => time.minute,
  second: (time) => time.second,
  millisecond: (time) => time.millisecond,
  daysInMonth: (time) => time.daysInMonth ?? 0,
  offset: (time) => time.offset,
};

function partOf(time: DateTime, part: unknown): number {
  const name = textOf(part, 'datePart');
  const read = Object.hasOwn(parts, name) ? parts[name] : undefined;
  return read ? read(time) : badDate(`\`datePart\` knows ${Object.keys(parts).join(', ')}.`);
}

/** A language like `de` or `pt-BR`; extensions are left out, since each would be kept. */
function localeOf(value: unknown): string {
  const text = textOf(value ?? 'en-US', 'formatDate');
  if (/^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i.test(text)) return text;
  return badDate(`There is no language ${JSON.stringify(text.slice(0, 40))}; write it like de or pt-BR.`);
}

const LENGTHS: Readonly<Partial<Record<Unit, number>>> = {
  week: 604_800_000,
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};

function durationIn(value: unknown, unit: unknown): number {
  const amounts =
    typeof value === 'number'
      ? new Map<Unit, number>([['millisecond', value]])
      : amountsOf(value, 'duration');
  const lengthOf = (of: Unit): number =>
    LENGTHS[of] ??
    badDate(`A ${of} has no fixed length; use \`diff(plus(time, duration), time, unit)\` from a time on.`);
  let total = 0;
  for (const [key, count] of amounts) total += count * lengthOf(key);
  return total / lengthOf(unitOf(unit ?? 'milliseconds', 'duration'));
}

/** Functions over times, which are ISO 8601 texts. */
export const dateFunctions: Readonly<Record<string, FunctionEntry>> = {
  now: {
    signature: 'now(zone?)',
    doc: 'The time at which the run started, the same everywhere in it, in the zone of the flow or the given one.',
    ...AS_TEXT,
    takes: ['zone'],
    reads: 'start',
    ...over((times, [start, zone]) => isoText(times.at(start as number, times.zone(zone)))),
  },
  clock: {
    signature: 'clock(zone?)',
    doc: 'The time at this moment, which is later at each reading; a durable run that goes on after a restart reads it again.',
    ...AS_TEXT,
    takes: ['zone'],
    reads: 'now',
    ...over((times, [now, zone]) => isoText(times.at(now as number, times.zone(zone)))),
  },
  today: {
    signature: 'today(zone?)',
    doc: 'The start of the day on which the run started.',
    ...AS_TEXT,
    takes: ['zone'],
    reads: 'start',
    ...over((times, [now, zone]) => isoText(start(times, times.at(now as number, times.zone(zone)), 'day'))),
  },
  date: {
    signature: 'date(value, format?, zone?)',
    doc: 'The time in a text (ISO 8601, RFC 2822 as in mails, or the given format) or number (seconds, from 100,000,000,000 on milliseconds). A text that names no zone is of the given one, or of the flow’s.',
    ...AS_TEXT,
    takes: ['any', 'format', 'zone'],
    ...over((times, [value, format, zone]) => {
      const where = times.zone(zone);
      const isGiven = format !== undefined && format !== null;
      return isoText(isGiven ? times.parse(value, format, where) : times.read(value, where, 'date'));
    }),
  },
  formatDate: {
    signature: 'formatDate(time, format, zone?, locale?)',
    doc: 'The time as text in a format such as `yyyy-MM-dd HH:mm`, `cccc d LLLL` or `DDD`, in a zone and a language.',
    ...AS_TEXT,
    takes: ['any', 'format', 'zone', 'string'],
    ...over((times, [value, pattern, zone, locale]) => {
      const { text } = formatOf(pattern, 'formatDate');
      const time = times.read(value, times.zone(zone), 'formatDate');
      return time.setLocale(localeOf(locale)).toFormat(text);
    }),
  },
  plus: {
    signature: 'plus(time, amount, unit?, zone?)',
    doc: 'A later time: `plus(time, 3, "days")`, `plus(time, { months: 1, hours: 2 })` or `plus(time, "P1M")`. Days and longer units keep the time of day in the zone; at the end of a month it is its last day.',
    ...AS_TEXT,
    takes: ['any', 'any', 'string', 'zone'],
    ...over((times, args) => moved(times, 1, args)),
  },
  minus: {
    signature: 'minus(time, amount, unit?, zone?)',
    doc: 'An earlier time, as in `plus`.',
    ...AS_TEXT,
    takes: ['any', 'any', 'string', 'zone'],
    ...over((times, args) => moved(times, -1, args)),
  },
  setParts: {
    signature: 'setParts(time, parts, zone?)',
    doc: 'The time with other parts: `setParts(now(), { hour: 9, minute: 0, second: 0, millisecond: 0 })`.',
    ...AS_TEXT,
    takes: ['any', 'object', 'zone'],
    ...over((times, [value, given, zone]) => {
      const where = times.zone(zone);
      return isoText(times.onClock(withParts(times.read(value, where, 'setParts'), given), where));
    }),
  },
  startOf: {
    signature: 'startOf(time, unit, zone?)',
    doc: 'The start of the year, quarter, month, week (Monday), day, hour, minute or second in which the time is.',
    ...AS_TEXT,
    takes: ['any', 'unit', 'zone'],
    ...bounds(start, 'startOf'),
  },
  endOf: {
    signature: 'endOf(time, unit, zone?)',
    doc: 'The last millisecond of the unit in which the time is.',
    ...AS_TEXT,
    takes: ['any', 'unit', 'zone'],
    ...bounds(end, 'endOf'),
  },
  inZone: {
    signature: 'inZone(time, zone)',
    doc: 'The same time, written in another zone.',
    ...AS_TEXT,
    takes: ['any', 'zone'],
    ...over((times, [value, zone]) =>
      isoText(
        times.read(
          value,
          times.zone(zone ?? wrongType('`inZone` needs a zone, such as Europe/Oslo.')),
          'inZone',
        ),
      ),
    ),
  },
  diff: {
    signature: 'diff(time, other, unit, zone?)',
    doc: 'How many units the time is after the other one, with decimal places; negative if it is before.',
    returns: 'number',
    takes: ['any', 'any', 'unit', 'zone'],
    ...over((times, [value, other, unit, zone]) => {
      const where = times.zone(zone);
      const [a, b] = [times.read(value, where, 'diff'), times.read(other, where, 'diff')];
      const key = `${unitOf(unit, 'diff')}s` as `${Unit}s`;
      return a.diff(b, key).as(key);
    }),
  },
  isBefore: {
    signature: 'isBefore(time, other)',
    doc: 'Whether the time is before the other one, whatever zones they are written in.',
    returns: 'boolean',
    ...compared('isBefore', (time, other = 0) => time < other),
  },
  isAfter: {
    signature: 'isAfter(time, other)',
    doc: 'Whether the time is after the other one.',
    returns: 'boolean',
    ...compared('isAfter', (time, other = 0) => time > other),
  },
  isBetween: {
    signature: 'isBetween(time, from, to)',
    doc: 'Whether the time is at or after `from`, and before `to`.',
    returns: 'boolean',
    ...compared('isBetween', (time, from = 0, to = 0) => time >= from && time < to),
  },
  isSame: {
    signature: 'isSame(time, other, unit?, zone?)',
    doc: 'Whether two times are the same moment, or in the same unit, such as on the same day.',
    returns: 'boolean',
    takes: ['any', 'any', 'unit', 'zone'],
    ...over((times, [value, other, unit, zone]) => {
      const where = times.zone(zone);
      const [a, b] = [times.read(value, where, 'isSame'), times.read(other, where, 'isSame')];
      const of = unitOf(unit ?? 'millisecond', 'isSame');
      return start(times, a, of).toMillis() === start(times, b, of).toMillis();
    }),
  },
  weekday: {
    signature: 'weekday(time, zone?)',
    doc: 'The day of the week, from 1 for Monday to 7 for Sunday.',
    returns: 'integer',
    takes: ['any', 'zone'],
    ...over((times, [value, zone]) => times.read(value, times.zone(zone), 'weekday').weekday),
  },
  datePart: {
    signature: 'datePart(time, part, zone?)',
    doc: 'A part of a time as number: year, quarter, month, week (ISO), weekYear, day, weekday, dayOfYear, hour, minute, second, millisecond, daysInMonth, or offset (minutes from UTC).',
    returns: 'number',
    takes: ['any', 'string', 'zone'],
    ...over((times, [value, part, zone]) => partOf(times.read(value, times.zone(zone), 'datePart'), part)),
  },
  timestamp: {
    signature: 'timestamp(time, unit?)',
    doc: 'The milliseconds since 1970-01-01T00:00:00Z, or the whole seconds with `"seconds"`.',
    returns: 'number',
    takes: ['any', 'unit'],
    ...over((times, [value, unit]) => {
      const milliseconds = times.read(value, times.zone(undefined), 'timestamp').toMillis();
      const of = unitOf(unit ?? 'millisecond', 'timestamp');
      return Math.floor(milliseconds / (LENGTHS[of] ?? durationIn({ [of]: 1 }, of)));
    }),
  },
  duration: {
    signature: 'duration(value, unit?)',
    doc: 'A duration such as `PT1H30M` or `{ hours: 1, minutes: 30 }` as number of units, milliseconds by default.',
    returns: 'number',
    takes: ['any', 'unit'],
    run: (value, unit) => durationIn(value, unit),
  },
};

/** Those that are methods of texts too. */
export const dateMethods: readonly string[] = Object.keys(dateFunctions).filter(
  (name) => !['now', 'clock', 'today', 'date', 'duration'].includes(name),
);
