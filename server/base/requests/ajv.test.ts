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
