import type { RequestListener, Server } from 'node:http';
import fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../../base/config/config.ts';
import type { SharedBuckets } from '../../base/rates/buckets.ts';
import { type CallRates, createCallRates } from '../../base/rates/call-rates.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { createBodyBudget } from './body-budget.ts';
import { handleError } from './error-handler.ts';
import { closeServer } from './http-server.ts';
import { createRequestIds } from './platform.ts';
import { streamLimitsOf } from './stream-limits.ts';
import { inTurn } from './unread-answers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts calls against the limits of triggers, forms, chats and keys. */
    readonly rates: CallRates;
  }
}

export interface BareDeps {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly host: { now(): number };
  readonly redactor: Redactor;
  /** Limits on calls that servers count together. */
  readonly buckets?: SharedBuckets | undefined;
}

/**
 * A server without routes and hooks, for the service and for `weft dev`: its limits, its errors, and its answers to malformed
 * requests. Each route reads its own body. Requests come from `server`, or from the caller of the listener that `take` receives.
 */
export function bareApp(
  { config, log, host, redactor, buckets }: BareDeps,
  server: Server,
  take = (listener: RequestListener): void => void server.on('request', inTurn(listener)),
): FastifyInstance {
  const serverFactory = (listener: RequestListener): Server => {
    take(listener);
    return server;
  };
  const app: FastifyInstance = fastify({ ...appOptions(config, log), serverFactory });
  app.log = log;
  app.decorate('redactor', redactor);
  app.decorate('streamLimits', streamLimitsOf(config));
  app.decorate(
    'rates',
    createCallRates(() => host.now(), buckets),
  );
  app.setErrorHandler(handleError);
  app.removeAllContentTypeParsers();
  app.decorate('bodyBudget', createBodyBudget(config.bodyBudget));
  app.addHook('onClose', () => closeServer(server));
  return app;
}

function appOptions(config: Config, log: FastifyBaseLogger): FastifyHttpOptions<Server> {
  return {
    // With a logger of its own Fastify listens to the end of every request and makes a child for each; our log is used
    // unchanged, and log entries name the request id themselves.
    logger: false,
    childLoggerFactory: () => log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIds(),
    bodyLimit: config.bodyLimit,
    trustProxy: config.trustProxy ? trustNeighbour : false,
    // While stopping, requests on open connections are answered as usual: `/readyz` and triggers report that the server drains.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256 },
    // The server has its own (`http-server.ts`).
    clientErrorHandler: () => {},
    // Errors of the router; only the types of HTTP/2 stand between this handler and theirs.
    frameworkErrors: (error, request, reply) =>
      handleError(error, request as FastifyRequest, reply as FastifyReply),
  };
}

/** With WEFT_TRUST_PROXY the other end of the connection is the proxy; addresses that it forwards may be forged. */
function trustNeighbour(_address: string, hop: number): boolean {
  return hop === 0;
}
