import { fc } from '../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { TimelineSpan } from '#shared/run-timeline.ts';
import { MANY_SPANS, markStep, spanRows } from './span-rows.ts';

const span = (id: string, parent?: string, depth = parent === undefined ? 0 : 1): TimelineSpan => ({
  id,
  ...(parent !== undefined && { parent }),
  kind: 'node',
  depth,
  run: 'r',
  flow: 'f',
  status: 'ok',
  start: 0,
  ms: 1,
  selfMs: 1,
  waits: [],
  attempts: 1,
  critical: false,
});

const tree = [span('a'), span('b', 'a'), span('c', 'b', 2), span('d')];
const ids = (rows: ReturnType<typeof spanRows>) => rows.map((row) => row.span.id);

test('parts are below what they are parts of, and go with it', () => {
  expect(ids(spanRows(tree, new Set()))).toEqual(['a', 'b', 'c', 'd']);
  expect(ids(spanRows(tree, new Set(['b'])))).toEqual(['a', 'b', 'd']);
  expect(ids(spanRows(tree, new Set(['a', 'b'])))).toEqual(['a', 'd']);
  const [a, , c] = spanRows(tree, new Set());
  expect([a?.parts, c?.parts, c?.top.id]).toEqual([1, 0, 'a']);
});

test('of very many spans the parts are shown when they are asked for', () => {
  const many = [span('loop'), ...Array.from({ length: MANY_SPANS }, (_, i) => span(`p${i}`, 'loop'))];
  expect(ids(spanRows(many, new Set()))).toEqual(['loop']);
  expect(spanRows(many, new Set(['loop']))).toHaveLength(many.length);
});

test('the marks of the scale are round and have room', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 100, max: 5000 }), (ms, width) => {
      const step = markStep(ms, width);
      expect(['1', '2', '5']).toContain(String(step).replaceAll('0', ''));
      if (step > 1) expect((step / ms) * width).toBeGreaterThanOrEqual(80 - 1e-6);
    }),
  );
});
