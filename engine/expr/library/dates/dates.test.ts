import { describe, expect, test } from 'vitest';
import { fc } from '../../../../tests/support/property.ts';
import { compileExpression, parseExpression } from '../../index.ts';
import { env, evaluate, type Scope, thrown } from '../../testing/evaluate.ts';

/** The value of an expression of a flow in this zone. */
function inFlow(timezone: string, source: string, input: unknown = {}): unknown {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw parsed.error;
  const compiled = compileExpression<Scope>(parsed.ast, { ...env, timezone });
  if (!compiled.ok) throw compiled.errors[0];
  return compiled.evaluate({ input });
}

describe('examples', () => {
  test.each<[string, unknown]>([
    ['now()', '2026-11-27T09:30:00.000Z'],
    ['now("Asia/Kolkata")', '2026-11-27T15:00:00.000+05:30'],
    ['clock()', '2026-11-27T09:31:00.000Z'],
    ['today()', '2026-11-27T00:00:00.000Z'],
    ['today("Pacific/Auckland")', '2026-11-27T00:00:00.000+13:00'],
    ['date("2026-03-31")', '2026-03-31T00:00:00.000Z'],
    ['date("2026-03-31 08:15:30.5")', '2026-03-31T08:15:30.500Z'],
    ['date("2026-03-31 08:15:30 +02")', '2026-03-31T06:15:30.000Z'],
    ['date("2026-03-31T08:15+02:00")', '2026-03-31T06:15:00.000Z'],
    ['date("20260331")', '2026-03-31T00:00:00.000Z'],
    ['date("2026-W53-7")', '2027-01-03T00:00:00.000Z'],
    ['date("2024-366")', '2024-12-31T00:00:00.000Z'],
    ['date("Fri, 27 Nov 2026 10:00:00 +0100")', '2026-11-27T09:00:00.000Z'],
    ['date("Fri, 27 Nov 2026 10:00:00 GMT")', '2026-11-27T10:00:00.000Z'],
    ['date(1772000000)', '2026-02-25T06:13:20.000Z'],
    ['date(1772000000123)', '2026-02-25T06:13:20.123Z'],
    ['date("1772000000123")', '2026-02-25T06:13:20.123Z'],
    ['date(0)', '1970-01-01T00:00:00.000Z'],
    ['date("31.12.2026 08:15", "dd.MM.yyyy HH:mm")', '2026-12-31T08:15:00.000Z'],
    ['date("31.12.2026 08:15", "dd.MM.yyyy HH:mm", "America/New_York")', '2026-12-31T08:15:00.000-05:00'],
    ['date("12/31/26, 8:15 PM +0300", "M/d/yy, h:mm a ZZZ")', '2026-12-31T17:15:00.000Z'],
    ['date(1772000000, "X")', '2026-02-25T06:13:20.000Z'],
    ['date("99000000000", "x")', '1973-02-19T20:00:00.000Z'],
    ['formatDate("2026-03-09T14:05:00Z", "yyyy-LL-dd HH:mm")', '2026-03-09 14:05'],
    ['formatDate("2026-03-09T14:05:00Z", "d LLLL, cccc", "Europe/Berlin", "de")', '9 März, Montag'],
    ['formatDate(0, "\'Year\' yyyy")', 'Year 1970'],
    ['formatDate("2026-03-09", "DDD")', 'March 9, 2026'],
    ['"2026-03-09".formatDate("kkkk-\'W\'WW")', '2026-W11'],
    ['plus("2026-01-31", 1, "month")', '2026-02-28T00:00:00.000Z'],
    ['plus("2024-02-29", 1, "year")', '2025-02-28T00:00:00.000Z'],
    ['plus("2026-01-31", { months: 1, hours: 12 })', '2026-02-28T12:00:00.000Z'],
    ['plus("2026-01-31", "P1M2DT3H")', '2026-03-02T03:00:00.000Z'],
    ['plus("2026-01-31", "-P1D")', '2026-01-30T00:00:00.000Z'],
    ['"2026-01-31".minus(90, "minutes")', '2026-01-30T22:30:00.000Z'],
    ['plus("2026-03-28T12:00", 1, "day", "Europe/Oslo")', '2026-03-29T12:00:00.000+02:00'],
    ['plus("2026-03-28T12:00", 24, "hours", "Europe/Oslo")', '2026-03-29T13:00:00.000+02:00'],
    ['plus("2026-03-28T12:00", { days: 1 }, "Europe/Oslo")', '2026-03-29T12:00:00.000+02:00'],
    ['setParts("2026-11-27T09:30:45.5Z", { hour: 7, minute: 0 })', '2026-11-27T07:00:45.500Z'],
    ['setParts("2026-01-31", { month: 2 }, "Asia/Tokyo")', '2026-02-28T00:00:00.000+09:00'],
    ['startOf("2026-11-27T09:30:00Z", "week")', '2026-11-23T00:00:00.000Z'],
    ['startOf("2026-11-27T23:30:00Z", "day", "Europe/Oslo")', '2026-11-28T00:00:00.000+01:00'],
    ['endOf("2026-02-10", "month")', '2026-02-28T23:59:59.999Z'],
    ['endOf("2026-02-10", "quarter")', '2026-03-31T23:59:59.999Z'],
    ['endOf("2026-02-10T10:20:00Z", "hour")', '2026-02-10T10:59:59.999Z'],
    ['inZone("2026-11-27T09:30:00Z", "+05:45")', '2026-11-27T15:15:00.000+05:45'],
    ['diff("2026-03-30", "2026-03-28", "days", "Europe/Oslo")', 2],
    ['diff("2026-03-30", "2026-03-28", "hours", "Europe/Oslo")', 47],
    ['diff("2026-01-01", "2026-01-02T12:00", "days")', -1.5],
    ['"2026-05-01".diff("2026-01-01", "months")', 4],
    ['isBefore("2026-01-01T00:30:00+01:00", "2026-01-01T00:00:00Z")', true],
    ['isAfter("2026-01-02", 1767225600)', true],
    [
      '[isBetween("2026-01-01", "2026-01-01", "2026-02-01"), isBetween("2026-02-01", "2026-01-01", "2026-02-01")]',
      [true, false],
    ],
    [
      '[isSame("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"), isSame("2026-01-01T23:00Z", "2026-01-02T01:00Z", "day", "Europe/Oslo")]',
      [true, true],
    ],
    ['[weekday("2026-11-27"), weekday("2026-11-29")]', [5, 7]],
    [
      '["year", "week", "dayOfYear", "daysInMonth", "offset"].map(p => datePart("2024-02-29", p, "Asia/Kolkata"))',
      [2024, 9, 60, 29, 330],
    ],
    ['[timestamp("1970-01-02"), timestamp("1970-01-02T00:00:00.999Z", "seconds")]', [86_400_000, 86_400]],
    [
      '[duration("PT1H30M"), duration("P1W", "days"), duration({ hours: 1, minutes: 30 }, "hours"), duration(1500, "seconds")]',
      [5_400_000, 7, 1.5, 1.5],
    ],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });

  test('texts without a zone are of the flow, and results are written in it', () => {
    expect(inFlow('Europe/Oslo', 'date("2026-07-01T12:00")')).toBe('2026-07-01T12:00:00.000+02:00');
    expect(inFlow('Europe/Oslo', 'now()')).toBe('2026-11-27T10:30:00.000+01:00');
    expect(inFlow('Europe/Oslo', 'formatDate("2026-12-31T23:30:00Z", "yyyy")')).toBe('2027');
  });
});

