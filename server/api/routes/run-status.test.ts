import fastify from 'fastify';
import { expect, test } from 'vitest';
import type { CalledRun } from '#shared/calls-api.ts';
import type { Context } from './context.ts';
import type { DurableView } from '../../execution/durable/durable-runs.ts';
import { handleError } from '../../access/http/error-handler.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import { addRoutes } from './define-route.ts';
import runStatusRoutes from './run-status.ts';

const VIEW: DurableView = {
  run: 'run1',
  flow: 'f',
  version: 'v',
  trigger: 'start',
  source: 'http',
  status: 'failed',
  startedAt: 1,
  endedAt: 2,
  passes: 1,
  error: { code: 'http_status', message: 'It answered 401: canary-token is no key.' },
};

async function status(address: string) {
  const redactor = createRedactor();
  redactor.add('canary-token');
  const durable = { get: async () => VIEW } as unknown as Context['durable'];
  const links: Context['links'] = {
    prepare: async () => {},
    of: async (run) => run,
    fits: async (_, token) => token === 'good',
  };
  const app = fastify();
  app.setErrorHandler(handleError);
  addRoutes(app, { durable, links, redactor }, runStatusRoutes);
  return app.inject(`/api/v1/run-status/${address}`);
}

test('the status address of a run shows its error without the secrets in it', async () => {
  const answer = await status('run1?token=good');
  const { data } = answer.json<{ data: CalledRun }>();
  expect(data).toMatchObject({ status: 'failed', error: { message: 'It answered 401: *** is no key.' } });
});

test('a status address with another token is that of no run', async () => {
  expect((await status('run1?token=bad')).statusCode).toBe(404);
});
