import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Run, WeftError } from '#engine';
import type { ErrorCode } from '#shared/errors.ts';
import { ownerOf } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { TriggerTable } from '../../flows/service/trigger-table.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { routesOf, triggersOf } from '../../flows/service/trigger-routes.ts';
import { pathBehind, queryOf } from '../triggers/address.ts';
import { type Admitted, admittedTo, allowed, lookUp, proveCaller } from '../triggers/admission.ts';
import { bodyKind, discardUnheld, readsBody, triggerBodies } from '../triggers/input.ts';
import { answerWith, startAdmitted } from '../triggers/launch.ts';
import { createListeners, type Heard, type Listeners } from '../triggers/listeners.ts';
import { createTriggerTable } from '../triggers/table.ts';
import { distrust } from '../../access/security/distrust.ts';
import { addRoutes, defineRoute } from './define-route.ts';

const ADMITTED = 'admittedTest';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body of a request to a draft is read. */
    [ADMITTED]: AdmittedTest | undefined;
  }
}

interface AdmittedTest extends Admitted {
  readonly untrusted: RunRequest['untrusted'];
}

type Deps = Pick<
  Context,
  | 'flows'
  | 'runs'
  | 'access'
  | 'gate'
  | 'host'
  | 'catalog'
  | 'files'
  | 'hooks'
  | 'deliveries'
  | 'variables'
  | 'log'
  | 'subFlows'
>;

interface ListenContext extends Deps {
  readonly listeners: Listeners;
}

const listen = defineRoute({
  method: 'POST',
  url: '/api/v1/flows/:id/listen',
  scope: 'flows:write',
  tag: 'Flows',
  summary: 'Wait for the next call of the draft’s test URL; `run` is null if none came.',
  body: () =>
    z.object({
      timeoutMs: z.int().min(1).max(300_000).default(60_000).describe('Longest wait, in milliseconds.'),
    }),
  bodyOptional: true,
  answer: () =>
    z.object({
      run: z.string().nullable(),
      request: z.object({ method: z.string(), path: z.string(), query: z.string() }).nullable(),
    }),
  errors: [
    'flow_not_found',
    'conflict',
    'draining',
    'hook_taken',
    'public_address_missing',
    'service_failed',
  ],
  async handle(ctx: ListenContext, { request, reply, params: { id }, body: { timeoutMs } }) {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    await ctx.flows.get(id);
    const who = ownerOf(ctx, request);
    const over = new AbortController();
    const services = listenForServices(ctx, id, {
      who,
      until: ctx.host.now() + timeoutMs,
      signal: AbortSignal.any([gone.signal, over.signal]),
    });
    try {
      const waiting = ctx.listeners.wait(id, { who, timeoutMs }, AbortSignal.any([gone.signal, over.signal]));
      const heard = await Promise.race([waiting, services.then((found) => found ?? waiting)]);
      return heard ?? { run: null, request: null };
    } finally {
      over.abort();
      // The services have forgotten the addresses when the caller knows.
      await services.catch(() => undefined);
    }
  },
});

const listening = defineRoute({
  method: 'GET',
  url: '/api/v1/flows/:id/listen',
  scope: 'flows:write',
  tag: 'Flows',
  summary: 'Tell whether somebody waits for the next call of the draft’s test URL.',
  answer: () => z.object({ listening: z.boolean() }),
  errors: ['flow_not_found'],
  async handle(ctx: ListenContext, { params: { id } }) {
    await ctx.flows.get(id);
    return { listening: ctx.listeners.who(id) !== undefined };
  },
});

/** Waits for what services send to triggers of the draft, and runs it; undefined if it has none. */
async function listenForServices(
  ctx: ListenContext,
  id: string,
  { who, until, signal }: { readonly who: string; readonly until: number; readonly signal: AbortSignal },
): Promise<Heard | undefined> {
  const { registry } = ctx.deliveries;
  const draft = await ctx.flows.draft(id).catch(() => undefined);
  if (draft === undefined) return undefined;
  const { calledNodes, listenAtServices } = await import('../../execution/sources/draft-hooks.ts');
  if (calledNodes(draft, registry).length === 0) return undefined;
  const untrusted = draft.writers && distrust(ctx.access, { writers: draft.writers, starter: who });
  if (untrusted !== undefined)
    throw new ServiceError(
      'forbidden',
      'Registering a draft at a service uses its connection, so it takes the right to publish flows.',
    );
  const { host, log } = ctx;
  const deps = { hooks: await ctx.hooks(), host, log, registry, variables: ctx.variables.snapshot() };
  const found = await listenAtServices(deps, draft, { until, signal }).catch((error: unknown) => {
    throw error instanceof WeftError ? new ServiceError(error.code as ErrorCode, error.message) : error;
  });
  if (found === undefined) return undefined;
  const request = { method: 'SOURCE', query: {}, params: {}, headers: {}, body: found.value };
  const wish = { flow: draft, trigger: found.node, request, output: found.value };
  const run = ctx.subFlows.hold(draft, () => ctx.runs.start({ ...wish, source: 'test', record: 'full' }));
  return { run: run.id, request: { method: 'POST', path: '', query: '' } };
}

