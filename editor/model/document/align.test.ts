import { expect, test } from 'vitest';
import { aligned, distributed, snapped } from './align.ts';

const boxes = new Map([
  ['a', { x: 0, y: 0, width: 100, height: 40 }],
  ['b', { x: 130, y: 50, width: 100, height: 60 }],
  ['c', { x: 500, y: 200, width: 100, height: 40 }],
]);

test('sides and middles are put on one line', () => {
  expect(aligned(boxes, 'left')).toEqual({ a: { x: 0, y: 0 }, b: { x: 0, y: 50 }, c: { x: 0, y: 200 } });
  expect(aligned(boxes, 'right')['a']).toEqual({ x: 500, y: 0 });
  expect(aligned(boxes, 'bottom')).toMatchObject({ a: { y: 200 }, b: { y: 180 }, c: { y: 200 } });
  expect(aligned(boxes, 'middle')).toMatchObject({ a: { y: 100 }, b: { y: 90 }, c: { y: 100 } });
});

test('the space between neighbours becomes the same, and the outermost stay', () => {
  expect(distributed(boxes, 'x')).toEqual({
    a: { x: 0, y: 0 },
    b: { x: 250, y: 50 },
    c: { x: 500, y: 200 },
  });
  expect(distributed(boxes, 'y')).toMatchObject({ a: { y: 0 }, b: { y: 90 }, c: { y: 200 } });
});

test('what is dragged near the line of another box lies on it', () => {
  const others = [...boxes.values()];
  const near = snapped({ x: 4, y: 300, width: 100, height: 40 }, others, 6);
  expect(near.by).toEqual({ x: -4, y: 0 });
  expect(near.guides).toEqual([{ axis: 'x', at: 0, from: 0, to: 340 }]);
  expect(snapped({ x: 40, y: 300, width: 100, height: 40 }, others, 6)).toEqual({
    by: { x: 0, y: 0 },
    guides: [],
  });
});
