import { z } from 'zod';
import { RunSummary } from '#shared/run-event.ts';
import type { DurableView } from '../../execution/durable/durable-runs.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { boundError } from '../../execution/history/recorded-event.ts';
import { sendFile } from '../../access/answers/file-answer.ts';
import { audit, callerOf } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { exportRun } from '../../execution/history/kept-run.ts';
import { recordingOf } from '../../execution/history/replay/recording.ts';
import { findRuns } from '../../execution/history/value-search.ts';
import { atServerOfRun, withRunsElsewhere } from './at-server-of-run.ts';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');

const lists = [
  defineRoute({
    method: 'DELETE',
    url: '/api/v1/runs',
    scope: 'runs:write',
    tag: 'Runs',
    summary: 'Delete all runs that the list with the same query returns, except those in progress.',
    query: async () => (await api()).RunListQuery,
    answer: async () => (await api()).DeletedRuns,
    async handle(ctx, call) {
      // The count would reveal how many runs match any query.
      ctx.access.require(call.request, 'runs:read');
      const { runs: found, next } = await findRuns(ctx.runs, call.query);
      const deleted = await removeEnded(ctx, found);
      audit(ctx, call.request, 'runs deleted', { runs: deleted });
      return { deleted, ...(next !== undefined && { next }) };
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/runs',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'List runs, newest first. Runs that are parts of other runs are omitted unless requested.',
    query: async () => (await api()).RunListQuery,
    answer: async () => (await api()).RunPage,
    async handle(ctx, { request, query }) {
      const found = await findRuns(ctx.runs, query);
      return withRunsElsewhere(ctx, request, { query, found });
    },
  }),
];

const deleting = [
  defineRoute({
    method: 'DELETE',
    url: '/api/v1/runs/:id',
    scope: 'runs:write',
    tag: 'Runs',
    summary: 'Delete a run that has ended.',
    answer: () => z.null(),
    errors: ['run_not_found', 'conflict'],
    async handle(ctx, { request, params: { id } }) {
      // Deleted first: after an interruption the run is still listed, and its remains can be deleted.
      const { gone, left } = await ctx.durable.forget([id]);
      if (left.length > 0)
        throw new ServiceError('conflict', 'The run is in progress; cancel it first, or wait for its end.');
      const isRemoved = await removed(ctx.runs, id);
      if (!isRemoved && gone.length === 0) throw new ServiceError('run_not_found');
      audit(ctx, request, 'run deleted', { run: id });
      return null;
    },
  }),
];

const reading = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/runs/:id',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'Get a run.',
    answer: () => RunSummary,
    errors: ['run_not_found'],
    async handle({ runs, durable, redactor }, { params: { id } }) {
      const summary = (await runs.get(id)) ?? summaryOf(await durable.get(id), redactor);
      if (summary === undefined) throw new ServiceError('run_not_found');
      return summary;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/runs/:id/events',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'List the events of a run after a sequence number; gaps are marked.',
    query: async () => (await api()).RunEventsQuery,
    answer: async () => (await api()).RunEventPage,
    errors: ['run_not_found'],
    async handle({ runs }, { params: { id }, query: { after, limit } }) {
      const events = await runs.events(id, after);
      if (events === undefined) throw new ServiceError('run_not_found');
      return { events: events.slice(0, limit), more: events.length > limit };
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/runs/:id/export',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'Download a run with everything that is stored of it, as a file.',
    content: async () => ({ 'application/json': (await api()).RunExport }),
    errors: ['run_not_found'],
    async handle({ runs }, { reply, params: { id } }) {
      const file = await exportRun(runs, id);
      reply.header('content-disposition', `attachment; filename="${file.summary.flow}-${id}.run.json"`);
      return file;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/runs/:id/recording',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'Download a run with everything that it received from outside, as a file for `weft replay`.',
    guide: 'replay',
    content: async () => ({ 'application/json': (await import('#shared/recording.ts')).Recording }),
    errors: ['run_not_found', 'conflict'],
    async handle(ctx, { reply, params: { id } }) {
      const file = await recordingOf(ctx, id);
      reply.header('content-disposition', `attachment; filename="${file.summary.flow}-${id}.recording.json"`);
      return file;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/runs/:id/values/:hash',
    scope: 'runs:read',
    tag: 'Runs',
    summary: 'Get a value that was too large for an event, by the hash in that event.',
    answer: () => z.unknown(),
    errors: ['run_not_found', 'run_value_not_found'],
    async handle({ runs }, { params: { id, hash } }) {
      const json = await runs.value(id, hash);
      if (json !== undefined) return JSON.parse(json);
      if ((await runs.get(id)) === undefined) throw new ServiceError('run_not_found');
      throw new ServiceError('run_value_not_found');
    },
  }),
];

const file = defineRoute({
  method: 'GET',
  url: '/api/v1/runs/:id/files/:handle',
  scope: 'runs:read',
  tag: 'Runs',
  summary: 'Download a file that a run received or created, whole or in part (`Range`).',
  guide: 'files',
  content: () => ({ 'application/octet-stream': undefined }),
  errors: ['run_not_found', 'file_not_found', 'file_gone', 'file_changed'],
  async handle({ runs, files }, { reply, params: { id, handle } }) {
    const found = await files.find(handle, { kind: 'run', id: await rootOf(runs, id) });
    if (found === undefined) throw new ServiceError('file_not_found');
    await sendFile(reply, { file: found, status: 200, headers: [] }, files);
    return reply;
  },
});

/** For a durable run that has not begun, or that another server executes for the first time. */
function summaryOf(view: DurableView | undefined, redactor: Redactor): RunSummary | undefined {
  if (view === undefined) return undefined;
  const { run, flow, version, trigger, source, startedAt, endedAt, status, error } = view;
  const ended = {
    ...(endedAt !== undefined && { ms: endedAt - startedAt }),
    ...(error && { error: boundError(error, redactor) }),
  };
  const facts = { run, flow, version, trigger, source, startedAt, recorded: false };
  return { ...facts, ...ended, status: status === 'pending' ? 'running' : status };
}

/** The run that was started from outside and led to this one: it holds their files. */
async function rootOf(runs: Context['runs'], id: string): Promise<string> {
  const summary = await runs.get(id);
  if (summary === undefined) throw new ServiceError('run_not_found');
  return summary.parent === undefined ? id : rootOf(runs, summary.parent);
}

const cancel = defineRoute({
  method: 'POST',
  url: '/api/v1/runs/:id/cancel',
  scope: 'runs:write',
  tag: 'Runs',
  summary: 'Cancel a run.',
  answer: () => z.object({ run: z.string() }),
  status: 202,
  errors: ['run_not_found', 'conflict'],
  async handle(ctx, { request, params: { id } }) {
    const { runs, durable } = ctx;
    const isTaken = (await durable.cancel(id, callerOf(ctx, request))) || runs.cancel(id, 'stop');
    if (!isTaken) {
      // The end of a durable run reaches the history a little later, and that of an unrecorded one never.
      if (((await runs.get(id)) ?? (await durable.get(id))) === undefined)
        throw new ServiceError('run_not_found');
      throw new ServiceError('conflict', 'The run has already ended.');
    }
    return { run: id };
  },
});

/** `/api/v1/runs`: past runs and runs in progress. Their websockets are in `watching/sockets.ts`. */
export default [...lists, ...atServerOfRun([...deleting, ...reading, file, cancel])];

/** Skips runs that were deleted meanwhile, and runs that were resumed. */
async function removeEnded(
  { runs, durable }: Pick<Context, 'runs' | 'durable'>,
  found: readonly RunSummary[],
): Promise<number> {
  const ended = found.filter(({ status }) => status !== 'running' && status !== 'waiting');
  const { left } = await durable.forget(ended.map(({ run }) => run));
  let count = 0;
  for (const { run } of ended) if (!left.includes(run) && (await removed(runs, run))) count++;
  return count;
}

/** False if the run is not in the history. */
async function removed(runs: Context['runs'], run: string): Promise<boolean> {
  try {
    await runs.remove(run);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'run_not_found') return false;
    throw error;
  }
}
