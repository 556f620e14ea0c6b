import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerKey } from '../../access/security/server-key.ts';

/**
 * Addresses at which callers read the status of their runs. They cannot be guessed; knowing one is enough to use it.
 * Every method throws `storage_failed` if the key of the addresses cannot be read or created.
 */
export interface RunLinks {
  /** Creates the key of the addresses if there is none, before the first run is accepted. */
  prepare(): Promise<void>;
  /** The path and query, without the origin. */
  of(run: string): Promise<string>;
  /** Whether the token of an address belongs to the run; creates no key. */
  fits(run: string, token: string): Promise<boolean>;
}

/** The part of the address before the run's id. */
export const RUN_STATUS_PREFIX = '/api/v1/run-status';

/** Addresses are valid as long as the key exists. */
export function createRunLinks(key: ServerKey): RunLinks {
  return {
    prepare: async () => void (await key.get()),
    of: async (run) =>
      `${RUN_STATUS_PREFIX}/${run}?token=${macOf(await key.get(), run).toString('base64url')}`,
    async fits(run, token) {
      const known = await key.find();
      if (known === undefined) return false;
      const [own, given] = [macOf(known, run), Buffer.from(token, 'base64url')];
      return given.length === own.length && timingSafeEqual(given, own);
    },
  };
}

function macOf(key: Uint8Array, run: string): Buffer {
  return createHmac('sha256', key).update(`run-status:${run}`).digest();
}
