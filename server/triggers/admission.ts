import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Context, TriggerTable } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import type { Params } from './request-model.ts';

/** A request that found its trigger. */
export interface Admitted {
  readonly endpoint: Endpoint;
  readonly params: Params;
}

/** The trigger of a method and path. HEAD asks for the one of GET. Throws `trigger_not_found` or `method_not_allowed`. */
export function lookUp(table: TriggerTable, method: string, path: string): Admitted {
  const found = table.find(method === 'HEAD' ? 'GET' : method, path);
  if (found) return { endpoint: endpointOf(found.route), params: found.params };
  throw new ServiceError('method_not_allowed', undefined, { headers: { allow: allowed(table, path) } });
}

/** The value of an `Allow` header. Throws `trigger_not_found` where nothing is served. */
export function allowed(table: TriggerTable, path: string): string {
  const methods = table.methodsAt(path);
  if (methods.length === 0) {
    throw new ServiceError(
      'trigger_not_found',
      `No live flow has a trigger at ${path.slice(0, 200) || '/'}.`,
    );
  }
  const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...methods, ...implied].join(', ');
}

/** Whether the trigger's own setting lets the request in. Answers without words: `authorise` says why not. */
export function mayCall(
  { auth }: Endpoint,
  request: Pick<IncomingMessage, 'headers'>,
  access: Context['access'],
): boolean {
  return (
    auth === 'none' || (auth === 'api-key' && access.keyHasScope(request.headers.authorization, 'triggers'))
  );
}

/** Throws unless the trigger's own setting lets the request in; a setting that is not built yet lets nobody in. */
export function authorise(endpoint: Endpoint, request: FastifyRequest, access: Context['access']): void {
  if (mayCall(endpoint, request.raw, access)) return;
  if (endpoint.auth !== 'api-key') {
    throw new ServiceError(
      'forbidden',
      `This trigger asks for the authentication \`${endpoint.auth}\`, which this version does not offer yet, so nobody may call it; \`api-key\` and \`none\` work.`,
    );
  }
  const { authorization } = request.headers;
  if (authorization !== undefined && access.ofRequest(request)) {
    throw new ServiceError('forbidden', 'The key lacks the scope `triggers`.');
  }
  throw new ServiceError(
    'unauthorized',
    `${authorization === undefined ? 'This trigger needs an API key' : 'The key in the Authorization header is not valid'}: send \`Authorization: Bearer <API_KEY>\` with a key that has the scope \`triggers\`.`,
    { headers: { 'www-authenticate': 'Bearer realm="weft"' } },
  );
}
