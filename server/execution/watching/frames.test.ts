import { expect, test } from 'vitest';
import { createFrames } from './frames.ts';

const parse = (buffers: readonly Buffer[]) =>
  buffers.flatMap((buffer) => JSON.parse(String(buffer)) as unknown[]);

test('many items make one array, and clients with the same items share its buffer', () => {
  const frames = createFrames();
  const first = frames(['{"seq":1}', '{"seq":2}']);
  expect(first.map(String)).toEqual(['[{"seq":1},{"seq":2}]']);
  expect(frames(['{"seq":1}', '{"seq":2}'])[0]).toBe(first[0]);
  expect(String(frames(['{"seq":1}', '{"seq":3}'])[0])).toBe('[{"seq":1},{"seq":3}]');
  expect(String(frames(['{"seq":1}'])[0])).toBe('[{"seq":1}]');
});

test('a frame has at most a thousand items, and 128 KB unless one item is larger', () => {
  const frames = createFrames();
  const many = Array.from({ length: 2500 }, (_, i) => String(i));
  expect(frames(many).map((frame) => parse([frame]).length)).toEqual([1000, 1000, 500]);
  const large = Array.from({ length: 5 }, () => JSON.stringify('x'.repeat(60_000)));
  expect(frames(large).map((frame) => parse([frame]).length)).toEqual([2, 2, 1]);
  const huge = ['1', JSON.stringify('x'.repeat(200_000)), '2'];
  expect(frames(huge).map((frame) => parse([frame]).length)).toEqual([1, 1, 1]);
  expect(parse(frames(many))).toEqual(many.map(Number));
});
