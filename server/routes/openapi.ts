import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from './context.ts';
import type { Documents } from './openapi/documents.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The API as OpenAPI 3.1. `/openapi.json`: the platform for everybody, live triggers too for who may read flows.
 * `/api/v1/flows/:id/openapi.json`: the triggers of one flow, where there is an editor.
 */
export default async function openApi(app: FastifyInstance, ctx: Context): Promise<void> {
  let loading: Promise<Documents> | undefined;
  // The schemas of all answers are needed for it, and most servers are never asked.
  const documents = (): Promise<Documents> =>
    (loading ??= import('./openapi/documents.ts').then(({ createDocuments }) =>
      createDocuments(ctx, app.routeTable),
    ));

  app.get('/openapi.json', { config: { scope: 'public' } }, async (request, reply) => {
    const all = mayReadFlows(request, ctx);
    const text = (await documents())[all ? 'all' : 'platform']();
    return reply.type(JSON_TYPE).header('cache-control', 'no-cache').send(text);
  });

  if (ctx.config.editor === 'off') return;
  const ofFlow = '/api/v1/flows/:id/openapi.json';
  app.get<{ Params: { id: string } }>(ofFlow, { config: { scope: 'flows:read' } }, async (request, reply) => {
    const { id } = request.params;
    await ctx.flows.get(id);
    return reply.type(JSON_TYPE).send((await documents()).flow(id));
  });
}

/** A key that does not hold is refused, and not passed over. */
function mayReadFlows(request: FastifyRequest, { access }: Context): boolean {
  const caller = access.ofRequest(request);
  if (caller === undefined && request.headers.authorization !== undefined)
    access.require(request, 'flows:read');
  return caller?.scopes.has('flows:read') ?? false;
}
