import { describe, expect, it } from 'vitest';
import { stepTo, typedTo } from './list-walk.ts';

describe('stepTo', () => {
  it.each([
    ['ArrowDown', 1, 2],
    ['ArrowDown', 4, 4],
    ['ArrowUp', 1, 0],
    ['ArrowUp', 0, 0],
    ['Home', 3, 0],
    ['End', 1, 4],
    ['Enter', 1, undefined],
  ])('leads by %s from %i to %s of five', (key, at, to) => {
    expect(stepTo(key, at, 5)).toBe(to);
  });
});

describe('typedTo', () => {
  const names = ['Map', 'Merge', 'Reduce', 'Merge streams', 'If'];

  it('goes to the next name with the letter, and round again', () => {
    expect(typedTo('m', names, 0)).toBe(1);
    expect(typedTo('mm', names, 1)).toBe(3);
    expect(typedTo('mmm', names, 3)).toBe(0);
  });

  it('stays at a name that still begins with what was typed', () => {
    expect(typedTo('me', names, 1)).toBe(1);
    expect(typedTo('Merge s', names, 1)).toBe(3);
  });

  it('finds none', () => {
    expect(typedTo('x', names, 2)).toBe(-1);
    expect(typedTo('m', [], 0)).toBe(-1);
  });
});
