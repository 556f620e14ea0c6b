import { expect, test } from 'vitest';
import { TypeStripper } from './strip-types.ts';

const slow = (): TypeStripper => new TypeStripper(new URL('testing/slow-stripper.js', import.meta.url));

test('a thread that gets no processor time is waited for', () => {
  expect(slow().strip('waits')).toEqual({ source: 'waits' });
});

test('a text that takes too much processor time is given up, and the next one is read', () => {
  const stripper = slow();
  expect(stripper.strip('works')).toMatchObject({ message: 'The code takes too long to be read' });
  expect(stripper.strip('next')).toEqual({ source: 'next' });
});
