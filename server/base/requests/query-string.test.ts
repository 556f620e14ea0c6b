import { fc } from '../../../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import { lastOf, pairsToObject, parsePairs, valuesOf } from './query-string.ts';

const piece = fc.constantFrom(
  'a',
  'name',
  '=',
  '&',
  '+',
  '%',
  '%20',
  '%C3%A9',
  '%ff',
  '%C3',
  '%zz',
  '%2',
  ';',
  '?',
  '#',
  '%F0%9F%98%80',
  '%EF%BB%BF',
);

describe('a query string', () => {
  it('is read as URLSearchParams reads it', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const text = pieces.join('');
        // URLSearchParams removes a leading question mark, which is not part of a query string.
        const expected = [...new URLSearchParams(`?${text}`)].flat();
        expect(parsePairs(text)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps letters that came unencoded, beside broken escapes', () => {
    expect(parsePairs('n=é%zz%ff')).toEqual(['n', 'é%zz\ufffd']);
  });

  it('gives the last of repeated values as text, and all of them as a list', () => {
    const pairs = parsePairs('a=1&b&a=2&a=');
    expect(pairsToObject(pairs)).toEqual({ a: '', b: '' });
    expect(lastOf(pairs, 'a')).toBe('');
    expect(valuesOf(pairs, 'a')).toEqual(['1', '2', '']);
    expect(lastOf(pairs, 'c')).toBeUndefined();
  });

  it('cannot reach a prototype', () => {
    const value = pairsToObject(parsePairs('__proto__=x&constructor=y&__proto__[z]=1'));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['constructor', '__proto__[z]']);
    expect(({} as Record<string, unknown>)['z']).toBeUndefined();
  });

  it('refuses more fields than anybody means', () => {
    expect(() => parsePairs('a&'.repeat(10_001))).toThrow(/10,000/);
  });
});
