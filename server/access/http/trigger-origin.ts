import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../base/config/config.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { ownAddress } from '../../base/config/own-address.ts';
import { isLoopback, isOwnName, triggerHosts } from '../../base/config/hosts.ts';
import { StartError } from '../../base/errors/start-error.ts';

/**
 * With WEFT_TRIGGER_ORIGIN flow answers have another origin than the editor, so that their pages and the owner's
 * session never meet.
 * TO1. The Host header determines which origin a request is for: a browser sets it, and no page can change it.
 * TO2. Each route is served on one of the two, or on both. Drafts at their test address are on both, but on the
 *      editor's origin for programs only: anything a browser would show is refused there.
 */
export type ServedAt = 'triggers' | 'both';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The origin that serves the route besides, or instead of, the editor's. Undefined: only the editor's. */
    servedAt?: ServedAt;
  }
}

type OriginCheck = (request: IncomingMessage, at: ServedAt | undefined) => ServiceError | undefined;

/** Checks the origin that a request was sent to; undefined if there is only one. */
export function createOriginCheck({ triggerOrigin }: Pick<Config, 'triggerOrigin'>): OriginCheck | undefined {
  if (triggerOrigin === undefined) return undefined;
  const hosts = triggerHosts({ triggerOrigin });
  return ({ headers }, at) => {
    if (at === 'both') return undefined;
    const isAsked = hosts.has(headers.host?.toLowerCase() ?? '');
    if (isAsked === (at === 'triggers')) return undefined;
    return new ServiceError(
      'wrong_origin',
      isAsked
        ? 'Only triggers and the pages of waits are served at this address (WEFT_TRIGGER_ORIGIN).'
        : `Triggers and the pages of waits are served at ${triggerOrigin} only (WEFT_TRIGGER_ORIGIN).`,
    );
  };
}

/** Refuses requests for the other origin, before any other check. */
export function keepOriginsApart(app: FastifyInstance, config: Config): void {
  const problem = createOriginCheck(config);
  if (problem === undefined) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const { scope, servedAt } = request.routeOptions.config ?? {};
    const isShownDraft = servedAt === 'both' && scope === 'trigger-auth' && isForTheScreen(request);
    done(problem(request.raw, isShownDraft ? 'triggers' : servedAt));
  });
}

/**
 * Browsers declare the purpose of a request; programs, and requests of scripts, have only themselves as the
 * destination.
 */
function isForTheScreen({ headers }: FastifyRequest): boolean {
  const wanted = headers['sec-fetch-dest'];
  return wanted !== undefined && wanted !== 'empty';
}

/** Origins of the editor's pages, from which triggers are tried. None if the origins are the same. */
export function editorOrigins(config: Config, port: number): readonly string[] {
  if (config.triggerOrigin === undefined) return [];
  const names = isLoopback(config.host) ? ['127.0.0.1', 'localhost', '[::1]'] : [];
  const all = [new URL(ownAddress(config, port)).origin, ...names.map((name) => `http://${name}:${port}`)];
  return all.filter((origin) => origin !== config.triggerOrigin);
}

/**
 * Listens on the port of WEFT_TRIGGER_ORIGIN if that is on this machine; otherwise a proxy in front brings its
 * requests. Connections go to the one server, so all its limits apply. Returns the function that closes the port.
 */
export async function listenForTriggers(
  http: Server,
  { triggerOrigin, host, port }: Config,
): Promise<() => void> {
  const { hostname, port: named, protocol } = new URL(triggerOrigin ?? 'https://none');
  const own = Number(named || 80);
  if (protocol !== 'http:' || own === port || !isOwnName(hostname, host)) return () => {};
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    http.emit('connection', socket),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(
        new StartError(
          `Cannot listen on ${triggerOrigin} (${code}): stop what uses it, or name another port in WEFT_TRIGGER_ORIGIN.`,
        ),
      ),
    );
    server.listen({ port: own, host: host === 'localhost' ? '127.0.0.1' : host }, resolve);
  });
  return () => void server.close();
}
