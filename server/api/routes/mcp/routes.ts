import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { lazy } from '../../../base/parts/lazy.ts';
import type { Context } from '../context.ts';
import { addRoutes, defineRoute } from '../define-route.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { checkOrigin } from '../../../access/security/origin.ts';
import { watchCaller } from '../../../access/security/watch-caller.ts';
import { PING_MS } from '../../../access/http/stream-limits.ts';
import { createCalls } from '../../mcp/calls.ts';
import type { createMcp } from '../../mcp/mcp-server.ts';

const SESSION = 'mcp-session-id';

interface McpContext extends Context {
  /** Loaded late: the SDK takes time and memory, and most servers never need it. */
  readonly mcp: () => Promise<ReturnType<typeof createMcp>>;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

const rpc = () => z.looseObject({ jsonrpc: z.literal('2.0') });

type Url = '/mcp' | '/mcp/:group';

const routesAt = (url: Url) => [
  defineRoute({
    method: 'POST',
    url,
    scope: 'triggers',
    tag: 'Chat',
    summary: 'Call live flows as tools of the Model Context Protocol, over Streamable HTTP.',
    guide: 'mcp',
    body: rpc,
    content: () => ({ 'application/json': rpc(), 'text/event-stream': undefined }),
    errors: groupErrors(url),
    async handle(ctx: McpContext, { request, reply }) {
      const caller = ctx.access.require(request, 'triggers');
      const group = await groupOf(ctx, request);
      const given = request.headers[SESSION];
      const id = typeof given === 'string' ? given : randomUUID();
      const response = await (await ctx.mcp())({
        request: webRequest(request),
        body: request.body,
        caller,
        group,
        session: `${caller.kind} ${caller.name} ${id}`,
        gone: closing(reply, ctx),
      });
      if (isInitialize(request.body)) response.headers.set(SESSION, id);
      return reply.send(response);
    },
  }),

  defineRoute({
    method: 'GET',
    url,
    scope: 'triggers',
    tag: 'Chat',
    summary: 'Stream notifications of changes to the list of tools.',
    content: () => ({ 'text/event-stream': undefined }),
    errors: ['method_not_allowed', ...groupErrors(url)],
    async handle(ctx: McpContext, { request, reply }) {
      if (!request.headers.accept?.includes('text/event-stream')) return notOffered(reply);
      ctx.access.require(request, 'triggers');
      await groupOf(ctx, request);
      const closed = AbortSignal.any([closing(reply, ctx), ctx.stopping]);
      return reply
        .header('content-type', 'text/event-stream')
        .header('cache-control', 'no-store')
        .send(Readable.from(changes(ctx.flows, closed)));
    },
  }),

  // A session has no state on the server: there is nothing to end.
  defineRoute({
    method: 'DELETE',
    url,
    scope: 'triggers',
    tag: 'Chat',
    summary: 'End a session. Always refused: the server keeps no sessions.',
    errors: ['method_not_allowed'],
    handle: (_: McpContext, { reply }) => notOffered(reply),
  }),
];

function groupErrors(url: Url): readonly 'mcp_group_not_found'[] {
  return url === '/mcp' ? [] : ['mcp_group_not_found'];
}

/** The group in the address. Throws `mcp_group_not_found`. */
async function groupOf({ flows }: McpContext, { params }: FastifyRequest): Promise<string | undefined> {
  const { group } = params as { group?: string };
  if (group === undefined) return undefined;
  const { hasGroup } = await import('../../mcp/offered-tools.ts');
  if (!hasGroup(flows, group))
    throw new ServiceError('mcp_group_not_found', `No live flow is in the group \`${group}\`.`);
  return group;
}

/** `/mcp`: live flows as tools of the Model Context Protocol, over Streamable HTTP. */
export default async function mcpRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const calls = createCalls();
  const mcp = lazy(async () => (await import('../../mcp/mcp-server.ts')).createMcp(ctx, calls));
  const stop = new AbortController();
  app.addHook('preClose', async () => stop.abort());
  app.addHook('onRequest', async (request) => checkPage(request, ctx));
  const all = [...routesAt('/mcp'), ...routesAt('/mcp/:group')];
  addRoutes(app, { ...ctx, mcp, stopping: stop.signal }, all);
}

const LIST_CHANGED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

/** Messages that the server sends on its own, as server-sent events: the list of tools has changed. */
async function* changes(flows: Context['flows'], closed: AbortSignal): AsyncGenerator<string> {
  let changed = Promise.withResolvers<void>();
  const unwatch = flows.watch(() => changed.resolve());
  const left = new Promise<void>((resolve) =>
    closed.addEventListener('abort', () => resolve(), { once: true }),
  );
  try {
    yield ': open\n\n';
    while (!closed.aborted) {
      const waits = new AbortController();
      const ping = pause(PING_MS, 'ping' as const, { signal: waits.signal, ref: false });
      const next = await Promise.race([changed.promise, left, ping]);
      waits.abort();
      ping.catch(() => {});
      if (closed.aborted) return;
      if (next === 'ping') yield ': ping\n\n';
      else {
        changed = Promise.withResolvers<void>();
        yield `event: message\ndata: ${LIST_CHANGED}\n\n`;
      }
    }
  } finally {
    unwatch();
  }
}

/** A page of another origin must not use the browser of a person who can reach this server. */
function checkPage(request: FastifyRequest, { config }: Context): void {
  const { origin } = request.headers;
  if (origin !== undefined && !config.corsOrigins.includes(origin)) checkOrigin(request, config);
}

function isInitialize(body: unknown): boolean {
  return (body as { method?: unknown } | null | undefined)?.method === 'initialize';
}

/** The body was read already; the address only has to be valid. */
function webRequest({ headers, method }: FastifyRequest): Request {
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  );
  return new Request('http://localhost/mcp', { method, headers: plain });
}

/** Aborts when the client disconnects, and when its credentials end. */
function closing(reply: FastifyReply, { access }: Pick<Context, 'access'>): AbortSignal {
  const controller = new AbortController();
  const unwatch = watchCaller(access, reply.request, {
    scope: 'triggers',
    everyMs: PING_MS,
    lost: () => controller.abort(),
  });
  reply.raw.once('close', () => {
    unwatch();
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

function notOffered(reply: FastifyReply): never {
  void reply.header('allow', 'GET, POST');
  throw new ServiceError(
    'method_not_allowed',
    'Send messages with POST, or open a stream of notifications with GET and Accept: text/event-stream.',
  );
}
