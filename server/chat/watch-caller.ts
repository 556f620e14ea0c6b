import type { Access } from '../security/access.ts';
import type { AccessRequest } from '../security/request.ts';

/** Looks now and then whether the caller may still chat: a key may be revoked, or a session end, while an answer goes on. */
export function watchCaller(
  access: Pick<Access, 'require'>,
  request: AccessRequest,
  { everyMs, lost }: { readonly everyMs: number; readonly lost: () => void },
): () => void {
  const timer = setInterval(() => {
    try {
      access.require(request, 'chat');
    } catch {
      lost();
    }
  }, everyMs).unref();
  return () => clearInterval(timer);
}
