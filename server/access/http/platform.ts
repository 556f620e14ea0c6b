import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noteAnswer } from './read-body.ts';
import type { Config } from '../../base/config/config.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { createHostCheck } from '../../base/config/hosts.ts';
import { version } from './version.ts';

/** Longest address in characters; longer ones are answered with 414. */
export const maxUrlLength = 8192;

const slowMs = 1000;

/** Ids that are unique across restarts and machines, and cost one addition each. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

/** Returns the fault of a request's destination, if any. */
export type AddressCheck = (request: IncomingMessage) => ServiceError | undefined;

/**
 * Checks the Host header and the length of the address. Only HTTP/1.0 may omit the Host; browsers never do. A service
 * worker would answer in place of the editor from then on, so none of our answers may become one.
 */
export function createAddressCheck(config: Config): AddressCheck {
  const hostFits = createHostCheck(config);
  return (request) => {
    const { host } = request.headers;
    if (host === undefined && request.httpVersion !== '1.0') {
      return new ServiceError('invalid_request', 'The request has no Host header.');
    }
    // `joinDuplicateHeaders` joins several into one.
    if (host?.includes(','))
      return new ServiceError('invalid_request', 'The request has several Host headers.');
    if (request.headers['service-worker'] !== undefined)
      return new ServiceError('forbidden', 'No address of this server may become a service worker.');
    if (host !== undefined && !hostFits(host, request.socket.localPort)) return badHost(host);
    if ((request.url as string).length > maxUrlLength) return new ServiceError('uri_too_long');
    return undefined;
  };
}

/**
 * Rules for every request: its address is ours, and its answer has version and request id. One synchronous hook,
 * because triggers pass it too.
 */
export function addPlatformHooks(app: FastifyInstance, addressProblem: AddressCheck): void {
  app.addHook('onRequest', (request, reply, done) => {
    addPlatformHeaders(request, reply);
    noteAnswer(request.raw, reply.raw);
    done(addressProblem(request.raw));
  });
}

/** Set on every answer, whatever its result. */
export function addPlatformHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('x-weft-version', version)
    .header('x-request-id', request.id)
    .header('x-content-type-options', 'nosniff');
}

function badHost(host: string): ServiceError {
  const name = host.slice(0, 100);
  return new ServiceError(
    'bad_host',
    `This server does not answer to the host ${JSON.stringify(name)}; WEFT_ALLOWED_HOSTS adds names.`,
  );
}

/** Logs requests to management routes that took longer than a second; runs measure their own times. */
export function logIfSlow(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const ms = Math.round(reply.elapsedTime);
  const { method, url } = request.routeOptions;
  if (ms > slowMs)
    request.log.warn({ reqId: request.id, method, url, status: reply.statusCode, ms }, 'slow request');
  done();
}