/**
 * The draft of a flow over HTTP. `/api/v1/flows/:id/test/<path>` answers as the live trigger would, but runs the draft,
 * recorded in full. It accepts credentials with `flows:write`; while a person listens, also those that the draft's own
 * trigger admits.
 *
 * `POST /api/v1/flows/:id/listen` waits for the next request there and returns its run; `GET` tells whether somebody waits.
 */
export default async function testTriggers(app: FastifyInstance, ctx: Deps): Promise<void> {
  const listeners = createListeners(ctx.host);
  app.addHook('preClose', (done) => {
    listeners.close();
    done();
  });
  addRoutes(app, { ...ctx, listeners }, [listen, listening]);
  await app.register(async (scope) => addTests(scope, ctx, listeners));
}

/** Why the caller may not edit the flow; undefined if it may. */
function editRefusal({ access }: Deps, request: FastifyRequest): ServiceError | undefined {
  try {
    access.require(request, 'flows:write');
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function addTests(app: FastifyInstance, ctx: Deps, listeners: Listeners): void {
  const tables = new WeakMap<LiveFlow, TriggerTable>();

  /** The triggers of the draft, separate from the live ones. */
  async function tableOf(id: string): Promise<TriggerTable> {
    const draft = await ctx.flows.draft(id);
    const known = tables.get(draft);
    if (known) return known;
    const table = createTriggerTable();
    table.replace(
      id,
      routesOf(triggersOf(draft.flow, ctx.catalog)).map((place) => ({ ...place, flow: draft })),
    );
    tables.set(draft, table);
    return table;
  }

  async function beforeBody(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { id } = request.params as { id: string };
    await ctx.access.ready(request);
    const refusal = editRefusal(ctx, request);
    // A request from outside is admitted only while a person listens for it.
    const listener = listeners.who(id);
    if (refusal !== undefined && listener === undefined) throw refusal;
    const starter = refusal === undefined ? ownerOf(ctx, request) : (listener as string);
    const table = await tableOf(id);
    const { method, url } = request.raw as { method: string; url: string };
    const path = pathBehind(url, `/api/v1/flows/${id}/test`);
    if (method === 'OPTIONS') return reply.code(204).header('allow', allowed(table, path)).send();
    const admitted = admittedTo(lookUp(table, method, path));
    if (refusal !== undefined) await proveCaller(ctx.gate, admitted, request);
    if (method === 'HEAD') return reply.code(200).send();
    if (readsBody(method)) bodyKind(admitted.endpoint.accept, request.headers['content-type']);
    const { writers } = admitted.endpoint.route.flow;
    const untrusted = writers && distrust(ctx.access, { writers, starter });
    request[ADMITTED] = { ...admitted, untrusted };
    return undefined;
  }

  function handle(request: FastifyRequest, reply: FastifyReply): void {
    const { untrusted, ...admitted } = request[ADMITTED] as AdmittedTest;
    const { method, url } = request.raw as { method: string; url: string };
    discardUnheld(ctx.files, request, reply);
    const { id } = admitted.endpoint.route.flow;
    const path = pathBehind(url, `/api/v1/flows/${id}/test`);
    const answer = (started: Run): void => {
      listeners.notify(id, { run: started.id, request: { method, path, query: queryOf(url) } });
      answerWith(reply, started, admitted.endpoint, { files: ctx.files });
    };
    const run = startAdmitted(ctx.runs, admitted, request, { source: 'test', record: 'full', untrusted });
    if (run instanceof Promise) run.then(answer).catch((error: unknown) => reply.send(error));
    else answer(run);
  }

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    triggerBodies((request) => request[ADMITTED] as Admitted, ctx.files),
  );
  app.decorateRequest(ADMITTED, undefined);
  for (const url of ['/api/v1/flows/:id/test', '/api/v1/flows/:id/test/*']) {
    const config = { scope: 'trigger-auth', servedAt: 'both' } as const;
    const method = app.supportedMethods;
    app.route({ method, url, config, exposeHeadRoute: false, onRequest: beforeBody, handler: handle });
  }
}
