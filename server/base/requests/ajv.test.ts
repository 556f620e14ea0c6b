import { expect, test, vi } from 'vitest';
import { RE2JS } from 're2js';
import { preparePatterns, validatorFor } from './ajv.ts';

test('the patterns of a schema are compiled one a turn, and each only once', async () => {
  const compile = vi.spyOn(RE2JS, 'compile');
  const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { pattern: `^${name}x{1,9}$` }])),
    patternProperties: { '^of-names-[a-z]{1,5}$': { items: { pattern: '^of-items-[0-9]{1,5}$' } } },
  };
  let most = 0;
  let before = 0;
  const watch = (): void => {
    most = Math.max(most, compile.mock.calls.length - before);
    before = compile.mock.calls.length;
  };
  const prepared = preparePatterns(schema);
  let isDone = false;
  void prepared.then(() => {
    isDone = true;
  });
  while (!isDone) {
    watch();
    await new Promise((resolve) => void setImmediate(resolve));
  }
  expect([most, compile.mock.calls.length]).toEqual([1, 22]);
  const validator = validatorFor(schema);
  expect(validator.accepts({ p0: 'p0xx', 'of-names-a': ['of-items-1'] })).toBe(true);
  expect(validator.accepts({ p0: 'q' })).toBe(false);
  expect(validator.errors({ p0: 'q', p1: 'q' }, true)).toHaveLength(2);
  const own = compile.mock.calls.filter(([pattern]) => /^\^(?:p\d|of-)/.test(String(pattern)));
  expect(own).toHaveLength(22);
});

test('a pattern that cannot run in linear time is left to the use of its schema', async () => {
  const schema = { type: 'string', pattern: '^(?=a)b$' };
  await preparePatterns(schema);
  expect(() => validatorFor(schema)).toThrow();
});

test.each([
  [
    0.01,
    [143.48, 19.99, 8.69, 0.94, 0.07, 4.35, 123456789.01, -1.1, 0, 3],
    [0.001, 1.005, 19.999, Infinity, NaN],
  ],
  [0.1, [0.3, 0.7, 2.4, 100.1, 0.1 + 0.2], [0.25, 0.35, 1e-9]],
  [1e-8, [0.00000003, 21.12345678], [0.000000005]],
  [0.3, [0.9, 1e300], [1, 0.1]],
  [2, [4, 2 ** 53], [3, 2 ** 53 - 1, 2.5]],
])('multiples of %d are recognized as decimal numbers', (step, right, wrong) => {
  const validator = validatorFor({ type: 'number', multipleOf: step });
  const isMultiple = (value: number) => validator.accepts(value);
  expect([right.filter(isMultiple), wrong.filter(isMultiple)]).toEqual([right, []]);
  expect(validator.errors(0.123 * step, true)).toMatchObject([
    { keyword: 'multipleOf', params: { multipleOf: step }, message: `must be multiple of ${step}` },
  ]);
});
