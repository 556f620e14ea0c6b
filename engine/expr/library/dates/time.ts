import type { DateTime } from 'luxon';
import { charge } from '../../budget.ts';
import { aType } from '../../read.ts';
import type { Facts } from '../../tools.ts';
import { wrongType } from '../entry.ts';
import { type Format, formatOf } from './format.ts';
import { badDate, type Luxon, type Zone, zoneNamed } from './zone.ts';

/** Steps that a function of dates costs: it takes as long as that many small ones. */
const COST = 20;
const DAY_MS = 86_400_000;
/** Smaller numbers are seconds (up to the year 5138), others milliseconds (from 1973 on). */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Reads and writes times in the zone of the flow, or in the one that is given. */
export class Times {
  private readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  get luxon(): Luxon {
    return this.facts.tools.dates() as Luxon;
  }

  zone(given: unknown): Zone {
    charge(COST);
    return zoneNamed(this.luxon, given ?? this.facts.timezone);
  }

  /** The time in the given zone, of Unix milliseconds. */
  at(milliseconds: number, zone: Zone): DateTime {
    return valid(this.luxon.DateTime.fromMillis(milliseconds, { zone }));
  }

  /** The time that a value says, in the given zone; texts that name none are of that zone. */
  read(value: unknown, zone: Zone, name: string): DateTime {
    charge(COST);
    if (typeof value === 'number') return this.at(millisecondsOf(value, name), zone);
    if (typeof value !== 'string')
      return wrongType(`\`${name}\` needs a date: a text or a number, but got ${aType(value)}.`);
    const text = value.trim();
    if (/^-?\d{9,}$/.test(text)) return this.at(millisecondsOf(Number(text), name), zone);
    return this.parsedText(text, zone) ?? unreadable(text);
  }

  private parsedText(text: string, zone: Zone): DateTime | undefined {
    const { DateTime } = this.luxon;
    if (text.length > 100) return undefined;
    // A time of day alone would be one of today's.
    if (/^[+-]?\d{4,6}(?!\d*:)/.test(text)) {
      const iso = text
        .replace(/^(\d{4}-\d\d?-\d\d?) +(?=\d)/, '$1T')
        .replace(/(?<=:\d\d(?:\.\d+)?) +(?=[+-]\d|Z$)/i, '');
      const full = /[T].*(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(iso);
      return this.settled(DateTime.fromISO(iso, { zone: full ? zone : 'utc' }), zone, full);
    }
    const mail = DateTime.fromRFC2822(text, { zone });
    return this.settled(mail.isValid ? mail : DateTime.fromHTTP(text, { zone }), zone, true);
  }

  /** The time that a text in a format says. */
  parse(value: unknown, pattern: unknown, zone: Zone): DateTime {
    charge(COST);
    const format = formatOf(pattern, 'date');
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string') return wrongType(`\`date\` needs text, but got ${aType(value)}.`);
    if (/^x$/i.test(format.text)) return this.at(unixTime(text, format.text), zone);
    if (!format.hasYear)
      badDate(
        `A date in the format \`${format.text}\` has no year, so no day is meant; add it to text and format.`,
      );
    return this.settledIn(text, format, zone);
  }

  private settledIn(text: string, { text: format, hasOffset }: Format, zone: Zone): DateTime {
    const options = { zone: hasOffset ? zone : 'utc', locale: 'en-US' };
    let found: DateTime | undefined;
    try {
      found = this.settled(this.luxon.DateTime.fromFormat(text, format, options), zone, hasOffset);
    } catch {
      // Luxon throws for parts that can only be written.
    }
    return (
      found ??
      badDate(`${quoted(text)} is not a date in the format \`${format}\`, or the day does not exist.`)
    );
  }

  private settled(parsed: DateTime, zone: Zone, isFull: boolean): DateTime | undefined {
    if (!parsed.isValid) return undefined;
    return isFull ? parsed : this.onClock(parsed, zone);
  }

  /**
   * The time at which the clocks of a zone show what the given time shows: the first, if they show it twice; if they
   * skip it, as much later as they skip.
   */
  onClock(shown: DateTime, zone: Zone): DateTime {
    const clock = shown.toMillis() + shown.offset * 60_000;
    const [before, after] = [zone.offset(clock - DAY_MS), zone.offset(clock + DAY_MS)];
    const fits = [before, after]
      .map((offset) => clock - offset * 60_000)
      .filter((time) => time + zone.offset(time) * 60_000 === clock);
    return this.at(fits.length > 0 ? Math.min(...fits) : clock - before * 60_000, zone);
  }
}

/** The time as ISO 8601, in its zone. An offset that is no whole number of minutes, as before 1900, cannot be written. */
export function isoText(time: DateTime): string {
  const writable = Number.isInteger(time.offset) ? time : time.toUTC();
  return valid(writable).toISO() ?? unreadable('');
}

/** Refuses times beyond what can be written. */
export function valid(time: DateTime): DateTime {
  if (time.isValid && Math.abs(time.year) <= 9999) return time;
  return badDate('The date is beyond the years that can be written, up to 9999.');
}

function millisecondsOf(value: number, name: string): number {
  if (!Number.isFinite(value)) return wrongType(`\`${name}\` needs a date, but got ${value}.`);
  return Math.trunc(Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value);
}

function unixTime(text: string, format: string): number {
  const found = /^\s*(-?\d{1,16}(?:\.\d{1,9})?)\s*$/.exec(text)?.[1];
  if (found === undefined)
    badDate(`${quoted(text)} is not a number of ${format === 'X' ? 'seconds' : 'milliseconds'}.`);
  return Math.trunc(Number(found) * (format === 'X' ? 1000 : 1));
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function unreadable(text: string): never {
  return badDate(
    `${quoted(text)} is not a date, or the day does not exist. Dates are like 2026-03-31 or 2026-03-31T09:30:00Z; for others, give their format: date(text, "dd.MM.yyyy").`,
  );
}
