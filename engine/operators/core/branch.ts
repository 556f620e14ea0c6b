import { z } from 'zod';
import { defineOperator, input, lazy, output } from '../../base/operator.ts';
import { portList } from '../_port-list.ts';

export default defineOperator({
  title: 'Branch',
  doc: 'Sends its input to every branch whose condition holds; several may hold at once. If none holds, it goes to `otherwise`. To take exactly one branch, use If or Switch.',
  icon: 'git-branch',
  summary: '{branches: {when} → {name}}',
  synonyms: 'fan out, multi branch, parallel conditions',
  params: z.object({
    branches: portList(
      { when: lazy('The condition; it holds if its value is truthy.').meta({ widget: 'expression' }) },
      ['otherwise', 'error'],
    )
      .describe('The branches, each with a name, which is an output, and a condition.')
      .meta({ initial: [{ name: 'branch_1', when: '' }] }),
  }),
  inputs: { in: input({ doc: 'Any value; conditions read it as `input`.' }) },
  outputs: { otherwise: output({ doc: 'The input, if no condition holds.' }) },
  derivedOutputs: {
    param: 'branches',
    nameKey: 'name',
    kind: 'value',
    doc: 'The input, if the condition holds.',
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
