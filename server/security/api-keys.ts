import type { KeyRecord } from './key-store.ts';
import { defaultKeyScopes, type Scope } from './scopes.ts';
import { sha256 } from './secrets.ts';

/** What a verified key is and may do. */
export interface ApiKey {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** Longer ones are no keys of ours, and not worth hashing. */
const maxKeyLength = 512;
const maxRemembered = 1000;

/**
 * Finds a key by an `Authorization` header. Keys are looked up by their SHA-256, so the time it takes says nothing about
 * how much of a guess was right. Headers that were verified once are remembered, because triggers are called often.
 */
export function createApiKeys(
  fromEnvironment: readonly string[],
  kept: readonly KeyRecord[],
): (authorization: string | undefined) => ApiKey | undefined {
  const byHash = new Map<string, ApiKey>();
  for (const record of kept)
    byHash.set(record.hash, { name: `key ${record.name}`, scopes: new Set(record.scopes) });
  fromEnvironment.forEach((key, at) => {
    byHash.set(sha256(key), { name: `key WEFT_API_KEYS[${at}]`, scopes: new Set(defaultKeyScopes) });
  });

  const verified = new Map<string, ApiKey>();
  return (authorization) => {
    if (authorization === undefined) return undefined;
    const known = verified.get(authorization);
    if (known !== undefined) return known;
    const secret = bearer(authorization);
    const key = secret === undefined ? undefined : byHash.get(sha256(secret));
    if (key !== undefined && verified.size < maxRemembered) verified.set(authorization, key);
    return key;
  };
}

/** The credentials of a Bearer header (RFC 6750; the scheme's case does not matter). */
function bearer(authorization: string): string | undefined {
  if (authorization.length > maxKeyLength) return undefined;
  return /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
}
