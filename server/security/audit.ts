import type { FastifyRequest, FastifyBaseLogger } from 'fastify';
import type { Access } from './access.ts';

/** Logs who changed what, from where. `by` in the facts says who if the request itself cannot: at a sign-in. */
export function audit(
  { access, log }: { readonly access: Access; readonly log: FastifyBaseLogger },
  request: FastifyRequest,
  what: string,
  facts: object,
): void {
  const by = access.ofRequest(request)?.name;
  log.info({ audit: what, by, ...facts, from: request.ip, request: request.id }, what);
}

/** The caller's name, to be stored with what they did. */
export function callerOf({ access }: { readonly access: Access }, request: FastifyRequest): string {
  return access.ofRequest(request)?.name ?? 'anonymous';
}

/** The caller, as `Caller.owner`: for checks of their rights later. */
export function ownerOf({ access }: { readonly access: Access }, request: FastifyRequest): string {
  return access.ofRequest(request)?.owner ?? 'unknown';
}

/** The name of the calling API key, if there is one. */
export function keyOf({ access }: { readonly access: Access }, request: FastifyRequest): string | undefined {
  const caller = access.ofRequest(request);
  return caller?.kind === 'key' ? caller.name : undefined;
}
