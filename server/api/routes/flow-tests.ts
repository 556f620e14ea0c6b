import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { FlowTestCase, type FlowTests } from '#shared/flow-test.ts';
import { audit } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { createTestStore, type TestStore } from '../../execution/flow-tests/test-store.ts';
import type { StoredTape } from '../../execution/history/replay/tape-text.ts';
import { wholeEvents } from '../../execution/history/blobs/whole-events.ts';
import { addRoutes, defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');
const testApi = () => import('#shared/flow-test-api.ts');

interface TestsContext extends Context {
  readonly tests: TestStore;
}

const reading = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/tests',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'List the tests of a flow, with the path of their file.',
    answer: async () => (await testApi()).FlowTestList,
    errors: ['flow_not_found', 'conflict'],
    async handle({ tests }: TestsContext, { params: { id } }) {
      const { file, tests: found } = await tests.read(id);
      return { file, cases: found.cases };
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/:id/tests/run',
    scope: 'runs:write',
    tag: 'Flows',
    summary:
      'Run tests against the draft (or against the file if there is no draft), and report their coverage.',
    body: async () => (await testApi()).RunTestsBody,
    bodyOptional: true,
    answer: async () => (await testApi()).FlowTestReport,
    errors: ['flow_not_found', 'flow_invalid', 'conflict', 'storage_failed'],
    async handle(ctx: TestsContext, { request, params: { id }, body }) {
      if (body.update) ctx.access.require(request, 'flows:write');
      const { runTests } = await import('../../execution/flow-tests/run-tests.ts');
      const report = await runTests(id, body, ctx.tests, ctx);
      if (report.results.some(({ updated }) => updated)) audit(ctx, request, 'tests updated', { flow: id });
      return report;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/:id/tests/generate',
    scope: 'runs:write',
    tag: 'Flows',
    summary:
      'Look for inputs that the draft fails with, made from the request model of a trigger, and make them small.',
    body: async () => (await testApi()).GenerateTestsBody,
    bodyOptional: true,
    answer: async () => (await testApi()).GeneratedReport,
    errors: ['flow_not_found', 'flow_invalid', 'test_not_found', 'conflict'],
    async handle(ctx: TestsContext, { params: { id }, body }) {
      const { generateTests } = await import('../../execution/flow-tests/run-tests.ts');
      return generateTests(id, body, ctx.tests, ctx);
    },
  }),
];

const writing = [
  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/:id/tests',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Add a test.',
    body: async () => (await testApi()).AddTestBody,
    answer: () => z.object({ file: z.string(), test: FlowTestCase }),
    status: 201,
    errors: ['flow_not_found', 'conflict', 'storage_failed'],
    async handle(ctx: TestsContext, { request, params: { id }, body: { test } }) {
      const file = await add(ctx, id, test);
      audit(ctx, request, 'test added', { flow: id, test: test.name });
      return { file, test };
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/flows/:id/tests/:name',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Rename a test.',
    body: async () => (await testApi()).RenameTestBody,
    answer: () => z.object({ name: z.string() }),
    errors: ['flow_not_found', 'test_not_found', 'conflict', 'storage_failed'],
    async handle(ctx: TestsContext, { request, params: { id, name }, body: { name: to } }) {
      await ctx.tests.change(id, (all) => {
        const one = testOf(all, name);
        if (to !== name) requireFree(all, to);
        return { ...all, cases: all.cases.map((other) => (other === one ? { ...one, name: to } : other)) };
      });
      audit(ctx, request, 'test renamed', { flow: id, test: name, to });
      return { name: to };
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/flows/:id/tests/:name',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Delete a test.',
    answer: () => z.null(),
    errors: ['flow_not_found', 'test_not_found', 'conflict', 'storage_failed'],
    async handle(ctx: TestsContext, { request, params: { id, name } }) {
      await ctx.tests.change(id, (all) => {
        const one = testOf(all, name);
        return { ...all, cases: all.cases.filter((other) => other !== one) };
      });
      audit(ctx, request, 'test removed', { flow: id, test: name });
      return null;
    },
  }),
];

const keeping = defineRoute({
  method: 'POST',
  url: '/api/v1/runs/:id/test',
  scope: 'flows:write',
  tag: 'Runs',
  summary: 'Save a run as a test of its flow.',
  body: async () => (await api()).KeepTestBody,
  bodyOptional: true,
  answer: () => z.object({ file: z.string(), test: FlowTestCase }),
  status: 201,
  errors: ['run_not_found', 'flow_not_found', 'conflict', 'storage_failed'],
  async handle(ctx: TestsContext, call) {
    const { request } = call;
    // A test contains the input of the run and its outputs.
    ctx.access.require(request, 'runs:read');
    const { id } = call.params;
    const { name = `run ${id}` } = call.body;
    const kept = await keep(ctx, id, name);
    audit(ctx, request, 'test kept', { run: id, file: kept.file });
    return kept;
  },
});

/** `/api/v1/flows/:id/tests`, and `POST /api/v1/runs/:id/test`, which saves a run as a test of its flow. */
export default async function flowTestRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  addRoutes(app, { ...ctx, tests: await openTests(ctx) }, [...reading, ...writing, keeping]);
}

/** The tests of this server's flows. */
export async function openTests(ctx: Context): Promise<TestStore> {
  const { database, flows } = ctx;
  if (database === undefined) return createTestStore(ctx);
  return (await import('../../execution/flow-tests/row-tests.ts')).createRowTests(flows, database);
}

async function keep({ runs, flows, registry, tests }: TestsContext, id: string, name: string) {
  const [summary, events, tape] = await Promise.all([runs.get(id), runs.events(id, 0), runs.tape(id)]);
  if (summary === undefined || events === undefined) throw new ServiceError('run_not_found');
  const { flow } = await flows.get(summary.flow);
  if (flow === undefined) throw new ServiceError('conflict', 'The flow is broken; correct it first.');
  const { testFromRun } = await import('../../execution/flow-tests/from-run.ts');
  const whole = await wholeEvents(events, (hash) => runs.value(id, hash));
  const request = tape === undefined ? undefined : (JSON.parse(tape) as StoredTape).tape.start.request;
  const test = testFromRun({ summary, events: whole, request }, { flow, registry, name });
  return { file: await add({ tests }, summary.flow, test), test };
}

/** Returns the path of the file. */
async function add(
  { tests }: Pick<TestsContext, 'tests'>,
  flow: string,
  test: FlowTestCase,
): Promise<string> {
  await tests.change(flow, (all) => {
    requireFree(all, test.name);
    return { ...all, cases: [...all.cases, test] };
  });
  return (await tests.read(flow)).file;
}

function testOf({ cases }: FlowTests, name: string): FlowTests['cases'][number] {
  const found = cases.find((one) => one.name === name);
  if (found) return found;
  throw new ServiceError('test_not_found', `The flow has no test called ${JSON.stringify(name)}.`);
}

function requireFree({ cases }: FlowTests, name: string): void {
  if (!cases.some((one) => one.name === name)) return;
  throw new ServiceError('conflict', `A test called ${JSON.stringify(name)} already exists.`, {
    param: 'name',
  });
}
