import { z } from 'zod';
import { defineOperator, manyInput, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'Merge',
  doc: 'Merges branches: it waits until each of its edges has a value or is skipped, then passes on the first value in edge order.',
  icon: 'git-merge',
  summary: 'the first value that arrives',
  synonyms: 'if else merge, converge, rejoin, variable aggregator, coalesce, first of',
  params: z.object({}),
  inputs: { in: manyInput('any', { doc: 'The ends of the branches; edges may be put into an order.' }) },
  outputs: { out: output({ doc: 'The first value that came.' }) },
  infer: { outputs: { out: { itemOf: { input: 'in' } } } },
  effects: 'pure',
  examples: [
    { title: 'One branch came', inputs: { in: ['from else'] }, outputs: { out: 'from else' } },
    { title: 'Two came, the first counts', inputs: { in: [1, 2] }, outputs: { out: 1 } },
  ],
  run: ({ input }) => input[0],
});
