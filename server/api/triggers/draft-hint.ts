import type { FastifyRequest } from 'fastify';
import type { Access } from '../../access/security/access.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { FlowService, LiveFlow } from '../../flows/service/flow-types.ts';
import { triggerPrefix } from './front-door.ts';
import { pathBehind } from './address.ts';
import { createTriggerTable } from './table.ts';

/** Both are missing where there are no drafts, as in `weft dev`. */
export interface HintDeps {
  readonly flows?: Pick<FlowService, 'draftRoutes'>;
  readonly access?: Pick<Access, 'ofRequest' | 'keyHasScope'>;
}

/**
 * If no live flow has the trigger but a draft has, the error says so to callers who may read flows. Others learn nothing of drafts.
 * Any other error is returned as it is.
 */
export function withDraftHint(error: unknown, { flows, access }: HintDeps, request: FastifyRequest): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'trigger_not_found') return error;
  if (flows === undefined || access === undefined || !mayRead(access, request)) return error;
  const path = pathBehind(request.raw.url as string, triggerPrefix);
  const method = request.raw.method as string;
  const found = flows.draftRoutes().find(({ flow: id, routes }) => {
    const table = createTriggerTable();
    // Only the path is looked up.
    table.replace(
      id,
      routes.map((place) => ({ ...place, flow: { id } as LiveFlow })),
    );
    return table.find(method === 'HEAD' ? 'GET' : method, path) !== undefined;
  });
  if (found === undefined) return error;
  const at = `/api/v1/flows/${found.flow}/test${path.slice(0, 200)}`;
  return new ServiceError(
    'trigger_not_found',
    `${error.message} The draft of the flow ${found.flow} has one: publish it, or call the draft at ${at}.`,
  );
}

/** A key without the scope, and one that is wrong, count as nobody: they may be meant for a trigger. */
function mayRead(access: Required<HintDeps>['access'], request: FastifyRequest): boolean {
  const { authorization } = request.headers;
  if (authorization !== undefined) return access.keyHasScope(authorization, 'flows:read');
  try {
    return access.ofRequest(request)?.scopes.has('flows:read') === true;
  } catch {
    return false;
  }
}