describe('clock changes', () => {
  test.each([
    [
      'a time that is skipped counts as much later',
      'Europe/Oslo',
      'date("2026-03-29T02:30")',
      '2026-03-29T03:30:00.000+02:00',
    ],
    [
      'a time that comes twice is the first',
      'Europe/Oslo',
      'date("2026-10-25T02:30")',
      '2026-10-25T02:30:00.000+02:00',
    ],
    [
      'the second one is written with its offset',
      'Europe/Oslo',
      'date("2026-10-25T02:30+01:00")',
      '2026-10-25T02:30:00.000+01:00',
    ],
    [
      'a day begins at the first midnight',
      'America/Havana',
      'startOf("2026-11-01T12:00", "day")',
      '2026-11-01T00:00:00.000-04:00',
    ],
    [
      'a day begins after a midnight that is skipped',
      'America/Sao_Paulo',
      'startOf("2018-11-04T12:00", "day")',
      '2018-11-04T01:00:00.000-02:00',
    ],
    [
      'a day can be 23 hours long',
      'Europe/Oslo',
      'diff(endOf("2026-03-29", "day"), "2026-03-29", "hours").round()',
      23,
    ],
    [
      'a whole day can be skipped',
      'Pacific/Apia',
      'date("2011-12-30T12:00")',
      '2011-12-31T12:00:00.000+14:00',
    ],
    [
      'an offset with seconds is written in UTC',
      'Europe/Berlin',
      'date("1880-01-01T12:00")',
      '1880-01-01T11:06:32.000Z',
    ],
  ])('%s', (_, zone, source, value) => {
    expect(inFlow(zone, source)).toEqual(value);
  });
});

