import { expect, test } from 'vitest';
import type { TimelineSpan } from '#shared/run-timeline.ts';
import { fc } from '../../tests/support/property.ts';
import { barsWithin, flameOf, neighbourBar } from './flame-layout.ts';

interface Of {
  parent?: string | undefined;
  start?: number;
  ms?: number;
}

const span = (id: string, { parent, start = 0, ms = 1 }: Of = {}): TimelineSpan => ({
  id,
  ...(parent !== undefined && { parent }),
  kind: 'node',
  depth: 0,
  run: 'r',
  flow: 'f',
  status: 'ok',
  start,
  ms,
  selfMs: ms,
  waits: [],
  attempts: 1,
  critical: false,
});

const linesOf = (spans: readonly TimelineSpan[]) =>
  Object.fromEntries(flameOf(spans).bars.map((bar) => [bar.span.id, bar.line]));

test('parts lie below what they are parts of, branches side by side on lines of their own', () => {
  const spans = [
    span('a', { ms: 10 }),
    span('a1', { parent: 'a', ms: 4 }),
    span('a2', { parent: 'a', start: 5, ms: 5 }),
    span('b', { start: 3, ms: 10 }),
    span('c', { start: 10, ms: 2 }),
  ];
  expect(linesOf(spans)).toEqual({ a: 0, a1: 1, a2: 1, b: 2, c: 0 });
});

/** Spans with parts within them. */
const trees = fc.array(fc.tuple(fc.nat(3), fc.nat(100), fc.nat(40)), { maxLength: 40 }).map((drawn) => {
  const spans: TimelineSpan[] = [];
  for (const [up, start, ms] of drawn) {
    const above = spans.at(-up);
    const from = up === 0 || !above ? start : Math.min(above.start + start, above.start + above.ms);
    const parent = up === 0 ? undefined : above;
    const most = parent ? parent.start + parent.ms - from : ms;
    spans.push(span(`s${spans.length}`, { parent: parent?.id, start: from, ms: Math.min(ms, most) }));
  }
  return spans;
});

test('no bar lies over another one, and each lies below its own', () => {
  fc.assert(
    fc.property(trees, (spans) => {
      const { bars, byLine } = flameOf(spans);
      expect(bars).toHaveLength(spans.length);
      const lineOf = new Map(bars.map((bar) => [bar.span.id, bar.line]));
      for (const { span: one, line } of bars)
        if (one.parent !== undefined) expect(line).toBeGreaterThan(lineOf.get(one.parent) ?? Number.NaN);
      for (const line of byLine)
        line.slice(1).forEach(({ span: one }, i) => {
          const before = line[i]?.span;
          expect(one.start).toBeGreaterThanOrEqual((before?.start ?? 0) + (before?.ms ?? 0));
        });
    }),
  );
});

test('of 100,000 bars those in view are found by halving, and arrow keys go on from each', () => {
  const many = Array.from({ length: 100_000 }, (_, i) => span(`p${i}`, { parent: 'loop', start: i }));
  const flame = flameOf([span('loop', { ms: 100_000 }), ...many]);
  expect(flame.lines).toBe(2);
  const seen = barsWithin(flame.byLine[1] ?? [], 50_000.5, 50_002.5);
  expect(seen.map((bar) => bar.span.id)).toEqual(['p50000', 'p50001', 'p50002']);
  const [first] = seen;
  if (!first) throw new Error('a bar');
  const next = (key: string) => neighbourBar(flame, first, key)?.span.id;
  expect(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].map(next)).toEqual([
    'p49999',
    'p50001',
    'loop',
    undefined,
  ]);
});
