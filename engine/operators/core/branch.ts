import { z } from 'zod';
import { defineOperator, input, lazy, output } from '../../operator.ts';
import { portList } from '../_port-list.ts';

export default defineOperator({
  title: 'Branch',
  doc: 'Sends its input on by every branch whose condition holds; several may hold at once. When none holds it goes on by `otherwise`. For exactly one way out use If or Switch.',
  icon: 'git-branch',
  params: z.object({
    branches: portList({ when: lazy('The condition; its truth decides.').meta({ widget: 'expression' }) }, [
      'otherwise',
      'error',
    ]).describe('The branches: a name, which is an output, and a condition each.'),
  }),
  inputs: { in: input({ doc: 'Any value; conditions read it as `input`.' }) },
  outputs: { otherwise: output({ doc: 'The input, when no condition holds.' }) },
  derivedOutputs: {
    param: 'branches',
    nameKey: 'name',
    kind: 'value',
    doc: 'The input, when the condition holds.',
  },
  infer: { outputs: { otherwise: { input: 'in' }, '*': { input: 'in' } } },
  effects: 'pure',
  examples: [
    {
      title: 'Two conditions that both hold',
      params: {
        branches: [
          { name: 'large', when: '{{ input > 10 }}' },
          { name: 'even', when: '{{ input % 2 == 0 }}' },
        ],
      },
      inputs: { in: 12 },
      outputs: { large: 12, even: 12 },
    },
    {
      title: 'None holds',
      params: { branches: [{ name: 'large', when: '{{ input > 10 }}' }] },
      inputs: { in: 3 },
      outputs: { otherwise: 3 },
    },
  ],
  run({ params, input: value }) {
    const live = params.branches.filter((branch) => branch.when());
    if (live.length === 0) return { otherwise: value };
    return Object.fromEntries(live.map((branch) => [branch.name, value]));
  },
});
