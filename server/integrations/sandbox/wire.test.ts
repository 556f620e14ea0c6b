import { expect, test } from 'vitest';
import { frame, FrameReader, line, MAX_FRAME, readLine } from './host/wire.js';

test('lines come out of frames as they went in, however the bytes arrive', () => {
  const lines = [
    line('C', 7, 12, '{"a":"ä 😀"}'),
    line('X', 0x7fff_ffff, 0, ''),
    line('V', 1, 1, '"a b  c"'),
  ];
  const bytes = Buffer.concat([frame(lines.slice(0, 2).join('')), frame(lines[2] ?? '')]);
  for (const size of [1, 2, 3, 7, 1000]) {
    const reader = new FrameReader();
    const got: string[] = [];
    for (let at = 0; at < bytes.length; at += size) got.push(...reader.push(bytes.subarray(at, at + size)));
    expect(got.map(readLine)).toEqual([
      { op: 'C', id: 7, unit: 12, text: '{"a":"ä 😀"}' },
      { op: 'X', id: 0x7fff_ffff, unit: 0, text: '' },
      { op: 'V', id: 1, unit: 1, text: '"a b  c"' },
    ]);
  }
});

test('a frame that is too long is refused by its head', () => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(MAX_FRAME + 1);
  expect(() => new FrameReader().push(head)).toThrow(RangeError);
});
