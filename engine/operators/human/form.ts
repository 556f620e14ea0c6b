import { z } from 'zod';
import { FormField, fieldsFault, fieldTypes, schemaOfFields } from '#shared/form-field.ts';
import type { JsonSchema } from '#shared/json.ts';
import { defineOperator, input, literal, output, WeftError } from '../../base/operator.ts';

import { ask, outcomeFields, question } from './_question.ts';

const params = z.object({
  ...question,
  fields: z
    .array(FormField)
    .max(100)
    .default([])
    .describe('The fields to fill in.')
    .meta({ when: { param: 'schema', is: [null] } }),
  schema: literal(
    z
      .record(z.string(), z.unknown())
      .optional()
      .describe('In place of `fields`: JSON Schema of the requested object.')
      .meta({ widget: 'schema' }),
  ),
  sender: literal(
    z
      .boolean()
      .default(false)
      .describe(
        'A further page of a form: whoever sent the “Form” that started the run, with `after: result`, or the page before, is led to it.',
      )
      .meta({ title: 'Next page of the form' }),
  ),
});

const isOfSender = (params: { readonly sender: boolean }): { sender?: true } =>
  params.sender ? { sender: true } : {};

const data = { byParam: { name: 'schema', cases: { absent: fieldTypes }, else: { schemaIn: 'schema' } } };

export default defineOperator({
  title: 'Ask for data',
  doc: 'Waits until somebody fills in a form: in the editor under Waiting, by a link, or over the API. The entered data is checked first. The run outlives restarts while it waits.',
  icon: 'clipboard-pen',
  summary: '“{title}”[ · {who}]',
  synonyms: 'ask a person, user input, human input, question, manual input, ask form',
  params,
  options: { Fields: ['schema', 'sender'], Deadline: ['expiresAfter'], Notice: ['notify', 'data'] },
  inputs: {
    in: input({ doc: 'Any value; expressions read it as `input`, and it is passed on as `input`.' }),
  },
  outputs: {
    submitted: output({
      doc: 'What was entered (`data`), who did it (`by`), when (`at`), with which `comment`, and the `input`.',
    }),
    expired: output({ doc: 'If nobody filled it in in time: `by` is null, and there is no `data`.' }),
  },
  infer: {
    outputs: { submitted: { object: { data, ...outcomeFields } }, expired: { object: outcomeFields } },
  },
  effects: 'wait',
  exclusive: true,
  examples: [
    {
      title: 'Where to send it, and when',
      params: {
        title: 'Delivery for {{ input.customer }}',
        fields: [
          { name: 'gift', label: 'Wrap it as a gift', type: 'boolean' },
          { name: 'speed', type: 'choice', choices: ['normal', 'express'], required: true },
        ],
      },
      inputs: { in: { customer: 'Bob' } },
      outputs: {
        submitted: {
          data: { gift: true, speed: 'normal' },
          by: 'Ada',
          at: '1970-01-01T00:00:00.000Z',
          comment: '',
          input: { customer: 'Bob' },
        },
      },
    },
    {
      title: 'A choice without anything to choose',
      params: { title: 'Which?', fields: [{ name: 'size', type: 'choice' }] },
      inputs: { in: 1 },
      error: 'bad_params',
    },
  ],
  async run(call) {
    const { decision, at } = await ask(call, {
      kind: 'form',
      schema: schemaOf(call.params),
      ...isOfSender(call.params),
    });
    const outcome = { by: decision?.by ?? null, at, comment: decision?.comment ?? '', input: call.input };
    return decision ? { submitted: { data: decision.data, ...outcome } } : { expired: outcome };
  },
});

function schemaOf({ fields, schema }: z.output<typeof params>): JsonSchema {
  if (schema === undefined && fields.length > 0) {
    const fault = fieldsFault(fields);
    if (fault === undefined) return schemaOfFields(fields);
    throw new WeftError('bad_params', fault, { field: 'params.fields' });
  }
  if (schema !== undefined && fields.length === 0) return schema;
  throw new WeftError(
    'bad_params',
    'Give either `fields` or `schema`, so that it is clear what to ask for.',
    {
      field: schema === undefined ? 'params.fields' : 'params.schema',
    },
  );
}
