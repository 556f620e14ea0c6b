import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { EvaluationCase, EvaluationInfo, EvaluationSet } from '#shared/evaluation.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { EvaluatedBy } from '../../execution/evaluations/ask-target.ts';
import type { Evaluations } from '../../execution/evaluations/evaluations.ts';
import type { SetStore, StoredSet } from '../../execution/evaluations/set-files.ts';
import { audit, keyOf, ownerOf } from '../../access/security/audit.ts';
import { distrust } from '../../access/security/distrust.ts';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';

const api = () => import('#shared/evaluation.ts');

interface EvaluationsContext extends Context {
  /** Both are loaded when they are first used. */
  readonly sets: () => Promise<SetStore>;
  readonly evaluations: () => Promise<Evaluations>;
}

const tag = 'Evaluations';
const guide = 'evaluations';
const errors = ['evaluation_not_found', 'evaluation_broken', 'storage_failed'] as const;

const setRoutes = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/evaluations',
    scope: 'flows:read',
    tag,
    guide,
    summary: 'List all evaluations, by name, each with its newest result.',
    answer: async () => z.array((await api()).EvaluationInfo),
    errors: ['storage_failed'],
    async handle(ctx: EvaluationsContext) {
      const latest = await (await ctx.evaluations()).latest();
      return (await (await ctx.sets()).all()).map((stored) => infoOf(stored, latest.get(stored.id) ?? null));
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/evaluations/:set',
    scope: 'flows:read',
    tag,
    summary: 'Get an evaluation by its name: what it evaluates, its scorers and its cases.',
    answer: async () => (await api()).EvaluationInfo,
    errors,
    async handle(ctx: EvaluationsContext, { params: { set } }) {
      const file = await (await ctx.sets()).get(set);
      return infoOf(file, (await (await ctx.evaluations()).latest()).get(set) ?? null);
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/evaluations/:set',
    scope: 'flows:write',
    tag,
    guide,
    summary:
      'Create an evaluation, or replace it. Without a database it is a file `<set>.eval.json` in the flows folder.',
    body: async () => (await api()).EvaluationSet,
    answer: async () => (await api()).EvaluationSet,
    errors: ['conflict', 'storage_failed'],
    async handle(ctx: EvaluationsContext, { request, params: { set }, body }) {
      const written = await (await ctx.sets()).change(set, () => body, true);
      audit(ctx, request, 'evaluation written', { set });
      return written;
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/evaluations/:set',
    scope: 'flows:write',
    tag,
    summary: 'Delete an evaluation with its results.',
    answer: () => z.null(),
    errors: ['evaluation_not_found', 'storage_failed'],
    async handle(ctx: EvaluationsContext, { request, params: { set } }) {
      await (await ctx.sets()).remove(set);
      await (await ctx.evaluationResults()).forget(set);
      audit(ctx, request, 'evaluation removed', { set });
      return null;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/evaluations/:set/cases',
    scope: 'flows:write',
    tag,
    summary: 'Add a case to an evaluation.',
    body: async () => (await api()).EvaluationCase,
    answer: async () => (await api()).EvaluationCase,
    status: 201,
    errors: [...errors, 'conflict'],
    async handle(ctx: EvaluationsContext, { request, params: { set }, body }) {
      await addCase(ctx, set, body);
      audit(ctx, request, 'case added', { set, case: body.name });
      return body;
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/evaluations/:set/cases/:name',
    scope: 'flows:write',
    tag,
    summary: 'Delete a case of an evaluation.',
    answer: () => z.null(),
    errors,
    async handle(ctx: EvaluationsContext, { request, params: { set, name } }) {
      await (await ctx.sets()).get(set);
      await (await ctx.sets()).change(set, (before) => {
        const { cases, ...rest } = before as EvaluationSet;
        const left = cases.filter((one) => one.name !== name);
        if (left.length === cases.length)
          throw new ServiceError(
            'evaluation_not_found',
            `The evaluation ${set} has no case ${JSON.stringify(name)}.`,
          );
        return { ...rest, cases: left };
      });
      audit(ctx, request, 'case removed', { set, case: name });
      return null;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/runs/:id/evaluation',
    scope: 'flows:write',
    tag: 'Runs',
    guide,
    summary:
      'Keep a run as a case of an evaluation: its input, and as expected what it answered and retrieved.',
    body: async () => (await api()).KeepCaseBody,
    answer: async () => (await api()).EvaluationCase,
    status: 201,
    errors: [...errors, 'run_not_found', 'flow_not_found', 'conflict'],
    async handle(ctx: EvaluationsContext, call) {
      // A case contains the input of the run and its answer.
      ctx.access.require(call.request, 'runs:read');
      const { set, name } = call.body;
      const { target } = (await (await ctx.sets()).get(set)).read();
      const { caseOfRun } = await import('../../execution/evaluations/case-of-run.ts');
      const made = await caseOfRun(call.params.id, { name, target }, ctx);
      await addCase(ctx, set, made);
      audit(ctx, call.request, 'case added', { set, case: made.name, run: call.params.id });
      return made;
    },
  }),
];

const results = [
  defineRoute({
    method: 'POST',
    url: '/api/v1/evaluations/:set/run',
    scope: 'runs:write',
    tag,
    guide,
    summary: 'Start an evaluation. The answer comes at once; get the result to see how far it is.',
    body: async () => (await api()).RunEvaluationBody,
    bodyOptional: true,
    answer: async () => (await api()).EvaluationSummary,
    status: 202,
    errors: [...errors, 'flow_not_found', 'flow_invalid', 'space_not_found', 'conflict'],
    async handle(ctx: EvaluationsContext, { request, params: { set }, body }) {
      const cases = (await (await ctx.sets()).get(set)).read();
      return (await ctx.evaluations()).start(set, cases, body, evaluatedBy(ctx, request));
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/evaluations/:set/results',
    scope: 'runs:read',
    masked: true,
    tag,
    summary: 'List the results of an evaluation, the newest first: versions and their scores.',
    answer: async () => z.array((await api()).EvaluationSummary),
    errors: ['evaluation_not_found', 'storage_failed'],
    async handle(ctx: EvaluationsContext, { params: { set } }) {
      await (await ctx.sets()).get(set);
      return (await ctx.evaluations()).list(set);
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/evaluations/:set/results/:result',
    scope: 'runs:read',
    masked: true,
    tag,
    summary: 'Get a result of an evaluation with all of its cases.',
    answer: async () => (await api()).EvaluationResult,
    errors: ['evaluation_not_found', 'storage_failed'],
    handle: async (ctx: EvaluationsContext, { params: { set, result } }) =>
      (await ctx.evaluations()).get(set, result),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/evaluations/:set/results/:result/stop',
    scope: 'runs:write',
    tag,
    summary: 'Stop an evaluation that is under way; what it has is stored.',
    answer: async () => (await api()).EvaluationResult,
    errors: ['evaluation_not_found', 'storage_failed'],
    handle: async (ctx: EvaluationsContext, { params: { set, result } }) =>
      (await ctx.evaluations()).stop(set, result),
  }),
];

/** `/api/v1/evaluations`: sets of cases, and their results. */
export default async function evaluationRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  let made: Promise<Evaluations> | undefined;
  let found: Promise<SetStore> | undefined;
  const sets = (): Promise<SetStore> => (found ??= openSets(ctx));
  const evaluations = (): Promise<Evaluations> =>
    (made ??= Promise.all([
      import('../../execution/evaluations/evaluations.ts'),
      ctx.evaluationResults(),
    ]).then(([file, evaluationResults]) => new file.Evaluations({ ...ctx, evaluationResults })));
  app.addHook('preClose', async () => (await made)?.close());
  addRoutes(app, { ...ctx, sets, evaluations }, [...setRoutes, ...results]);
}

async function openSets({ config, database }: Context): Promise<SetStore> {
  if (database !== undefined)
    return (await import('../../execution/evaluations/row-sets.ts')).createRowSets(database);
  return new (await import('../../execution/evaluations/set-files.ts')).SetFiles(config.flows);
}

function infoOf(stored: StoredSet, latest: EvaluationInfo['latest']): EvaluationInfo {
  const { id, shown } = stored;
  try {
    return { id, file: shown, set: stored.read(), problem: null, latest };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { id, file: shown, set: null, problem: error.message, latest };
  }
}

async function addCase({ sets }: EvaluationsContext, set: string, one: EvaluationCase): Promise<void> {
  const files = await sets();
  await files.get(set);
  await files.change(set, (before) => {
    const { cases, ...rest } = before as EvaluationSet;
    if (cases.some(({ name }) => name === one.name))
      throw new ServiceError('conflict', `The evaluation has a case ${JSON.stringify(one.name)} already.`, {
        param: 'name',
      });
    return { ...rest, cases: [...cases, one] };
  });
}

function evaluatedBy(ctx: Context, request: FastifyRequest): EvaluatedBy {
  const starter = ownerOf(ctx, request);
  return {
    apiKey: keyOf(ctx, request),
    distrust: ({ writers = [] }) => distrust(ctx.access, { writers, starter }),
  };
}
