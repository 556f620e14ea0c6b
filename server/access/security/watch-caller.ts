import type { Access } from './access.ts';
import type { AccessRequest } from './request.ts';
import type { Scope } from './scopes.ts';

interface Watch {
  readonly scope: Scope;
  readonly everyMs: number;
  /** Called when the caller loses its rights. */
  readonly lost: () => void;
}

/** Checks at intervals whether the caller still has its rights: a key may be revoked, or a session end, during an answer. */
export function watchCaller(
  access: Pick<Access, 'ready' | 'require'>,
  request: AccessRequest,
  { scope, everyMs, lost }: Watch,
): () => void {
  const look = async (): Promise<void> => {
    try {
      await access.ready(request);
      access.require(request, scope);
    } catch {
      lost();
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}
