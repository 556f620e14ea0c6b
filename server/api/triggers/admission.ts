import type { FastifyRequest } from 'fastify';
import type { TriggerRoute, TriggerTable } from '../../flows/service/trigger-table.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Claims, Signed, TriggerGate } from '../../access/security/auth/gate.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import type { Input } from './input.ts';
import type { Params } from '../../base/requests/request-model.ts';

/** A request that found its trigger. */
export interface Admitted {
  /** The trigger, prepared for requests; a request that decides about streaming may replace it. */
  endpoint: Endpoint;
  readonly params: Params;
  /** For a signed request: the remaining check. The gate decides. */
  signed: Signed | undefined;
  /** The claims of the caller's token. */
  claims?: Claims;
  /** The input of the run, if it was read in advance. */
  input?: Input;
  /** Name of the key that admitted it, if it uses keys. */
  apiKey: string | undefined;
  /** Whether it was counted against a limit, whose headers its answer then has. */
  limited?: boolean;
}

/** A trigger, with the values of its path params. */
export interface Found {
  readonly route: TriggerRoute;
  readonly params: Params;
}

/** The trigger for a method and path. HEAD uses the one of GET. Throws `trigger_not_found` or `method_not_allowed`. */
export function lookUp(table: TriggerTable, method: string, path: string): Found {
  const found = table.find(method === 'HEAD' ? 'GET' : method, path);
  if (found) return found;
  const allow = allowed(table, path);
  throw new ServiceError('method_not_allowed', `This trigger takes ${allow}, not ${method}.`, {
    headers: { allow },
  });
}

/** Prepares a request to this trigger, before any check. */
export function admittedTo({ route, params }: Found): Admitted {
  return { endpoint: endpointOf(route), params, signed: undefined, apiKey: undefined };
}

/** Checks the caller by the rules of the trigger, and notes what is left to check or what the token says. Throws or rejects like the gate. */
export function proveCaller(
  gate: Pick<TriggerGate, 'admit'>,
  admitted: Admitted,
  request: FastifyRequest,
): void | Promise<void> {
  const proof = gate.admit(admitted.endpoint, request);
  if (!(proof instanceof Promise)) admitted.signed = proof;
  else
    return proof.then((claims) => {
      admitted.claims = claims;
    });
}

/** The value of an `Allow` header. Throws `trigger_not_found` if nothing is served, `flow_needs_operator` if other servers serve it. */
export function allowed(table: TriggerTable, path: string): string {
  const methods = table.methodsAt(path);
  if (methods.length === 0) {
    const aside = table.asideAt(path);
    if (aside !== undefined)
      throw new ServiceError(
        'flow_needs_operator',
        `This server lacks what the flow ${aside.flow} uses: ${aside.operators.join(', ')}.`,
      );
    throw new ServiceError(
      'trigger_not_found',
      `No live flow has a trigger at ${path.slice(0, 200) || '/'}.`,
    );
  }
  const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...methods, ...implied].join(', ');
}
