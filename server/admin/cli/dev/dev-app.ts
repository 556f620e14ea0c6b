import type { FastifyInstance } from 'fastify';
import type { TriggerTable } from '../../../flows/service/trigger-table.ts';
import { bareApp, type BareDeps } from '../../../access/http/bare-app.ts';
import { openHttpServer } from '../../../access/http/http-server.ts';
import { nothingHere } from '../../../access/http/nothing-here.ts';
import { addPlatformHooks, createAddressCheck } from '../../../access/http/platform.ts';
import type { IdempotencyStore } from '../../../storage/idempotency/idempotency-store.ts';
import { builtEditor } from '../../../base/files/built-editor.ts';
import { allowOrigins } from '../../../api/routes/cors.ts';
import { openPages } from '../../../api/routes/root.ts';
import type { RunHub } from '../../../execution/runs/run-types.ts';
import type { TriggerGate } from '../../../access/security/auth/gate.ts';
import triggerRoutes from '../../../api/triggers/routes.ts';

export interface DevContext extends BareDeps {
  readonly triggers: TriggerTable;
  readonly runs: RunHub;
  readonly gate: TriggerGate;
  readonly idempotency: IdempotencyStore;
}

/**
 * Only the trigger route, with the same checks of the address and the same errors as in the full server. `watch` adds
 * hooks that see every request.
 */
export async function buildDevApp(
  ctx: DevContext,
  watch: (app: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const app = bareApp(ctx, openHttpServer(false));
  watch(app);
  addPlatformHooks(app, createAddressCheck(ctx.config));
  await app.register(async (scope) => {
    await allowOrigins(scope, ctx.config);
    await triggerRoutes(scope, ctx);
  });
  await app.register((scope) => documentation(scope, ctx));
  app.setNotFoundHandler((request) => Promise.reject(nothingHere(app, request)));
  await app.ready();
  return app;
}

/** The live triggers as OpenAPI, and the page that shows them, as in the full server. */
async function documentation(app: FastifyInstance, { config, triggers }: DevContext): Promise<void> {
  await openPages(app, builtEditor, undefined);
  app.get('/openapi.json', { config: { scope: 'public' } }, async (_request, reply) => {
    const { buildDocument } = await import('../../../api/routes/openapi/document.ts');
    const described = triggers.all().map((route) => ({ route, schemas: undefined }));
    const place = { publicUrl: undefined, triggerOrigin: undefined, port: config.port };
    const text = JSON.stringify(buildDocument({ ...place, routes: [], triggers: described }));
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text);
  });
}
