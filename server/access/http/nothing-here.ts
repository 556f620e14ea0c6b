import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors/errors.ts';

/** The answer for an address without a route: 404, or 405 with the methods that are served there. */
export function nothingHere(app: FastifyInstance, request: FastifyRequest): ServiceError {
  const path = request.raw.url?.split('?', 1)[0] ?? '/';
  // OPTIONS may exist for preflights of every path, so it proves nothing.
  const candidates = app.supportedMethods.filter((method) => method !== 'OPTIONS');
  const methods = candidates.filter(
    (method) => app.findRoute({ method: method as 'GET', url: path }) !== null,
  );
  // A route exists for this method and reported that it has nothing, such as a missing file.
  if (methods.length === 0 || methods.includes(request.method)) return new ServiceError('not_found');
  return new ServiceError('method_not_allowed', undefined, { headers: { allow: methods.join(', ') } });
}
