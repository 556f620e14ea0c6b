import { isRecord } from '#shared/json.ts';
import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { namedFields } from '../_fields.ts';
import { reading } from '../_record.ts';

export default defineOperator({
  title: 'Rename fields',
  doc: 'Gives fields of an object new names; all other fields and the order stay as they are.',
  icon: 'replace',
  summary: '{fields|pairs}',
  synonyms: 'rename keys, map keys, rename columns',
  params: z.object({
    fields: namedFields(z.string().min(1).max(200), 'The new name of each field, by its old name.', {
      type: 'string',
    }),
    missing: z
      .enum(['error', 'skip'])
      .default('error')
      .describe('If a field is missing: fail, or ignore it.'),
  }),
  inputs: { in: input({ doc: 'An object.' }) },
  outputs: {
    out: output({ doc: 'The object with the new names.', schema: z.record(z.string(), z.unknown()) }),
  },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'missing',
          cases: { error: { rename: { of: { input: 'in' }, namesIn: 'fields' } } },
          else: { rename: { of: { input: 'in' }, namesIn: 'fields', optional: true } },
        },
      },
    },
  },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'From another system',
      params: { fields: { usr_nm: 'name' } },
      inputs: { in: { id: 1, usr_nm: 'Ada' } },
      outputs: { out: { id: 1, name: 'Ada' } },
    },
    {
      title: 'Two that change places',
      params: { fields: { a: 'b', b: 'a' } },
      inputs: { in: { a: 1, b: 2 } },
      outputs: { out: { b: 1, a: 2 } },
    },
    {
      title: 'A field that is not there',
      params: { fields: { phone: 'tel' } },
      inputs: { in: {} },
      error: 'missing_field',
    },
    {
      title: 'A name that is taken',
      params: { fields: { a: 'b' } },
      inputs: { in: { a: 1, b: 2 } },
      error: 'bad_input',
    },
  ],
  run({ params: { fields, missing }, input: value }) {
    if (!reading(() => isRecord(value)))
      throw new WeftError('bad_input', 'The input is not an object, so it has no fields to rename.');
    return reading(() => renamed(value as Readonly<Record<string, unknown>>, fields, missing));
  },
});

function renamed(
  value: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
  missing: 'error' | 'skip',
): Record<string, unknown> {
  const absent = Object.keys(names).find((name) => !Object.hasOwn(value, name));
  if (absent !== undefined && missing === 'error')
    throw new WeftError('missing_field', `The input has no field ${absent}.`, { data: { path: absent } });
  const entries = Object.entries(value).map(
    ([name, field]) => [Object.hasOwn(names, name) ? (names[name] as string) : name, field] as const,
  );
  const result = Object.fromEntries(entries);
  if (Object.keys(result).length < entries.length)
    throw new WeftError('bad_input', 'Two fields would have the same name.');
  return result;
}
