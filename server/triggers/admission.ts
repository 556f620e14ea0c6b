import type { TriggerTable } from '../flows/trigger-table.ts';
import { ServiceError } from '../errors/errors.ts';
import type { Signed } from '../security/auth/gate.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import type { Input } from './input.ts';
import type { Params } from '../requests/request-model.ts';

/** A request that found its trigger. */
export interface Admitted {
  /** From the start of the run on the one that answers such a request. */
  endpoint: Endpoint;
  readonly params: Params;
  /** Of one that has to be signed: what remains to be asked. The gate says whether. */
  signed: Signed | undefined;
  /** What the run starts with, where it was read ahead. */
  input?: Input;
  /** Name of the key that opened it, where it takes keys. */
  apiKey: string | undefined;
}

/** The trigger of a method and path. HEAD asks for the one of GET. Throws `trigger_not_found` or `method_not_allowed`. */
export function lookUp(table: TriggerTable, method: string, path: string): Admitted {
  const found = table.find(method === 'HEAD' ? 'GET' : method, path);
  if (found) {
    const { route, params } = found;
    return { endpoint: endpointOf(route), params, signed: undefined, apiKey: undefined };
  }
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
