import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { createAppActions, savedApp } from './app-actions.ts';
import { readPart } from '../requests/read-part.ts';

const READ = { config: { scope: 'apps:read' } } as const;
const WRITE = { config: { scope: 'apps:write' } } as const;

/** Loaded with the first request, as `app-actions.ts` says. */
const load = () => import('../apps/older-api.ts');

/** `/api/v1/app/*` and the lists beside it: the original's older API, as other words for `/api/v2/serve/apps`. */
export default async function olderAppRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const actions = createAppActions(ctx);

  app.post('/api/v1/app/list', READ, async ({ body }) =>
    ok(await ctx.apps.list(readPart((await load()).ListBody, body, 'body'))),
  );

  app.post('/api/v1/app/detail', READ, async ({ body }) => ok(await actions.get(await codeIn(body))));

  app.post('/api/v1/app/create', WRITE, async (request) => savedApp(await actions.create(request)));

  app.post('/api/v1/app/edit', WRITE, async (request) => {
    const body = readPart((await load()).EditBody, request.body, 'body');
    return savedApp(await actions.update(request, body.app_code, body));
  });

  app.post('/api/v1/app/collect', WRITE, async (request) =>
    ok(await actions.collect(request, await codeIn(request.body), true)),
  );

  app.post('/api/v1/app/uncollect', WRITE, async (request) =>
    ok(await actions.collect(request, await codeIn(request.body), false)),
  );

  app.post('/api/v1/app/remove', WRITE, async (request) => {
    await actions.remove(request, await codeIn(request.body));
    return ok([]);
  });

  for (const list of ['agents', 'team-mode', 'llm-strategy', 'resource-type'] as const)
    app.get(`/api/v1/${list}/list`, READ, async () => ok((await load()).choicesOfForms[list]));
}

async function codeIn(body: unknown): Promise<string> {
  const { NamedApp } = await load();
  return readPart(NamedApp, body, 'body').app_code;
}
