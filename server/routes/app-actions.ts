import type { FastifyRequest } from 'fastify';
import type { App, AppBody } from '#shared/app.ts';
import { appWarnings } from '#shared/app-warnings.ts';
import { found } from '../apps/app-list.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok, type Success } from '../http/envelope.ts';
import { readPart } from '../requests/read-part.ts';

/** What both addresses of apps do with one, each change with its line in the audit log. */
export interface AppActions {
  get(code: string): Promise<App>;
  /** From the body of the request. */
  create(request: FastifyRequest): Promise<App>;
  update(request: FastifyRequest, code: string, body: AppBody): Promise<App>;
  collect(request: FastifyRequest, code: string, isCollected: boolean): Promise<App>;
  remove(request: FastifyRequest, code: string): Promise<App>;
}

/** Schemas of apps are loaded with the first request that needs one: they would cost the server's start some milliseconds. */
export async function appBody(request: FastifyRequest): Promise<AppBody> {
  const { AppBody } = await import('#shared/app.ts');
  return readPart(AppBody, request.body, 'body');
}

/** A saved app, with warnings where its agents cannot use what it names. */
export function savedApp(app: App): Success<App> & { readonly warnings?: readonly string[] } {
  const warnings = appWarnings(app);
  return { ...ok(app), ...(warnings.length > 0 && { warnings }) };
}

export function createAppActions(ctx: Context): AppActions {
  const { apps } = ctx;

  function noted(request: FastifyRequest, what: string, app: App): App {
    audit(ctx, request, what, { app: app.app_code, name: app.app_name });
    return app;
  }

  return {
    get: async (code) => found(await apps.get(code), code),
    create: async (request) => noted(request, 'app made', await apps.create(await appBody(request))),
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
