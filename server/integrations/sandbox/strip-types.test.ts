import { expect, test } from 'vitest';
import { stripTypes } from './strip-types.ts';

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
