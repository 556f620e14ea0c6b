import { expect, test } from 'vitest';
import { stripTypes, TypeStripper } from './strip-types.ts';

const slow = (): TypeStripper => new TypeStripper(new URL('testing/slow-stripper.js', import.meta.url));

test('types are removed, and every other character keeps its place', () => {
  expect(stripTypes('const a: number = 1;')).toEqual({ source: 'const a         = 1;' });
  expect(stripTypes('const a: = 1;')).toMatchObject({ isSyntax: true });
});

test('a text that is nested too deeply is refused, and the next one is read', () => {
  expect(stripTypes('('.repeat(100_000))).toMatchObject({
    message: 'The code is nested too deeply to be read',
  });
  expect(stripTypes('let b: string;')).toEqual({ source: 'let b        ;' });
});

test('a thread that gets no processor time is waited for', () => {
  expect(slow().strip('waits')).toEqual({ source: 'waits' });
});

test('a text that takes too much processor time is given up, and the next one is read', () => {
  const stripper = slow();
  expect(stripper.strip('works')).toMatchObject({ message: 'The code takes too long to be read' });
  expect(stripper.strip('next')).toEqual({ source: 'next' });
});
