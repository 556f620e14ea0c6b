import type { FastifyRequest, FastifyBaseLogger } from 'fastify';
import type { Actor } from '#shared/audit.ts';
import { type Access, BROWSER, type Caller } from './access.ts';
import type { AuditLog } from './audit-log.ts';
import { senderAddress } from './client-address.ts';

/** Where the audit is written: a line of the log, and a row that can be queried. */
export interface AuditDeps {
  readonly log: FastifyBaseLogger;
  readonly auditLog: Pick<AuditLog, 'add'>;
}

/** Records who changed what, from where. `by` in the facts names the actor if the request cannot. */
export function audit(
  deps: AuditDeps & { readonly access: Access },
  request: FastifyRequest,
  what: string,
  facts: Facts,
): void {
  const caller = deps.access.ofRequest(request);
  const by = caller?.name;
  const from = senderAddress(request);
  deps.log.info({ audit: what, by, ...facts, from, request: request.id }, what);
  add(deps, { actor: actorIn(caller, what, facts['by']), what, facts, from });
}

/** Records an action of the command line, or a file that was changed from outside. */
export function auditLocal(deps: AuditDeps, kind: 'command line' | 'file', what: string, facts: Facts): void {
  deps.log.info({ audit: what, by: kind, ...facts }, what);
  add(deps, { actor: localActor(kind), what, facts });
}

/** Only the owner can; the request that signs in has no session yet. */
export const SIGNED_IN = 'signed in';

type Facts = Readonly<Record<string, unknown>>;

/** The action is done: an entry that cannot be stored is at least in the log. */
function add({ log, auditLog }: AuditDeps, entry: Parameters<AuditLog['add']>[0]): void {
  auditLog.add(entry).catch((error: unknown) => {
    log.error({ err: error, audit: entry.what }, 'an entry of the audit could not be stored');
  });
}

function actorIn(caller: Caller | undefined, what: string, by: unknown): Actor {
  if (caller !== undefined) return asActor(caller);
  const name = typeof by === 'string' ? by : 'nobody';
  return what === SIGNED_IN ? { kind: 'owner', id: BROWSER, name } : { kind: 'nobody', id: name, name };
}

function asActor({ kind, owner: id, name }: Caller): Actor {
  return { kind: kind === 'key' ? 'key' : 'owner', id, name };
}

/** The actor of a change without a request. */
export function localActor(kind: 'command line' | 'file'): Actor {
  return { kind, id: kind, name: kind };
}

/** The caller, to be stored with their action. */
export function actorOf({ access }: { readonly access: Access }, request: FastifyRequest): Actor {
  const caller = access.ofRequest(request);
  return caller ? asActor(caller) : { kind: 'nobody', id: 'unknown', name: 'unknown' };
}

/** The caller's name, to be stored with their action. */
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
