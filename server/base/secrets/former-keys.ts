import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import { codedStartError, type StartError } from '../errors/start-error.ts';
import { Sealed, seal, unseal } from './seal.ts';

/**
 * The former keys, the latest first, which still open what they sealed. Each is sealed with the current key,
 * and has sealed a proof, by which a server that knows only the former key gets a clear error.
 */
export const FormerKeys = z.array(z.object({ key: Sealed, proof: Sealed }));
export type FormerKeys = z.infer<typeof FormerKeys>;

const KEY = 'weft-former-secrets-key';
const PROOF = 'weft-proof-of-a-former-secrets-key';

/** Throws if `key` is not the current one. */
export function openFormer(key: Buffer, former: FormerKeys): Buffer[] {
  return former.map((one) => Buffer.from(unseal(key, one.key, KEY), 'base64'));
}

/** The former `keys`, the latest first, sealed with the current `key`. */
export function sealFormer(key: Buffer, keys: readonly Buffer[]): FormerKeys {
  return keys.map((one) => ({
    key: seal(key, one.toString('base64'), KEY),
    proof: seal(one, PROOF, PROOF),
  }));
}

/** The error for keys that do not open the stored data: `other` is its code if none of them ever did. */
export function keyRefused(
  given: readonly Buffer[],
  former: FormerKeys,
  other: { readonly code: ErrorCode; readonly text: string },
): StartError {
  const isFormer = given.some((key) => former.some(({ proof }) => opens(() => unseal(key, proof, PROOF))));
  if (!isFormer) return codedStartError(other.code, other.text);
  return codedStartError(
    'secrets_key_rotated',
    'The secrets were sealed again with another key: set WEFT_SECRETS_KEY to the new one, and start again.',
  );
}

/** Whether an attempt to unseal succeeds. */
export function opens(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/** Identifies a key without revealing anything of it. */
export function keyMark(key: Buffer): string {
  return createHash('sha256').update('weft-secrets-key-mark').update(key).digest('hex').slice(0, 16);
}
