import { describe, expect, test } from 'vitest';
import { type Operator, WeftError } from './base/operator.ts';
import { type CallSetup, describeOne, runOperator } from './testing/call.ts';

const files = import.meta.glob<Operator>(['./operators/*/*.ts', '!**/*.test.ts', '!**/_*.ts'], {
  eager: true,
  import: 'default',
});
const operators = Object.entries(files)
  .map(([file, operator]) => [file.replace(/^.*\/([^/]+)\/([^/]+)\.ts$/, '$1.$2'), operator] as const)
  .filter(([, operator]) => !operator.trigger);

/** The outputs, or the code of the error. */
async function outcome(type: string, operator: Operator, setup: CallSetup): Promise<unknown> {
  try {
    return await runOperator(type, operator, { ...setup, trigger: { body: null } });
  } catch (error) {
    if (error instanceof WeftError) return error.code;
    throw error;
  }
}

/** The places of undefined in a value. */
function undefinedIn(value: unknown, path = ''): string[] {
  if (value === undefined) return [path];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => undefinedIn(part, `${path}.${key}`));
}

describe('missing values in every operator', () => {
  test.each(operators)('%s outputs no undefined within its values', async (type, operator) => {
    for (const { params, inputs } of describeOne(type, operator).examples)
      expect(undefinedIn(await outcome(type, operator, { params, inputs }))).toEqual([]);
  });

  test.each(operators)('%s treats a missing param like one that is null', async (type, operator) => {
    const { examples, params: schema } = describeOne(type, operator);
    const { params, inputs } = examples[0] ?? {};
    for (const name of Object.keys(schema['properties'] ?? {})) {
      const given = (text: string) => ({ params: { ...params, [name]: text }, inputs });
      const missing = await outcome(type, operator, given('{{ trigger?.gone }}'));
      expect([name, missing]).toEqual([name, await outcome(type, operator, given('{{ trigger.body }}'))]);
      expect([name, ...undefinedIn(missing)]).toEqual([name]);
    }
  });
});
