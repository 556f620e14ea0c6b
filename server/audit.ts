import type { FastifyRequest } from 'fastify';
import type { Context } from './context.ts';

/** Logs who changed what, from where. */
export function audit(
  { access, log }: Pick<Context, 'access' | 'log'>,
  request: FastifyRequest,
  what: string,
  facts: object,
): void {
  const by = access.ofRequest(request)?.name;
  log.info({ audit: what, ...facts, by, from: request.ip, request: request.id }, what);
}
