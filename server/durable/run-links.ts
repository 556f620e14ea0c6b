import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { serverKey } from '../adapters/server-key.ts';

/** Addresses where a caller can read the status of its run; whoever knows one may, and nobody can guess one. */
export interface RunLinks {
  /** Creates the key of the addresses if there is none, before the first run is accepted. Throws `storage_failed`. */
  prepare(): void;
  /** Address and query, without the origin. Throws `storage_failed` if its key cannot be created. */
  of(run: string): string;
  /** Whether the token of an address belongs to the run. */
  fits(run: string, token: string): boolean;
}

/** The part of the address before the run's id. */
export const RUN_STATUS_PREFIX = '/api/v1/run-status';

/** With a key in `weft.db`, created on first use: addresses are valid as long as the data folder exists. */
export function createRunLinks(db: DatabaseSync): RunLinks {
  let key: Uint8Array | undefined;

  function ownKey(): Uint8Array {
    key ??= serverKey(db, 'run-links');
    return key;
  }

  function macOf(run: string): Buffer {
    return createHmac('sha256', ownKey()).update(`run-status:${run}`).digest();
  }

  return {
    prepare: () => void ownKey(),
    of: (run) => `${RUN_STATUS_PREFIX}/${run}?token=${macOf(run).toString('base64url')}`,
    fits(run, token) {
      const [own, given] = [macOf(run), Buffer.from(token, 'base64url')];
      return given.length === own.length && timingSafeEqual(given, own);
    },
  };
}
