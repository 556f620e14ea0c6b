import { z } from 'zod';
import { defineOperator, lazy, output } from '../../base/operator.ts';
import { portList } from '../_port-list.ts';

export default defineOperator({
  title: 'Join',
  doc: 'Waits for all its inputs and combines them. It is skipped only if a required input has no value; other inputs without a value are left out.',
  icon: 'combine',
  summary: '{inputs: {name}}[ → {value}]',
  synonyms: 'wait for all, combine, gather, await all, promise all, parallel join',
  params: z.object({
    inputs: portList({
      required: z.boolean().default(true).describe('Whether the join is skipped if this input has no value.'),
    })
      .default([
        { name: 'a', required: true },
        { name: 'b', required: true },
      ])
      .describe('The inputs by name.'),
    value: lazy(
      'The result, an expression over `inputs.<name>`; by default an object with one field per input.',
    )
      .meta({ widget: 'value' })
      .optional(),
  }),
  inputs: {},
  derivedInputs: {
    param: 'inputs',
    nameKey: 'name',
    requiredKey: 'required',
    kind: 'value',
    doc: 'One part of the whole.',
  },
  outputs: { out: output({ doc: 'The inputs that have a value, by name; or the value of the expression.' }) },
  infer: {
    outputs: {
      out: { byParam: { name: 'value', cases: { absent: { inputs: 'all' } }, else: { param: 'value' } } },
    },
    evaluated: ['value'],
  },
  effects: 'pure',
  examples: [
    { title: 'By name', inputs: { a: 1, b: { x: 2 } }, outputs: { out: { a: 1, b: { x: 2 } } } },
    {
      title: 'One input without a value',
      params: { inputs: [{ name: 'user' }, { name: 'hint', required: false }] },
      inputs: { user: 'Ada' },
      outputs: { out: { user: 'Ada' } },
    },
    {
      title: 'Put together by an expression',
      params: { value: '{{ inputs.a + inputs.b }}' },
      inputs: { a: 40, b: 2 },
      outputs: { out: 42 },
    },
  ],
  run: ({ params, inputs }) => (params.value ? params.value() : { ...(inputs as Record<string, unknown>) }),
});
