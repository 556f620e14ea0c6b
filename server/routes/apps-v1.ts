import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AppBody, AppListQuery, llmStrategies, resourceTypes, teamModes } from '#shared/app.ts';
import type { Context } from '../context.ts';
import { ok } from '../envelope.ts';
import { createAppActions } from './app-actions.ts';
import { readPart } from './read-part.ts';

const READ = { config: { scope: 'apps:read' } } as const;
const WRITE = { config: { scope: 'apps:write' } } as const;

const NamedApp = z.object({ app_code: z.string().min(1) });
const EditBody = AppBody.extend(NamedApp.shape);

const query = AppListQuery.shape;
const filter = z.string().nullish();
const ListBody = z.object({
  page: query.page.unwrap().optional(),
  page_no: query.page.unwrap().optional(),
  page_size: query.page_size.unwrap().default(100),
  is_collected: query.is_collected.nullish(),
  user_code: filter,
  sys_code: filter,
  name_filter: filter,
});

/** `/api/v1/app/*` and the lists beside it: the original's older API, as other words for `/api/v2/serve/apps`. */
export default async function olderAppRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const actions = createAppActions(ctx);

  app.post('/api/v1/app/list', READ, async ({ body }) => {
    const { page, page_no, page_size, ...filters } = readPart(ListBody, body, 'body');
    const { is_collected, user_code, sys_code, name_filter } = filters;
    const found = await ctx.apps.list({
      page: page ?? page_no ?? 1,
      page_size,
      is_collected: is_collected ?? undefined,
      user_name: user_code || undefined,
      sys_code: sys_code || undefined,
      name: name_filter || undefined,
    });
    return ok(found);
  });

  app.post('/api/v1/app/detail', READ, async ({ body }) => ok(await actions.get(codeIn(body))));

  app.post('/api/v1/app/create', WRITE, async (request) =>
    ok(await actions.create(request, readPart(AppBody, request.body, 'body'))),
  );

  app.post('/api/v1/app/edit', WRITE, async (request) => {
    const body = readPart(EditBody, request.body, 'body');
    return ok(await actions.update(request, body.app_code, body));
  });

  app.post('/api/v1/app/collect', WRITE, async (request) =>
    ok(await actions.collect(request, codeIn(request.body), true)),
  );

  app.post('/api/v1/app/uncollect', WRITE, async (request) =>
    ok(await actions.collect(request, codeIn(request.body), false)),
  );

  app.post('/api/v1/app/remove', WRITE, async (request) => {
    await actions.remove(request, codeIn(request.body));
    return ok([]);
  });

  for (const [name, choices] of Object.entries(choicesOfForms))
    app.get(`/api/v1/${name}/list`, READ, () => ok(choices));
}

function codeIn(body: unknown): string {
  return readPart(NamedApp, body, 'body').app_code;
}

/** What a form for an app offers. Agents are what their prompt, model and resources make of them, under any name. */
const choicesOfForms = {
  agents: [{ name: 'Assistant', desc: 'Answers by its prompt template, its model and its resources.' }],
  'team-mode': teamModes,
  'llm-strategy': llmStrategies,
  'resource-type': resourceTypes,
};
