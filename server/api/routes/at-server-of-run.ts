import type { FastifyRequest } from 'fastify';
import type { RunListQuery, RunPage } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { newestFirst } from '../../execution/history/memory-history.ts';
import type { FoundRuns } from '../../execution/history/value-search.ts';
import type { RouteScope } from '../../access/security/scopes.ts';
import type { Context } from './context.ts';
import type { Route, RouteCall } from './define-route.ts';

type Call = RouteCall<{ readonly id: string }, unknown, unknown>;

interface Asked {
  /** Whether the answer differs from the history even after the run has ended. */
  readonly evenEnded?: boolean;
}

/** The same routes, answered by the server that executes the run `:id`, regardless of the server that they arrive at. */
export function atServerOfRun<C extends Context>(routes: readonly Route<C>[], asked: Asked = {}): Route<C>[] {
  return routes.map((route) => ({
    ...route,
    async handle(ctx: C, call: never) {
      if (ctx.servers !== undefined && (await isPassedOn(ctx, call, route.scope, asked)))
        return (call as Call).reply;
      return route.handle(ctx, call);
    },
  }));
}

async function isPassedOn(
  { servers, runs, access }: Context,
  { request, reply, params: { id } }: Call,
  scope: RouteScope,
  { evenEnded = false }: Asked,
): Promise<boolean> {
  const server = evenEnded
    ? await servers?.keeperOf(id, request)
    : await servers?.serverOf(id, request, () => runs.get(id));
  if (server === undefined) return false;
  const caller = access.require(request, scope as Parameters<typeof access.require>[1]);
  await servers?.pass(server, { request, reply, caller });
  return true;
}

/**
 * Adds to a page of runs those in progress on other servers, which are not in the history yet. `missing` names the servers that did
 * not answer.
 */
export async function withRunsElsewhere(
  { servers, access }: Context,
  request: FastifyRequest,
  { query, found }: { readonly query: RunListQuery; readonly found: FoundRuns },
): Promise<FoundRuns & Pick<RunPage, 'missing'>> {
  if (servers === undefined) return found;
  if (servers.asks(request)) return { runs: found.runs.filter(({ status }) => status === 'running') };
  const { value, status, limit } = query;
  if (value !== undefined || (status !== undefined && status !== 'running')) return found;
  const asked = new URLSearchParams(request.url.split('?')[1]);
  asked.set('status', 'running');
  const { answers, silent } = await servers.askAll<{ readonly runs: RunSummary[] }>(
    'GET',
    `/api/v1/runs?${asked.toString()}`,
    access.require(request, 'runs:read'),
  );
  const known = new Set(found.runs.map(({ run }) => run));
  const missing = silent.length > 0 && { missing: [...silent] };
  const running = answers
    .flatMap(({ server: { name }, data }) => data.runs.map((run) => ({ ...run, server: name })))
    .filter(({ run }) => !known.has(run));
  if (running.length === 0) return { ...found, ...missing };
  const runs = [...found.runs, ...running].sort(newestFirst).slice(0, limit);
  const last = runs.at(-1);
  return { runs, ...(last && runs.length === limit && { next: last.run }), ...missing };
}
