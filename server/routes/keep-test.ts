import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { KeepTestBody } from '#shared/api.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import { ok } from '../envelope.ts';
import { ServiceError } from '../errors.ts';
import { testFromRun } from '../flow-tests/from-run.ts';
import { BadTests, readTests, testFileOf, writeTests } from '../flow-tests/test-file.ts';
import { readPart } from './read-part.ts';

interface ById {
  Params: { id: string };
}

/** `POST /api/v1/runs/:id/test`: keeps a run as a test beside its flow. */
export default async function keepTestRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  // One after the other: each adds to what it has read.
  let last: Promise<unknown> = Promise.resolve();

  app.post<ById>('/api/v1/runs/:id/test', { config: { scope: 'flows:write' } }, async (request, reply) => {
    // A test holds what the run was started with, and what came out.
    ctx.access.require(request, 'runs:read');
    const { id } = request.params;
    const { name = `run ${id}` } = readPart(KeepTestBody, request.body ?? {}, 'body');
    const kept = last.then(() => keep(ctx, id, name));
    last = kept.catch(() => {});
    const { file, test } = await kept;
    audit(ctx, request, 'test kept', { run: id, file });
    return reply.code(201).send(ok({ file, test }));
  });
}

async function keep({ runs, flows, registry, config }: Context, id: string, name: string) {
  const [summary, events] = await Promise.all([runs.get(id), runs.events(id, 0)]);
  if (summary === undefined || events === undefined) throw new ServiceError('run_not_found');
  const { flow, file } = await flows.get(summary.flow);
  if (flow === undefined) throw new ServiceError('conflict', 'The flow is broken; mend it first.');
  const path = config.flows.map((folder) => join(folder, file)).find((one) => existsSync(one));
  if (path === undefined || !path.endsWith('.json'))
    throw new ServiceError(
      'conflict',
      'The flow has no file yet, beside which its tests would lie; publish it first.',
    );
  const test = testFromRun({ summary, events }, { flow, registry, name });
  const tests = known(testFileOf(path)) ?? { format: 1 as const, cases: [] };
  if (tests.cases.some((one) => one.name === name))
    throw new ServiceError('conflict', `A test called ${JSON.stringify(name)} is there already.`, {
      param: 'name',
    });
  await writeTests(testFileOf(path), { ...tests, cases: [...tests.cases, test] });
  return { file: testFileOf(file), test };
}

function known(path: string) {
  try {
    return readTests(path);
  } catch (error) {
    if (error instanceof BadTests)
      throw new ServiceError(
        'conflict',
        `The file of tests is broken, and stays as it is: ${error.message}.`,
      );
    throw error;
  }
}
