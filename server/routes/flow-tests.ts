import type { FastifyInstance } from 'fastify';
import { KeepTestBody } from '#shared/api.ts';
import type { FlowTests } from '#shared/flow-test.ts';
import {
  type FlowTestList,
  type FlowTestReport,
  RenameTestBody,
  RunTestsBody,
} from '#shared/flow-test-api.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { createTestStore, type TestStore } from '../flow-tests/test-store.ts';
import { wholeEvents } from '../history/blobs/whole-events.ts';
import { readPart } from '../requests/read-part.ts';

interface ById {
  Params: { id: string };
}
interface OneTest {
  Params: { id: string; name: string };
}

const WRITE = { config: { scope: 'flows:write' } } as const;

/** `/api/v1/flows/:id/tests`, and `POST /api/v1/runs/:id/test`, which keeps a run as a test beside its flow. */
export default async function flowTestRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const tests = createTestStore(ctx);
  readRoutes(app, ctx, tests);
  writeRoutes(app, ctx, tests);
  keepRoute(app, ctx, tests);
}

function readRoutes(app: FastifyInstance, ctx: Context, tests: TestStore): void {
  app.get<ById>('/api/v1/flows/:id/tests', { config: { scope: 'flows:read' } }, async (request) => {
    const { file, tests: found } = await tests.read(request.params.id);
    const list: FlowTestList = { file, cases: found.cases };
    return ok(list);
  });

  app.post<ById>('/api/v1/flows/:id/tests/run', { config: { scope: 'runs:write' } }, async (request) => {
    const { id } = request.params;
    const body = readPart(RunTestsBody, request.body ?? {}, 'body');
    if (body.update) ctx.access.require(request, 'flows:write');
    const { runTests } = await import('../flow-tests/run-tests.ts');
    const report: FlowTestReport = await runTests(id, body, tests, ctx);
    if (report.results.some(({ updated }) => updated)) audit(ctx, request, 'tests updated', { flow: id });
    return ok(report);
  });
}

function writeRoutes(app: FastifyInstance, ctx: Context, tests: TestStore): void {
  const url = '/api/v1/flows/:id/tests/:name';

  app.put<OneTest>(url, WRITE, async (request) => {
    const { id, name } = request.params;
    const { name: to } = readPart(RenameTestBody, request.body, 'body');
    await tests.change(id, (all) => {
      const one = testOf(all, name);
      if (to !== name) requireFree(all, to);
      return { ...all, cases: all.cases.map((other) => (other === one ? { ...one, name: to } : other)) };
    });
    audit(ctx, request, 'test renamed', { flow: id, test: name, to });
    return ok({ name: to });
  });

  app.delete<OneTest>(url, WRITE, async (request) => {
    const { id, name } = request.params;
    await tests.change(id, (all) => {
      const one = testOf(all, name);
      return { ...all, cases: all.cases.filter((other) => other !== one) };
    });
    audit(ctx, request, 'test removed', { flow: id, test: name });
    return ok(null);
  });
}

function keepRoute(app: FastifyInstance, ctx: Context, tests: TestStore): void {
  app.post<ById>('/api/v1/runs/:id/test', WRITE, async (request, reply) => {
    // A test holds what the run was started with, and what came out.
    ctx.access.require(request, 'runs:read');
    const { id } = request.params;
    const { name = `run ${id}` } = readPart(KeepTestBody, request.body ?? {}, 'body');
    const kept = await keep(ctx, tests, id, name);
    audit(ctx, request, 'test kept', { run: id, file: kept.file });
    return reply.code(201).send(ok(kept));
  });
}

async function keep({ runs, flows, registry }: Context, tests: TestStore, id: string, name: string) {
  const [summary, events] = await Promise.all([runs.get(id), runs.events(id, 0)]);
  if (summary === undefined || events === undefined) throw new ServiceError('run_not_found');
  const { flow } = await flows.get(summary.flow);
  if (flow === undefined) throw new ServiceError('conflict', 'The flow is broken; mend it first.');
  const { testFromRun } = await import('../flow-tests/from-run.ts');
  const whole = await wholeEvents(events, (hash) => runs.value(id, hash));
  const test = testFromRun({ summary, events: whole }, { flow, registry, name });
  await tests.change(summary.flow, (all) => {
    requireFree(all, name);
    return { ...all, cases: [...all.cases, test] };
  });
  return { file: (await tests.read(summary.flow)).file, test };
}

function testOf({ cases }: FlowTests, name: string): FlowTests['cases'][number] {
  const found = cases.find((one) => one.name === name);
  if (found) return found;
  throw new ServiceError('test_not_found', `The flow has no test called ${JSON.stringify(name)}.`);
}

function requireFree({ cases }: FlowTests, name: string): void {
  if (!cases.some((one) => one.name === name)) return;
  throw new ServiceError('conflict', `A test called ${JSON.stringify(name)} is there already.`, {
    param: 'name',
  });
}
