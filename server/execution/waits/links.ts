import { createHmac } from 'node:crypto';
import { equalSecrets } from '../../access/security/secrets.ts';
import type { ServerKey } from '../../access/security/server-key.ts';

/**
 * Links by which a wait is decided without signing in: `/wait/<id>?token=…`, for programs
 * `/wait/<id>/call?token=…`. Each is for one wait, and only a holder of
 * the key can make it. Both methods throw `storage_failed` if the key cannot be read or created.
 */
export interface WaitLinks {
  /** Works also for a wait that its run has not asked for yet. */
  urlOf(id: string, to?: 'person' | 'program'): Promise<string>;
  /** Creates no key. */
  isToken(id: string, token: string): Promise<boolean>;
}

/** `address` is that of the server, without a final slash. */
export function createWaitLinks(key: ServerKey, address: () => string): WaitLinks {
  return {
    async urlOf(id, to = 'person') {
      const path = `/wait/${encodeURIComponent(id)}${to === 'program' ? '/call' : ''}`;
      return `${address()}${path}?token=${tokenOf(await key.get(), id)}`;
    },
    async isToken(id, token) {
      const known = await key.find();
      return known !== undefined && equalSecrets(token, tokenOf(known, id));
    },
  };
}

function tokenOf(key: Uint8Array, id: string): string {
  return createHmac('sha256', key).update(`wait ${id}`).digest('base64url');
}
