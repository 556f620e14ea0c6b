import { expect, test } from 'vitest';
import { late } from './late.ts';

test('exists once it is filled, and is filled once', () => {
  const part = late<number>('the number');
  expect(part.value).toBeUndefined();
  expect(() => part.get()).toThrow('the number is used before it exists.');
  part.fill(1);
  expect([part.value, part.get()]).toEqual([1, 1]);
  expect(() => part.fill(2)).toThrow('the number exists already.');
});
