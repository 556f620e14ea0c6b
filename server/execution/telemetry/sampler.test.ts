import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { createTraceSampler } from './sampler.ts';
import { newSpanId, nodeSpanId, readTraceparent, writeTraceparent } from './trace-context.ts';

const hex = (digits: number) =>
  fc
    .array(fc.nat(15), { minLength: digits, maxLength: digits })
    .map((parts) => parts.map((digit) => digit.toString(16)).join(''))
    .filter((text) => /[^0]/.test(text));
const context = fc.record({ traceId: hex(32), spanId: hex(16) });

test('a written header can be read, and is sampled', () => {
  fc.assert(
    fc.property(context, (given) => {
      expect(readTraceparent(writeTraceparent(given))).toEqual({ ...given, isSampled: true });
    }),
  );
});

test.each([
  undefined,
  5,
  '',
  'nonsense',
  `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
  `00-${'1'.repeat(32)}-${'0'.repeat(16)}-01`,
  `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
  `00-${'1'.repeat(31)}-${'1'.repeat(16)}-01`,
  `00-${'A'.repeat(32)}-${'1'.repeat(16)}-01`,
])('%s is no traceparent', (header) => {
  expect(readTraceparent(header)).toBeUndefined();
});

test('a later version may add fields at the end', () => {
  const header = `cc-${'1'.repeat(32)}-${'2'.repeat(16)}-00-what-comes`;
  expect(readTraceparent(header)).toMatchObject({ isSampled: false });
});

test('a node always has the same span id, and another node another one', () => {
  fc.assert(
    fc.property(context, fc.string(), fc.string(), (run, a, b) => {
      expect(nodeSpanId(run, a)).toMatch(/^[0-9a-f]{16}$/);
      expect(nodeSpanId(run, a) === nodeSpanId(run, b)).toBe(a === b);
    }),
    { numRuns: 50 },
  );
  expect(newSpanId()).not.toBe(newSpanId());
});

const callers = fc.record({ traceId: hex(32), spanId: hex(16), isSampled: fc.boolean() });

test('parentbased follows the caller; the others look at the id alone', () => {
  fc.assert(
    fc.property(callers, fc.double({ min: 0, max: 1, noNaN: true }), (caller, ratio) => {
      const parentBased = createTraceSampler('parentbased_traceidratio', ratio)(caller);
      expect(parentBased).toBe(caller.isSampled ? caller.traceId : undefined);
      expect(createTraceSampler('always_on', ratio)(caller)).toBe(caller.traceId);
      expect(createTraceSampler('always_off', ratio)(caller)).toBeUndefined();
      const sample = createTraceSampler('traceidratio', ratio);
      expect(sample(caller)).toBe(sample({ ...caller, isSampled: !caller.isSampled }));
    }),
  );
});

test('a share of the runs is kept, by ids that each server with this share keeps', () => {
  const sample = createTraceSampler('parentbased_traceidratio', 0.25);
  const again = createTraceSampler('traceidratio', 0.25);
  const ids = Array.from({ length: 4000 }, () => sample(undefined)).filter((id) => id !== undefined);
  expect(ids.length).toBeGreaterThan(800);
  expect(ids.length).toBeLessThan(1200);
  expect(new Set(ids).size).toBe(ids.length);
  for (const traceId of ids) expect(again({ traceId, spanId: newSpanId(), isSampled: true })).toBe(traceId);
});
