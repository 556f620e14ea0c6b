import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type KnownFlows, knownFlows } from '../../execution/history/known-flows.ts';
import { roundsOf } from '../../execution/history/rounds.ts';
import { atServerOfRun } from './at-server-of-run.ts';
import { addRoutes, defineRoute } from './define-route.ts';

interface TimelineContext extends Context {
  readonly known: KnownFlows;
}

/** The analysis of time and cost is loaded by the first request. */
const timeline = defineRoute({
  method: 'GET',
  url: '/api/v1/runs/:id/timeline',
  scope: 'runs:read',
  tag: 'Runs',
  summary:
    'Get the timeline of a run: a span for each node with its time and cost, the runs that are parts of it, and the critical path.',
  guide: 'observability',
  answer: async () => (await import('#shared/run-timeline.ts')).RunTimeline,
  errors: ['run_not_found'],
  async handle({ runs, known, host }: TimelineContext, { params: { id } }) {
    const { timelineOf } = await import('../../execution/history/timeline/timeline.ts');
    const found = await timelineOf(id, { runs, flowAt: known.at.bind(known), now: host.now });
    if (found === undefined) throw new ServiceError('run_not_found');
    return found;
  },
});

/** `/api/v1/runs/:id/timeline`: the time and cost of a run, by node. */
export default async function timelineRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  addRoutes(app, { ...ctx, known: knownFlows(ctx.flows) }, atServerOfRun([timeline]));
}

const api = () => import('#shared/run-api.ts');

/** `/api/v1/runs/:id/rounds/:node`: how often the body of a node ran, and how each time ended. */
export const rounds = [
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
