import { createHmac } from 'node:crypto';
import { equalSecrets } from '../security/secrets.ts';

/**
 * Links by which somebody may decide without signing in: `/wait/<id>?token=…`. Each is for one wait, and only a
 * holder of the key can make it.
 */
export interface WaitLinks {
  /** Also for a wait that its run has not asked for yet. */
  urlOf(id: string): string;
  isToken(id: string, token: string): boolean;
}

/** `key` is requested for the first link; `address` is that of the server, without a final slash. */
export function createWaitLinks(key: () => Uint8Array, address: () => string): WaitLinks {
  let known: Uint8Array | undefined;
  const tokenOf = (id: string): string =>
    createHmac('sha256', (known ??= key()))
      .update(`wait ${id}`)
      .digest('base64url');
  return {
    urlOf: (id) => `${address()}/wait/${encodeURIComponent(id)}?token=${tokenOf(id)}`,
    isToken: (id, token) => equalSecrets(token, tokenOf(id)),
  };
}
