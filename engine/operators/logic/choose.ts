import { z } from 'zod';
import { defineOperator, manyInput, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'First that applies',
  doc: 'Passes on the first value that is not null, in the order of its edges. Nodes that lead only to a later edge run only if no earlier edge brought a value: put the cheap way first and the expensive one last.',
  icon: 'list-ordered',
  summary: 'the first that is not null',
  synonyms: 'coalesce, first of, fallback value, either, lazy',
  params: z.object({}),
  inputs: { in: manyInput('first', { doc: 'The ways to the value, in edge order.' }) },
  outputs: { out: output({ doc: 'The first value that is not null; null if all of them are.' }) },
  infer: { outputs: { out: { itemOf: { input: 'in' } } } },
  effects: 'pure',
  examples: [
    { title: 'The first way brings a value', inputs: { in: ['cached'] }, outputs: { out: 'cached' } },
    { title: 'The first way brings null', inputs: { in: [null, 'computed'] }, outputs: { out: 'computed' } },
    { title: 'None brings a value', inputs: { in: [null, null] }, outputs: { out: null } },
  ],
  run: ({ input }) => input.find((value) => value !== null && value !== undefined) ?? null,
});
