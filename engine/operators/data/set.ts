import { isRecord } from '#shared/json.ts';
import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { namedFields } from '../_fields.ts';
import { reading } from '../_record.ts';

const fields = namedFields(z.unknown(), 'The fields to set, by name; values may contain expressions.', {});

export default defineOperator({
  title: 'Set fields',
  doc: 'Adds fields to an object, or replaces them, and passes the new object on. The input stays as it was.',
  icon: 'pencil-line',
  summary: '{fields}',
  synonyms:
    'set, edit fields, assign, variable, set variable, variable assigner, change, add field, parameter',
  params: z.object({ fields }),
  inputs: {
    in: input({
      doc: 'An object, or null to start with an empty one.',
      schema: z.record(z.string(), z.unknown()).nullable(),
    }),
  },
  outputs: {
    out: output({ doc: 'The object with the fields set.', schema: z.record(z.string(), z.unknown()) }),
  },
  infer: { outputs: { out: { assign: [{ input: 'in' }, { param: 'fields' }] } } },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'A sum and a mark',
      params: { fields: { total: '{{ input.price * input.count }}', checked: true } },
      inputs: { in: { price: 3, count: 4, checked: false } },
      outputs: { out: { price: 3, count: 4, checked: true, total: 12 } },
    },
    { title: 'From nothing', params: { fields: { a: 1 } }, inputs: { in: null }, outputs: { out: { a: 1 } } },
    { title: 'A list has no fields', params: { fields: { a: 1 } }, inputs: { in: [1] }, error: 'bad_input' },
  ],
  run({ params, input: value }) {
    if (value !== null && !reading(() => isRecord(value)))
      throw new WeftError('bad_input', 'The input is not an object, so it has no fields to set.');
    return reading(() => ({ ...value, ...params.fields }));
  },
});
