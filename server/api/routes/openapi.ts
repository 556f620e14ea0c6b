import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';
import type { Documents } from './openapi/documents.ts';

interface DocumentContext extends Context {
  readonly documents: () => Promise<Documents>;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const document = () => ({ 'application/json': z.looseObject({ openapi: z.string() }) });

const all = defineRoute({
  method: 'GET',
  url: '/openapi.json',
  scope: 'public',
  tag: 'Platform',
  summary:
    'Get the API as OpenAPI 3.1: the platform for everybody; with `flows:read` also every live trigger with its input and output.',
  guide: 'openapi',
  content: document,
  async handle(ctx: DocumentContext, { request, reply }) {
    const which = mayReadFlows(request, ctx) ? 'all' : 'platform';
    const text = await (await ctx.documents())[which]();
    return reply.type(JSON_TYPE).header('cache-control', 'no-cache').send(text);
  },
});

const ofFlow = defineRoute({
  method: 'GET',
  url: '/api/v1/flows/:id/openapi.json',
  scope: 'flows:read',
  tag: 'Platform',
  summary: 'Get the live triggers of a flow as OpenAPI 3.1.',
  guide: 'openapi',
  content: document,
  errors: ['flow_not_found'],
  async handle({ flows, documents }: DocumentContext, { reply, params: { id } }) {
    await flows.get(id);
    return reply.type(JSON_TYPE).send(await (await documents()).flow(id));
  },
});

/**
 * The API as OpenAPI 3.1. `/openapi.json`: the platform for everyone, and live triggers for callers who may read
 * flows. `/api/v1/flows/:id/openapi.json`: the triggers of one flow, unless the editor is off.
 */
export default async function openApiRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  let loading: Promise<Documents> | undefined;
  // Built late: the document needs the schemas of all answers, and most servers never serve it.
  const documents = (): Promise<Documents> => (loading ??= loadDocuments(app, ctx));
  addRoutes(app, { ...ctx, documents }, ctx.config.editor === 'off' ? [all] : [all, ofFlow]);
}

async function loadDocuments({ routeTable }: FastifyInstance, ctx: Context): Promise<Documents> {
  const { createDocuments, describedRoutes } = await import('./openapi/documents.ts');
  return createDocuments(ctx, await describedRoutes(routeTable));
}

/** An invalid key is refused, not ignored. */
function mayReadFlows(request: FastifyRequest, { access }: Context): boolean {
  const caller = access.ofRequest(request);
  if (caller === undefined && request.headers.authorization !== undefined)
    access.require(request, 'flows:read');
  return caller?.scopes.has('flows:read') ?? false;
}
