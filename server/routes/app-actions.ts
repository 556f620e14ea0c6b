import type { FastifyRequest } from 'fastify';
import type { App, AppBody } from '#shared/app.ts';
import { found } from '../apps/app-list.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';

/** What both addresses of apps do with one, each change with its line in the audit log. */
export interface AppActions {
  get(code: string): Promise<App>;
  create(request: FastifyRequest, body: AppBody): Promise<App>;
  update(request: FastifyRequest, code: string, body: AppBody): Promise<App>;
  collect(request: FastifyRequest, code: string, isCollected: boolean): Promise<App>;
  remove(request: FastifyRequest, code: string): Promise<App>;
}

export function createAppActions(ctx: Context): AppActions {
  const { apps } = ctx;

  function noted(request: FastifyRequest, what: string, app: App): App {
    audit(ctx, request, what, { app: app.app_code, name: app.app_name });
    return app;
  }

  return {
    get: async (code) => found(await apps.get(code), code),
    create: async (request, body) => noted(request, 'app made', await apps.create(body)),
    update: async (request, code, body) => noted(request, 'app changed', await apps.update(code, body)),
    collect: async (request, code, isCollected) =>
      noted(
        request,
        isCollected ? 'app collected' : 'app uncollected',
        await apps.collect(code, isCollected),
      ),
    remove: async (request, code) => noted(request, 'app removed', await apps.remove(code)),
  };
}
