import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { createBodyBudget, type HeldBody, SMALL_BODY } from './body-budget.ts';

const KB = 1024;

function bed(total: number) {
  const clock = { now: 0 };
  const budget = createBodyBudget(total, () => clock.now);
  const dropped: string[] = [];
  return { clock, budget, dropped, open: (name: string) => budget.open(() => dropped.push(name)) };
}

test('the large body that came slowest makes room, not the one that came last', () => {
  const { clock, dropped, open } = bed(1000 * KB);
  const slow = open('slow');
  expect(slow.hold(400 * KB)).toBe(true);
  clock.now = 10_000;
  const quick = open('quick');
  expect(quick.hold(400 * KB)).toBe(true);
  clock.now = 10_010;
  expect(open('new').hold(200 * KB)).toBe(true);
  expect(dropped).toEqual(['slow']);
  expect(slow.hold(401 * KB)).toBe(false);
});

test('an upload is as slow as its bytes arrive, however little room it uses', () => {
  const { clock, budget, dropped, open } = bed(1000 * KB);
  let arrived = 0;
  budget
    .open(
      () => dropped.push('upload'),
      () => arrived,
    )
    .hold(400 * KB);
  clock.now = 50_000;
  open('slow').hold(400 * KB);
  clock.now = 60_000;
  arrived = 100_000 * KB;
  expect(open('new').hold(200 * KB)).toBe(true);
  expect(dropped).toEqual(['slow']);
});

test('a body that is itself the slowest is the one refused', () => {
  const { clock, dropped, budget, open } = bed(1000 * KB);
  const slow = open('slow');
  slow.hold(100 * KB);
  clock.now = 60_000;
  open('quick').hold(700 * KB);
  expect(slow.hold(300 * KB)).toBe(false);
  expect([dropped, budget.held]).toEqual([[], 700 * KB]);
});

test('a tenth is kept for small bodies, and among those the slowest makes room', () => {
  const { clock, budget, dropped, open } = bed(1280 * KB);
  open('large').hold(budget.largest);
  expect(open('a').hold(SMALL_BODY)).toBe(true);
  clock.now = 1000;
  expect(open('b').hold(SMALL_BODY)).toBe(true);
  expect(dropped).toEqual([]);
  expect(open('c').hold(SMALL_BODY)).toBe(true);
  expect(dropped).toEqual(['large']);
  const other = bed(2 * SMALL_BODY);
  other.open('old').hold(SMALL_BODY);
  other.clock.now = 1000;
  other.open('newer').hold(SMALL_BODY);
  expect(other.open('newest').hold(SMALL_BODY)).toBe(true);
  expect(other.dropped).toEqual(['old']);
});

test('a complete body is never dropped: a large one keeps its room until it is freed, a small one needs none', () => {
  const { clock, budget, dropped, open } = bed(1000 * KB);
  const whole = open('whole');
  whole.hold(800 * KB);
  whole.arrived();
  const small = open('small');
  small.hold(10 * KB);
  small.arrived();
  expect(budget.held).toBe(800 * KB);
  clock.now = 1000;
  expect(open('next').hold(300 * KB)).toBe(false);
  whole.free();
  whole.free();
  expect(open('later').hold(300 * KB)).toBe(true);
  expect([dropped, budget.held]).toEqual([[], 300 * KB]);
});

test('whatever comes and goes, the budget is never exceeded and all of it is given back', () => {
  const total = 1000 * KB;
  const step = fc.record({ at: fc.nat(9), grow: fc.nat(300 * KB), kind: fc.nat(4), ms: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { clock, budget } = bed(total);
      const bodies = new Map<number, { held: HeldBody; bytes: number }>();
      for (const { at, grow, kind, ms } of steps) {
        clock.now += ms;
        const body = bodies.get(at) ?? { held: budget.open(() => bodies.delete(at)), bytes: 0 };
        bodies.set(at, body);
        if (kind === 0) body.held.arrived();
        if (kind === 0 || kind === 1) {
          body.held.free();
          bodies.delete(at);
        } else if (body.held.hold(body.bytes + grow)) body.bytes += grow;
        else bodies.delete(at);
        const sum = [...bodies.values()].reduce((bytes, other) => bytes + other.bytes, 0);
        expect(budget.held).toBe(sum);
        expect(sum).toBeLessThanOrEqual(total);
      }
      for (const { held } of bodies.values()) held.free();
      expect(budget.held).toBe(0);
    }),
  );
});
