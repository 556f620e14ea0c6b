import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Hook } from '#shared/hook-api.ts';
import { audit } from '../../access/security/audit.ts';
import { readBody } from '../../access/http/read-body.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { HookRow } from '../../execution/sources/hook-store.ts';
import { HOOKS_PATH, NO_ADDRESS } from '../../execution/sources/hooks.ts';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';
import { idOf, pageOf, shownHook, unregistered } from './hook-list.ts';

const hookApi = () => import('#shared/hook-api.ts');
const deliveries = () => import('../../execution/sources/deliveries.ts');

/** Services send more than people do; GitHub sends up to 25 MB. */
const BODY_LIMIT = 25_000_000;
const FOUND = 'foundHook';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body of a delivery is read. */
    [FOUND]: HookRow | undefined;
  }
}

/** `/api/v1/hooks`: what triggers have registered at services. */
export const hooks = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/hooks',
    scope: 'flows:read',
    masked: true,
    tag: 'Flows',
    summary:
      'List what the triggers of all flows have registered at services: for which public address, since when, what came last, and what is wrong. By flow and node.',
    guide: 'services',
    query: async () => (await hookApi()).HookQuery,
    answer: async () => (await hookApi()).HookPage,
    errors: ['storage_failed'],
    handle: (ctx, { query }) => pageOf(ctx, query),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/v1/hooks/:id',
    scope: 'flows:publish',
    tag: 'Flows',
    summary:
      'Forget a registration that was made for another public address. The service is not asked: it goes on calling that address until somebody removes it there.',
    guide: 'services',
    answer: () => z.null(),
    errors: ['hook_not_found', 'public_address_missing', 'storage_failed'],
    async handle(ctx, { request, params: { id } }) {
      const { store, address } = await ctx.hooks();
      // Without an address of its own, all would be another server's.
      if (address() === undefined) throw new ServiceError('public_address_missing', NO_ADDRESS);
      const row = (await store.all()).find(({ key, base }) => base !== address() && idOf(key) === id);
      if (row === undefined)
        throw new ServiceError('hook_not_found', `No registration for another address has the id ${id}.`);
      await store.remove(row.key);
      audit(ctx, request, 'registration forgotten', { flow: row.flow, node: row.node, at: row.base });
      return null;
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/hooks',
    scope: 'flows:read',
    masked: true,
    tag: 'Flows',
    summary:
      'List the registrations of a flow’s triggers at services: since when, what came last, and what prevents one.',
    guide: 'services',
    answer: async () => z.array((await hookApi()).Hook),
    errors: ['flow_not_found'],
    async handle(ctx, { params: { id } }) {
      return hooksOf(ctx, id);
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/v1/hooks/:flow/:node',
    scope: 'flows:publish',
    tag: 'Flows',
    summary:
      'Register a trigger at its service again, now. Answers at once; the list says what has become of it. For a trigger whose address people enter themselves, it makes the address.',
    guide: 'services',
    body: () =>
      z.object({
        replace: z
          .boolean()
          .default(false)
          .describe('Whether it takes the place of another server’s, where a service has room for one only.'),
      }),
    bodyOptional: true,
    answer: async () => (await hookApi()).Hook,
    errors: ['flow_not_found', 'hook_not_found', 'public_address_missing'],
    async handle(ctx, { request, params: { flow, node }, body: { replace } }) {
      const operator = await calledOperator(ctx, flow, node);
      const { address, store } = await ctx.hooks();
      if (address() === undefined) throw new ServiceError('public_address_missing', NO_ADDRESS);
      if (ctx.catalog.operators[operator]?.called === 'hand') await openByHand(ctx, { flow, node, operator });
      for (const { key, current, asks } of await store.ofNode(flow, node))
        if (current === 1) await store.change(key, { asks: asks + 1, ...(replace && { may_replace: 1 }) });
      ctx.sources.again(flow, node);
      audit(ctx, request, 'trigger registered again', { flow, node, replace });
      return (await hooksOf(ctx, flow)).find((hook) => hook.node === node) as Hook;
    },
  }),
];

/** Throws `flow_not_found` and `hook_not_found`. */
async function calledOperator(ctx: Context, flow: string, node: string): Promise<string> {
  const operator = (await calledIn(ctx, flow)).get(node);
  if (operator === undefined)
    throw new ServiceError('hook_not_found', `Node ${node} of ${flow} is no trigger that a service calls.`);
  return operator;
}

