import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Operator } from './base/operator.ts';
import { describeOne } from './testing/call.ts';
import { operatorContract, uncodedErrors } from './testing/contract.ts';
import { fc } from '../tests/support/property.ts';

/** The contract of every operator; a new file in `operators/` is tested without being listed here. */
const files = import.meta.glob<Operator>(['./operators/*/*.ts', '!**/*.test.ts', '!**/_*.ts'], {
  eager: true,
  import: 'default',
});
const operators = Object.entries(files).map(
  ([file, operator]) => [file.replace(/^.*\/([^/]+)\/([^/]+)\.ts$/, '$1.$2'), operator] as const,
);

/** The same values for all of them: generating them takes longer than trying them. */
const anyValues = fc.sample(
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
  }),
  60,
);

test('the suite finds the operators by their place', () => {
  expect(operators.map(([type]) => type)).toEqual(expect.arrayContaining(['core.map', 'text.parse-json']));
});

describe.each(operators)('%s', (type, operator) => {
  test.each(operatorContract(type, operator).map((rule) => [rule.name, rule] as const))(
    '%s',
    async (_, rule) => {
      expect(await rule.check()).toEqual([]);
    },
  );

  test('takes or refuses any params, and never throws', () => {
    const names = [...paramNames(operator), '__proto__'];
    for (const [i, value] of anyValues.entries()) {
      const record = { [names[i % names.length] as string]: value };
      for (const params of [value, record])
        expect(typeof operator.params.safeParse(params).success).toBe('boolean');
    }
  });

  if (operator.trigger) return;
  test('gives a value or a coded error for any input', async () => {
    const { examples } = describeOne(type, operator);
    for (const value of anyValues)
      expect(await uncodedErrors(type, operator, examples[0]?.params, value)).toEqual([]);
  });
});

function paramNames(operator: Operator): string[] {
  return Object.keys((operator.params as z.ZodObject).shape);
}