describe('what does not exist is refused with what to write', () => {
  test.each([
    ['date("2026-02-30")', /does not exist/],
    ['date("2023-02-29")', /does not exist/],
    ['date("2026-W54-1")', /does not exist/],
    ['date("12:30")', /is not a date/],
    ['date("")', /is not a date/],
    ['date("27/11/2026")', /give their format/],
    ['date("31.02.2026", "dd.MM.yyyy")', /does not exist/],
    ['date("10:30", "HH:mm")', /has no year/],
    ['date("2026", "YYYY")', /`yyyy`/],
    ['formatDate(now(), "yyyy-MM-DD")', /`dd`/],
    ['formatDate(now(), "DD.MM.YYYY")', /`(?:dd|yyyy)`/],
    ['formatDate(now(), "hour")', /single quotes/],
    ['date("1e9", "X")', /number of seconds/],
    ['formatDate(now(), " ")', /1 to 200/],
    ['formatDate(now(), "yyyy", null, "x_y")', /language/],
    ['now("Mars/North")', /no time zone/],
    ['inZone(now(), "")', /no time zone/],
    ['inZone(now(), "+99:00")', /no time zone/],
    ['plus(now(), 1)', /needs a unit/],
    ['plus(now(), 1, "dayz")', /`day`/],
    ['plus(now(), 1.5, "months")', /whole months/],
    ['plus(now(), "1 day")', /P7D/],
    ['plus(now(), 9000, "years")', /9999/],
    ['date(9e15)', /9999/],
    ['duration("P1M", "days")', /no fixed length/],
    ['datePart(now(), "century")', /knows year/],
    ['startOf(now(), "decade")', /one of/],
    ['setParts("2026-02-01", { day: 30 })', /there is none/],
    ['setParts(now(), { hour: 24 })', /there is none/],
  ])('%s', (source, message) => {
    // Joined, so that they are known in a run only.
    const joined = source.replace(/"[^"]*"/g, '($& + "")');
    expect(thrown(() => evaluate(joined))).toMatchObject({
      code: 'bad_date',
      message: expect.stringMatching(message),
      data: { start: expect.any(Number) },
    });
  });

  test.each([
    ['formatDate(input, "YYYY-MM-dd")', 18],
    ['now("Mars/North")', 4],
    ['input.startOf("dayz")', 14],
    ['input.diff(input, "day", "x")', 25],
  ])('%s is a problem before a run', (source, offset) => {
    expect(thrown(() => evaluate(source))).toMatchObject({ code: 'expression-syntax', offset });
  });

  test.each([
    'date(null)',
    'date([])',
    'date(0 / 0)',
    'plus(now(), null, "days")',
    'plus(now(), { days: "1" })',
  ])('%s is no date', (source) => {
    expect(thrown(() => evaluate(source)).code).toBe('expression_type');
  });
});

const zones = [
  'UTC',
  'Europe/Oslo',
  'America/New_York',
  'America/Havana',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Asia/Tehran',
];
const times = fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2060, 0, 1) });

/** What the clocks of a zone show, by the platform. */
function shown(time: number, zone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return format.format(time);
}

describe('for any time in any zone', () => {
  test('formatDate says what the platform says, and the text of a time is that time', () => {
    fc.assert(
      fc.property(times, fc.constantFrom(...zones), (time, zone) => {
        const input = { time, zone };
        expect(evaluate('formatDate(input.time, "yyyy-MM-dd HH:mm:ss", input.zone)', input)).toBe(
          shown(time, zone),
        );
        expect(evaluate('timestamp(inZone(input.time, input.zone))', input)).toBe(time);
      }),
      { numRuns: 300 },
    );
  });

  test('what the clocks show is read as the first time at which they show it', () => {
    fc.assert(
      fc.property(times, fc.constantFrom(...zones), (time, zone) => {
        const whole = Math.floor(time / 1000) * 1000;
        const text = shown(whole, zone);
        const read = evaluate('timestamp(date(input.text, null, input.zone))', { text, zone }) as number;
        expect(shown(read, zone)).toBe(text);
        expect(read).toBeLessThanOrEqual(whole);
        expect(whole - read).toBeLessThanOrEqual(86_400_000);
      }),
      { numRuns: 300 },
    );
  });

  test('a day starts at its first moment and ends at its last', () => {
    fc.assert(
      fc.property(times, fc.constantFrom(...zones), (time, zone) => {
        const bound = (name: string) =>
          evaluate(`timestamp(${name}(input.time, "day", input.zone))`, { time, zone }) as number;
        const day = (at: number) => shown(at, zone).slice(0, 10);
        const [start, end] = [bound('startOf'), bound('endOf')];
        expect([day(start), day(end)]).toEqual([day(time), day(time)]);
        expect([day(start - 1), day(end + 1)]).not.toContain(day(time));
      }),
      { numRuns: 300 },
    );
  });

  test('days and months are added on the calendar, and ISO weeks begin on Monday', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: -400, max: 400 }), (time, count) => {
        const input = { time, count };
        const days = new Date(time);
        days.setUTCDate(days.getUTCDate() + count);
        expect(evaluate('timestamp(plus(input.time, input.count, "days"))', input)).toBe(days.getTime());
        const first = new Date(time);
        const last = new Date(
          Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + count + 1, 0),
        ).getUTCDate();
        const month = Date.UTC(
          first.getUTCFullYear(),
          first.getUTCMonth() + count,
          Math.min(first.getUTCDate(), last),
        );
        expect(evaluate('timestamp(startOf(plus(input.time, input.count, "months"), "day"))', input)).toBe(
          month,
        );
        const monday = evaluate('timestamp(startOf(input.time, "week"))', input) as number;
        expect(new Date(monday).getUTCDay()).toBe(1);
        expect(time - monday).toBeLessThan(7 * 86_400_000);
      }),
      { numRuns: 200 },
    );
  });
});
