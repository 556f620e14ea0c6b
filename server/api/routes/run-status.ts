import type { CalledRun } from '#shared/calls-api.ts';
import { RUN_STATUS_PREFIX } from '../../execution/durable/run-links.ts';
import type { Context } from './context.ts';
import type { DurableView } from '../../execution/durable/durable-runs.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { boundError } from '../../execution/history/recorded-event.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { defineRoute } from './define-route.ts';

const callsApi = () => import('#shared/calls-api.ts');

type StatusDeps = Pick<Context, 'durable' | 'links' | 'redactor'>;

/**
 * `/api/v1/run-status/:id`: the status of a run, for the caller that received this address; available without the
 * editor too.
 */
export default [
  defineRoute({
    method: 'GET',
    url: `${RUN_STATUS_PREFIX}/:id`,
    scope: 'public',
    servedAt: 'both',
    tag: 'Runs',
    summary:
      'Get the status of a run that outlives its request. The caller received this address with a 202 answer.',
    guide: 'calling',
    query: async () => (await callsApi()).RunStatusQuery,
    answer: async () => (await callsApi()).CalledRun,
    errors: ['run_not_found'],
    async handle({ durable, links, redactor }: StatusDeps, { reply, params: { id }, query: { token } }) {
      // A wrong token and a deleted run look the same, so that callers cannot find out which runs exist.
      const view = (await links.fits(id, token)) ? await durable.get(id) : undefined;
      if (view === undefined) throw new ServiceError('run_not_found');
      reply.header('cache-control', 'no-store');
      return calledRun(view, redactor);
    },
  }),
];

/**
 * The answer is the flow's return value for its caller. An error may repeat text from an outside address, so it is masked.
 */
function calledRun(
  { run, flow, status, startedAt, endedAt, answer, error }: DurableView,
  redactor: Redactor,
): CalledRun {
  const masked = error && boundError(error, redactor);
  return {
    run,
    flow,
    status,
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(answer && { answer: { ...answer, body: answer.body } }),
    ...(masked && { error: { code: masked.code, message: masked.message } }),
  };
}
