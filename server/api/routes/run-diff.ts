import { runDiff } from '../../execution/history/diff/run-diff.ts';
import { keptRun } from '../../execution/history/kept-run.ts';
import { defineRoute } from './define-route.ts';

/** `/api/v1/runs/:id/diff/:other`: the differences between two runs, node by node. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/runs/:id/diff/:other',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'Compare two runs: statuses, outputs and errors of the nodes that differ.',
    answer: async () => (await import('#shared/run-diff.ts')).RunDiff,
    errors: ['run_not_found', 'conflict'],
    async handle({ runs }, { params: { id, other } }) {
      const [before, after] = await Promise.all([keptRun(runs, id), keptRun(runs, other)]);
      return runDiff(before, after);
    },
  }),
];
