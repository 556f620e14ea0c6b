import { fc } from '../../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import { formatPath, parsePath } from '../check/index.ts';

describe('formatPath', () => {
  it('writes keys with dots and indexes in brackets', () => {
    expect(formatPath(['params', 'cases', 0, 'when'])).toBe('params.cases[0].when');
    expect(formatPath(['headers', 'content-type', 'a b', '1'])).toBe('headers.content-type["a b"]["1"]');
  });

  it('is read back by parsePath', () => {
    const path = fc.array(
      fc.oneof(fc.nat(), fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b_1', '$x')),
    );
    fc.assert(
      fc.property(path, (keys) => {
        expect(parsePath(formatPath(keys))).toEqual(keys);
      }),
    );
  });

  it('is not guessed from other texts', () => {
    for (const text of ['a..b', '.a', 'a.', 'a[', 'a[x]', 'a["b]', 'a b', '1'])
      expect(parsePath(text)).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), (text) => {
        const path = parsePath(text);
        if (path) expect(parsePath(formatPath(path))).toEqual(path);
      }),
    );
  });
});
