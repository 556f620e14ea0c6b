import { z } from 'zod';
import { defineOperator, input, lazy, output } from '../../base/operator.ts';
import { portList } from '../_port-list.ts';

export default defineOperator({
  title: 'Switch',
  doc: 'Sends its input to the first case whose condition holds, or to `default` if none does. Later cases are not evaluated.',
  icon: 'route',
  summary: '{cases: {when} → {name}}',
  synonyms: 'router, case, route, if else if, multi way, match, select',
  params: z.object({
    cases: portList(
      { when: lazy('The condition; it holds if its value is truthy.').meta({ widget: 'expression' }) },
      ['default', 'error'],
    )
      .describe('The cases in order, each with a name, which is an output, and a condition.')
      .meta({ initial: [{ name: 'case_1', when: '' }] }),
  }),
  inputs: { in: input({ doc: 'Any value; conditions read it as `input`.' }) },
  outputs: { default: output({ doc: 'The input, if no case fits.' }) },
  derivedOutputs: {
    param: 'cases',
    nameKey: 'name',
    kind: 'value',
    doc: 'The input, if this case is the first to fit.',
  },
  infer: { outputs: { default: { input: 'in' }, '*': { input: 'in' } } },
  effects: 'pure',
  exclusive: true,
  examples: [
    {
      title: 'The first case that fits',
      params: {
        cases: [
          { name: 'hot', when: '{{ input > 30 }}' },
          { name: 'warm', when: '{{ input > 20 }}' },
        ],
      },
      inputs: { in: 35 },
      outputs: { hot: 35 },
    },
    {
      title: 'None fits',
      params: { cases: [{ name: 'hot', when: '{{ input > 30 }}' }] },
      inputs: { in: 12 },
      outputs: { default: 12 },
    },
  ],
  run({ params, input: value }) {
    const first = params.cases.find((item) => item.when());
    return { [first?.name ?? 'default']: value };
  },
});