/** The triggers that services call, of the draft, which may have errors, and of the live flow. Throws `flow_not_found`. */
async function calledIn({ flows, catalog }: Context, id: string): Promise<ReadonlyMap<string, string>> {
  const drafted = await flows.get(id);
  const all = [flows.live(id), drafted].flatMap((one) => Object.entries(one?.flow?.nodes ?? {}));
  return new Map(
    all
      .filter(([, { operator }]) => catalog.operators[operator]?.called !== undefined)
      .map(([node, { operator }]) => [node, operator]),
  );
}

async function openByHand(
  { hooks, deliveries: { registry }, flows }: Context,
  { flow, node, operator }: { readonly flow: string; readonly node: string; readonly operator: string },
): Promise<void> {
  const { service, store } = await hooks();
  const asker = { flow, version: '', run: `source:${flow}:${node}`, node, operator };
  const draft = await flows.get(flow);
  const known = (await store.ofNode(flow, node)).find((row) => row.operator === operator);
  const params = known === undefined ? (draft.flow?.nodes[node]?.params ?? {}) : JSON.parse(known.params);
  if (registry.operators.has(operator)) await service.open(asker, `${operator} by hand`, params);
}

/** One for each trigger, and those that were left alone. */
async function hooksOf(ctx: Context, flow: string): Promise<Hook[]> {
  const { store, address } = await ctx.hooks();
  const rows = (await store.ofFlow(flow)).filter(({ use }) => use !== 'draft');
  const called = await calledIn(ctx, flow);
  const missing = [...called].filter(([node]) => !rows.some((row) => row.node === node));
  return [
    ...rows.map((row) => shownHook(row, address())),
    ...missing.map(([node, operator]) => unregistered(ctx, address(), { flow, node, operator })),
  ];
}

const deliver = {
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Flows',
  guide: 'services',
  content: () => ({ 'text/plain': undefined }),
  errors: [
    'hook_not_found',
    'hook_not_ready',
    'signature_invalid',
    'invalid_json',
    'auth_not_ready',
    'body_too_large',
    'overloaded',
    'draining',
  ],
  /** Strangers cannot make the server read a body. */
  async beforeBody({ hooks }: Context, request: FastifyRequest) {
    const { key } = request.params as { key: string };
    request[FOUND] = await (await deliveries()).findHook({ hooks: await hooks() }, key);
  },
} as const;

const post = defineRoute({
  ...deliver,
  method: 'POST',
  url: `${HOOKS_PATH}:key`,
  errors: [...deliver.errors],
  bodyLimit: () => BODY_LIMIT,
  summary:
    'Take what a service sends to a trigger. Answered once its run is stored; a repeat starts no second run.',
  handle: (ctx, { request, reply }) =>
    answer(ctx, request).then(({ status, text }) => plain(reply, status, text)),
});

const get = defineRoute({
  ...deliver,
  method: 'GET',
  url: `${HOOKS_PATH}:key`,
  errors: [...deliver.errors],
  summary: 'Answer the challenge by which a service checks that the address of a trigger is ours.',
  handle: (ctx, { request, reply }) =>
    answer(ctx, request).then(({ status, text }) => plain(reply, status, text)),
});

async function answer(ctx: Context, request: FastifyRequest): Promise<{ status: number; text: string }> {
  const { takeDelivery, findHook } = await deliveries();
  const { key } = request.params as { key: string };
  const deps = { ...ctx.deliveries, hooks: await ctx.hooks() };
  const row = request[FOUND] ?? (await findHook(deps, key));
  const { method, headers, query, body } = request;
  return takeDelivery(deps, row, {
    ...{ method, headers, query: query as Record<string, unknown> },
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  });
}

/** Sends a text that no browser shows as a page, because a challenge repeats what the caller sent. */
function plain(reply: FastifyReply, status: number, text: string) {
  const safe = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return reply.code(status).headers(safe).send(text);
}

/** `/hooks/<key>`: where services call triggers. */
export default async function hookDeliveries(app: FastifyInstance, ctx: Context): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, _payload, done) =>
    readBody(request, BODY_LIMIT, done),
  );
  app.decorateRequest(FOUND, undefined);
  addRoutes(app, ctx, [post, get]);
}
