import { createHmac } from 'node:crypto';
import { equalSecrets } from '../security/secrets.ts';

/** Links by which somebody without a login may decide: `/wait/<id>?token=…`. Each is for one wait, and made by who knows the key. */
export interface WaitLinks {
  /** Also of a wait that its run has not asked for yet. */
  urlOf(id: string): string;
  isToken(id: string, token: string): boolean;
}

/** `key` is asked for at the first link; `address` is that of the server, without a slash at the end. */
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
