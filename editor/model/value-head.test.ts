import { expect, test } from 'vitest';
import { listLength, valueHead } from './value-head.ts';

test.each([
  ['short', 'text', 'short'],
  [[1, { a: 'x' }], 'list of 2 items', '[1, {"a": "x"}]'],
  [[], 'list of 0 items', '[]'],
  [{ a: null }, 'object with 1 field', '{"a": null}'],
  [12, 'number', '12'],
  [true, 'boolean', 'true'],
  [null, 'nothing', 'null'],
  [{ $large: { size: 3_200_000, preview: '[1,2' } }, '3.2 MB, not kept', '[1,2'],
])('%j is %s', (value, kind, head) => {
  expect(valueHead(value)).toEqual({ kind, head });
});

test('a long value is read only as far as it is shown', () => {
  let reads = 0;
  const items = new Proxy(
    Array.from({ length: 1000 }, (_, i) => i),
    {
      get: (target, key, self) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key, self) as unknown;
      },
    },
  );
  expect(valueHead(items, 20)).toEqual({ kind: 'list of 1,000 items', head: '[0, 1, 2, 3, 4, 5, 6…' });
  expect(reads).toBeLessThan(20);
  expect(valueHead('y'.repeat(200), 20)).toEqual({
    kind: 'text of 200 characters',
    head: `${'y'.repeat(20)}…`,
  });
});

test('only lists have a length', () => {
  expect(listLength([1, 2])).toBe(2);
  expect(listLength('ab')).toBeUndefined();
});
