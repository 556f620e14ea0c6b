import type { RunEvent } from '#shared/run-event.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { roundsOf } from '../../execution/history/rounds.ts';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/run-api.ts');

/** `/api/v1/runs/:id/rounds/:node`: how often the body of a node ran, and how each time ended. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/runs/:id/rounds/:node',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'List the rounds of a node with a body, failed and slowest ones first, with their sums.',
    query: async () => (await api()).RunRoundsQuery,
    answer: async () => (await api()).RunRounds,
    errors: ['run_not_found'],
    async handle({ runs }, { params: { id, node }, query }) {
      const found = await runs.events(id, 0);
      if (found === undefined) throw new ServiceError('run_not_found');
      const events = found.filter((event): event is RunEvent => event.kind !== 'gap');
      const rounds = roundsOf(events, { node, ...query });
      if (rounds) return rounds;
      const place = query.within === undefined ? '' : ` in \`${query.within}\``;
      const message = `The run has no rounds of \`${node}\`${place}: the node has no body, did not run, or has not ended.`;
      throw new ServiceError('invalid_request', message, { param: 'node' });
    },
  }),
];
