import { z } from 'zod';
import { audit } from '../../access/security/audit.ts';
import { dropLetters, retryLetters, retryRun } from '../../execution/after-runs/retry-letters.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { defineRoute } from './define-route.ts';

const callsApi = () => import('#shared/calls-api.ts');

/** `/api/v1/dead-letters` and `/api/v1/deliveries`: runs that failed for good, and undelivered notices of runs. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/dead-letters',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'List runs that outlive their request and failed for good, newest first.',
    guide: 'calling',
    query: async () => (await callsApi()).DeadLetterQuery,
    answer: async () => (await callsApi()).DeadLetterPage,
    async handle({ calls }, { query }) {
      const deadLetters = await calls.deadLetters.list(query);
      const last = deadLetters.at(-1);
      return { deadLetters, ...(last && deadLetters.length === query.limit && { next: last.run }) };
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/runs/:id/retry',
    scope: 'runs:write',
    tag: 'Runs',
    summary: 'Retry a failed run that outlives its request: from the failed step, as a new run.',
    guide: 'calling',
    body: async () => (await callsApi()).RetryBody,
    bodyOptional: true,
    answer: () => z.object({ run: z.string() }),
    status: 202,
    errors: ['run_not_found', 'run_not_retryable', 'overloaded', 'draining', 'storage_failed'],
    async handle(ctx, { request, reply, params: { id }, body: { version } }) {
      const run = await retryRun(ctx, id, version);
      audit(ctx, request, 'run retried', { run: id, as: run, version });
      reply.header('location', `/api/v1/runs/${run}`);
      return { run };
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/dead-letters/retry',
    scope: 'runs:write',
    tag: 'Runs',
    summary: 'Retry several dead letters; those that cannot be retried stay, and are listed in `failed`.',
    body: async () => (await callsApi()).RetryManyBody,
    answer: async () => (await callsApi()).Retried,
    errors: ['storage_failed'],
    async handle(ctx, { request, body: { version, ...which } }) {
      const retried = await retryLetters(ctx, which, version);
      audit(ctx, request, 'dead letters retried', { ...which, retried: retried.retried.length });
      return retried;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/dead-letters/drop',
    scope: 'runs:write',
    tag: 'Runs',
    summary: 'Drop several dead letters; their runs stay in the history.',
    body: async () => (await callsApi()).DropManyBody,
    answer: () => z.object({ dropped: z.int() }),
    errors: ['storage_failed'],
    async handle(ctx, { request, body: which }) {
      const dropped = await dropLetters(ctx, which);
      audit(ctx, request, 'dead letters dropped', { ...which, dropped });
      return { dropped };
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/dead-letters/:id',
    scope: 'runs:write',
    tag: 'Runs',
    summary: 'Drop a dead letter, by the id of its run.',
    answer: () => z.null(),
    errors: ['run_not_found', 'storage_failed'],
    async handle(ctx, { request, params: { id } }) {
      if (!(await ctx.calls.deadLetters.drop(id)))
        throw new ServiceError('run_not_found', `There is no dead letter of the run ${id}.`);
      audit(ctx, request, 'dead letter dropped', { run: id });
      return null;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/deliveries',
    scope: 'runs:read',
    masked: true,
    tag: 'Runs',
    summary:
      'List notices of ended runs (`notify` of their trigger) that were not delivered yet, or were given up.',
    guide: 'calling',
    answer: async () => z.array((await callsApi()).Delivery),
    handle: ({ calls }) => calls.deliveries.list(),
  }),
];
