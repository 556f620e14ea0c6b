import fastify, {
  type FastifyInstance,
  type FastifyHttpOptions,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { answerClientError, rawAnswer } from '../../http/client-error.ts';
import type { Config } from '../../config/config.ts';
import type { TriggerTable } from '../../flows/trigger-table.ts';
import type { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import type { RunHub } from '../../runs/run-types.ts';
import type { Redactor } from '../../secrets/redactor.ts';
import type { TriggerGate } from '../../security/auth/gate.ts';
import type { FastifyBaseLogger } from 'fastify';
import { handleError } from '../../http/error-handler.ts';
import { nothingHere } from '../../http/nothing-here.ts';
import { addPlatformHooks, createAddressCheck, createRequestIds } from '../../http/platform.ts';
import { docsPage } from '../../routes/root.ts';
import triggerRoutes from '../../triggers/routes.ts';

export type DevContext = {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly triggers: TriggerTable;
  readonly runs: RunHub;
  readonly gate: TriggerGate;
  readonly redactor: Redactor;
  readonly idempotency: IdempotencyStore;
};

/**
 * The trigger route by itself, as the service has it: same checks of the address, same errors, no other routes. `watch` adds
 * hooks that see every request.
 */
export async function buildDevApp(
  ctx: DevContext,
  watch: (app: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const app = fastify(serverOptions(ctx)) as unknown as FastifyInstance;
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => socket.end(rawAnswer('method_not_allowed')));
  app.decorate('redactor', ctx.redactor);
  app.setErrorHandler(handleError);
  app.removeAllContentTypeParsers();
  watch(app);
  addPlatformHooks(app, createAddressCheck(ctx.config));
  await app.register((scope) => triggerRoutes(scope, ctx));
  await app.register((scope) => documentation(scope, ctx));
  app.setNotFoundHandler((request) => Promise.reject(nothingHere(app, request)));
  await app.ready();
  return app;
}

const builtEditor = fileURLToPath(new URL('../../dist/editor', import.meta.url));

/** The live triggers as OpenAPI, and the page that shows them, as the service has both. */
async function documentation(app: FastifyInstance, { config, triggers }: DevContext): Promise<void> {
  await docsPage(app, builtEditor, undefined);
  app.get('/openapi.json', { config: { scope: 'public' } }, async (_request, reply) => {
    const { buildDocument } = await import('../../routes/openapi/document.ts');
    const described = triggers.all().map((route) => ({ route, schemas: undefined }));
    const place = { publicUrl: undefined, triggerOrigin: undefined, port: config.port };
    const text = JSON.stringify(buildDocument({ ...place, routes: [], triggers: described }));
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text);
  });
}

function serverOptions(ctx: DevContext): FastifyHttpOptions<Server> {
  return {
    loggerInstance: ctx.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIds(),
    bodyLimit: ctx.config.bodyLimit,
    requestTimeout: 60_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) =>
      handleError(error, request as FastifyRequest, reply as FastifyReply),
    http: {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 15_000,
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    },
  };
}
