import type { Server } from 'node:http';
import fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config/config.ts';
import { StartError } from '../errors/start-error.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { createBodyBudget } from './body-budget.ts';
import { answerClientError, rawAnswer } from './client-error.ts';
import { handleError } from './error-handler.ts';
import { createRequestIds } from './platform.ts';

export interface BareDeps {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly redactor: Redactor;
}

/**
 * A server without routes and hooks, for the service and for `weft dev`: its limits, its errors, and what it answers to requests
 * that are none. Bodies are read by what reads them. `sockets`: it is asked for websockets.
 */
export function bareApp({ config, log, redactor }: BareDeps, sockets: boolean): FastifyInstance {
  const app: FastifyInstance = fastify(serverOptions(config, log, sockets));
  app.log = log;
  answerOddities(app);
  app.decorate('redactor', redactor);
  app.setErrorHandler(handleError);
  app.removeAllContentTypeParsers();
  app.decorate('bodyBudget', createBodyBudget(config.bodyBudget));
  return app;
}

const seconds = 1000;

function serverOptions(config: Config, log: FastifyBaseLogger, sockets: boolean): FastifyHttpOptions<Server> {
  return {
    // With a logger of its own Fastify listens to the end of every request and makes a child for each; our log is handed to
    // requests as it is, and what is logged names the request id itself.
    logger: false,
    childLoggerFactory: () => log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIds(),
    bodyLimit: config.bodyLimit,
    trustProxy: config.trustProxy ? trustNeighbour : false,
    requestTimeout: 60 * seconds,
    keepAliveTimeout: 72 * seconds,
    // While stopping, requests on open connections are answered as usual: `/readyz` and triggers say that we drain.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: answerClientError,
    // Errors of the router; only the types of HTTP/2 stand between this handler and theirs.
    frameworkErrors: (error, request, reply) =>
      handleError(error, request as FastifyRequest, reply as FastifyReply),
    http: {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 15 * seconds,
      connectionsCheckingInterval: 5 * seconds,
      // A missing Host is answered by us, in the usual form.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      // Others, like an offer of HTTP/2, are plain requests.
      shouldUpgradeCallback: ({ headers }) => sockets && headers.upgrade?.toLowerCase() === 'websocket',
    },
  };
}

/** With WEFT_TRUST_PROXY the program at the other end of the connection is the proxy; what it forwards was told by strangers. */
function trustNeighbour(_address: string, hop: number): boolean {
  return hop === 0;
}

/** Two things of HTTP that Node answers by itself, with an empty body or none at all. */
function answerOddities(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => socket.end(rawAnswer('method_not_allowed')));
}

/**
 * Listens, and gives the port, which is another one where `port` is 0. Throws a `StartError` for what the person at the terminal
 * can mend; `by` is how host and port are set.
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
  by = { host: 'WEFT_HOST', port: 'WEFT_PORT' },
): Promise<number> {
  try {
    // `localhost` would be two sockets, and only one of them gets our handlers for what is no proper request.
    await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const failures: Readonly<Record<string, string>> = {
      EADDRINUSE: `Port ${port} on ${host} is taken. Stop what uses it, or choose another with ${by.port} (0 picks a free one).`,
      EACCES: `This user may not listen on port ${port}. Choose one above 1023 with ${by.port}.`,
      EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with ${by.host}.`,
      ENOTFOUND: `The host name ${host} is unknown. Choose another with ${by.host}.`,
    };
    throw new StartError(failures[code] ?? `Cannot listen on ${host}:${port} (${code}).`);
  }
  return (app.server.address() as { port: number }).port;
}
