import { Cron } from 'croner';
import { expect, test } from 'vitest';
import { fc } from '../tests/support/property.ts';
import { type CronPlan, cronOf, FIRST_PLANS, planOf } from './cron-plan.ts';

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((n) => String(n).padStart(2, '0')).join(':'));
const plan = fc.oneof(
  fc.record({ kind: fc.constant('minutes' as const), every: fc.integer({ min: 1, max: 59 }) }),
  fc.record({ kind: fc.constant('hourly' as const), minute: fc.integer({ min: 0, max: 59 }) }),
  fc.record({ kind: fc.constant('daily' as const), time }),
  fc.record({
    kind: fc.constant('weekly' as const),
    days: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
    time,
  }),
  fc.record({ kind: fc.constant('monthly' as const), day: fc.integer({ min: 1, max: 31 }), time }),
);

test('a plan is read from its pattern again, and the server can read the pattern', () => {
  fc.assert(
    fc.property(plan, (one) => {
      expect(planOf(cronOf(one))).toEqual(one);
      expect(new Cron(cronOf(one), { paused: true }).nextRun()).not.toBeNull();
    }),
    { numRuns: 200 },
  );
  for (const first of Object.values(FIRST_PLANS))
    expect(planOf(cronOf(first as Exclude<CronPlan, { kind: 'custom' }>))).toEqual(first);
});

test.each([
  ['0 9 * * 1-5', { kind: 'weekly', days: [1, 2, 3, 4, 5], time: '09:00' }],
  ['30  7 * * 0,6', { kind: 'weekly', days: [0, 6], time: '07:30' }],
  ['0 0 * * 5-7', { kind: 'weekly', days: [0, 5, 6], time: '00:00' }],
  ['* * * * *', { kind: 'minutes', every: 1 }],
])('%s is understood', (cron, expected) => {
  expect(planOf(cron)).toEqual(expected);
});

test.each([
  '',
  'soon',
  '0 9 * * MON',
  '0 9 1 * 1',
  '0 9 * 6 *',
  '0 0 9 * * *',
  '0,30 * * * *',
  '0 9-17 * * *',
  '0 9 L * *',
  '*/5 9 * * *',
])('%j stays a pattern', (cron) => {
  expect(planOf(cron)).toEqual({ kind: 'custom' });
});
