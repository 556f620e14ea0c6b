import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../operator.ts';
import { FORBIDDEN_FIELD, isRecord, reading } from '../_record.ts';

/** Checked before zod's own record, which drops a field of this name without a word. */
const fields = z
  .unknown()
  .refine(
    (value) => !isRecord(value) || !Object.hasOwn(value, FORBIDDEN_FIELD),
    `may not hold ${FORBIDDEN_FIELD}`,
  )
  .pipe(z.record(z.string(), z.unknown()))
  .describe('The fields to set, by name; values may hold expressions.')
  .meta({ type: 'object', additionalProperties: {}, widget: 'fields' });

export default defineOperator({
  title: 'Set fields',
  doc: 'Adds fields to an object, or replaces them, and passes the new object on. The input stays as it was.',
  icon: 'pencil-line',
  params: z.object({ fields }),
  inputs: { in: input({ doc: 'An object, or null to begin with an empty one.' }) },
  outputs: {
    out: output({ doc: 'The object with the fields set.', schema: z.record(z.string(), z.unknown()) }),
  },
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
    if (value !== null && !isRecord(value))
      throw new WeftError('bad_input', 'The input is no object, so it has no fields to set.');
    return reading(() => ({ ...value, ...params.fields }));
  },
});
