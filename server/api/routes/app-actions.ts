import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, AppBody } from '#shared/app.ts';
import { found } from '../../chat/apps/app-list.ts';
import { audit } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../../access/http/envelope.ts';

/** The actions on an app that both of its APIs share; each change is logged for the audit. */

export async function appOf({ apps }: Context, code: string): Promise<App> {
  return found(await apps.get(code), code);
}

export async function makeApp(ctx: Context, request: FastifyRequest, body: AppBody): Promise<App> {
  return noted(ctx, request, 'app made', await ctx.apps.create(body));
}

export async function changeApp(
  ctx: Context,
  request: FastifyRequest,
  code: string,
  body: AppBody,
): Promise<App> {
  return noted(ctx, request, 'app changed', await ctx.apps.update(code, body));
}

export async function collectApp(
  ctx: Context,
  request: FastifyRequest,
  code: string,
  isCollected: boolean,
): Promise<App> {
  const what = isCollected ? 'app collected' : 'app uncollected';
  return noted(ctx, request, what, await ctx.apps.collect(code, isCollected));
}

/** Returns nothing, like DB-GPT. */
export async function removeApp(ctx: Context, request: FastifyRequest, code: string): Promise<never[]> {
  noted(ctx, request, 'app removed', await ctx.apps.remove(code));
  return [];
}

function noted(ctx: Context, request: FastifyRequest, what: string, app: App): App {
  audit(ctx, request, what, { app: app.app_code, name: app.app_name });
  return app;
}

/** Sends a saved app, with warnings if it cannot answer, or names something that its agents cannot use. */
export async function sendSaved(ctx: Context, reply: FastifyReply, app: App): Promise<FastifyReply> {
  const { appFaults } = await import('../../chat/agents/app-faults.ts');
  const warnings = await appFaults(app, {
    live: (id) => ctx.flows.live(id),
    connections: () => ctx.connections.list(),
    spaces: async () => (await (await ctx.knowledge.opened()).spaces()).map(({ name }) => name),
  });
  return reply.send({ ...ok(app), ...(warnings.length > 0 && { warnings }) });
}

/**
 * The schemas of apps are loaded by the first request that needs them: loading them at the start would take
 * milliseconds.
 */
export const appSchemas = () => import('#shared/app.ts');
