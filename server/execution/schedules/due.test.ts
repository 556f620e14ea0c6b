import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { dueTimes, LATE_MS, MAX_CATCH_UP } from './due.ts';
import { timesOf } from '../../base/requests/schedule-spec.ts';

const minutes = timesOf({ cron: '* * * * *', timezone: 'UTC' });
const at = (text: string) => Date.parse(`2026-03-01T${text}Z`);
const clock = (ms: number) => new Date(ms).toISOString().slice(11, 19);

describe('the times that are due', () => {
  const night = { last: at('01:00:00'), since: at('04:29:50'), now: at('04:30:05') };

  test.each([
    ['none', ['04:30:00']],
    ['latest', ['04:30:00']],
  ] as const)('with catchUp %s after three hours of rest: %j', (catchUp, expected) => {
    expect(dueTimes(minutes, catchUp, night).due.map((due) => clock(due.at))).toEqual(expected);
  });

  test('one run for the latest of the missed ones, when none is due right now', () => {
    const hourly = timesOf({ cron: '0 * * * *', timezone: 'UTC' });
    expect(dueTimes(hourly, 'latest', night).due).toEqual([{ at: at('04:00:00'), late: true }]);
    expect(dueTimes(hourly, 'none', night)).toEqual({ due: [], seen: at('04:00:00') });
    expect(dueTimes(hourly, 'all', night).due.map((due) => clock(due.at))).toEqual([
      '02:00:00',
      '03:00:00',
      '04:00:00',
    ]);
  });

  test('none within a pause, and the latest of the others', () => {
    const hourly = timesOf({ cron: '0 * * * *', timezone: 'UTC' });
    const pause = { at: at('03:00:00'), until: at('04:00:01') };
    expect(dueTimes(hourly, 'latest', { ...night, pause })).toEqual({
      due: [{ at: at('02:00:00'), late: true }],
      seen: at('04:00:00'),
    });
    const endless = { at: at('01:30:00'), until: undefined };
    expect(dueTimes(hourly, 'all', { ...night, pause: endless })).toEqual({ due: [], seen: at('04:00:00') });
  });

  test.each([
    ['none', []],
    ['latest', ['04:30:19']],
    ['all', ['04:30:17', '04:30:18', '04:30:19']],
  ] as const)('with catchUp %s after three seconds of rest: %j', (catchUp, expected) => {
    const seconds = timesOf({ cron: '* * * * * *', timezone: 'UTC' });
    const rest = { last: at('04:30:16'), since: at('04:30:19') + 500, now: at('04:30:19') + 600 };
    const { due } = dueTimes(seconds, catchUp, rest);
    expect(due).toEqual(expected.map((time) => ({ at: at(time), late: true })));
  });

  test('a year of missed seconds is handled quickly and gives at most a hundred runs', () => {
    const seconds = timesOf({ cron: '* * * * * *', timezone: 'UTC' });
    const now = at('00:00:00') + 365 * 86_400_000;
    const { due } = dueTimes(seconds, 'all', { last: at('00:00:00'), since: now, now });
    expect(due.length).toBeLessThanOrEqual(MAX_CATCH_UP);
  });

  test('no time is due twice and none is lost, however the clock is read and wherever it jumps', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -600, max: 600 }), { maxLength: 30 }),
        fc.constantFrom('none' as const, 'latest' as const, 'all' as const),
        (steps, catchUp) => {
          let now = at('12:00:00');
          let last = now;
          let highest = now;
          const started: number[] = [];
          for (const seconds of steps) {
            now += seconds * 1000;
            highest = Math.max(highest, now);
            const { due, seen } = dueTimes(minutes, catchUp, { last, since: 0, now });
            started.push(...due.map((one) => one.at));
            last = seen;
          }
          expect(new Set(started).size).toBe(started.length);
          expect(started).toEqual([...started].sort((a, b) => a - b));
          const passed = Math.floor((highest - at('12:00:00')) / 60_000);
          if (catchUp === 'all') expect(started).toHaveLength(passed);
        },
      ),
    );
  });

  test('a run that is a minute late is marked late', () => {
    const now = at('12:00:00') + LATE_MS + 1;
    expect(dueTimes(minutes, 'all', { last: at('11:59:30'), since: 0, now }).due).toEqual([
      { at: at('12:00:00'), late: true },
      { at: at('12:01:00'), late: false },
    ]);
  });
});

describe('a schedule', () => {
  test('is read in its time zone, also where the clocks change', () => {
    const oslo = timesOf({ cron: '30 2 * * *', timezone: 'Europe/Oslo' });
    const next = (from: string) => new Date(oslo.after(Date.parse(from)) ?? 0).toISOString();
    expect(next('2026-03-27T12:00:00Z')).toBe('2026-03-28T01:30:00.000Z');
    // On this day there is no half past two: the clocks go from 2 to 3.
    expect(next('2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
    expect(next('2026-03-29T12:00:00Z')).toBe('2026-03-30T00:30:00.000Z');
  });

  test('that cannot be read gives the reason', () => {
    expect(() => timesOf({ cron: '61 * * * *', timezone: 'UTC' })).toThrow(
      /"61 \* \* \* \*" is not a schedule/,
    );
    expect(() => timesOf({ cron: 'soon', timezone: 'UTC' })).toThrow(/is not a schedule/);
    expect(() => timesOf({ cron: '* * * * *', timezone: 'Mars/North' })).toThrow(
      /no time zone "Mars\/North"/,
    );
  });
});
