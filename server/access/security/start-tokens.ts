import { createHmac, randomBytes } from 'node:crypto';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import { equalSecrets, sha256 } from './secrets.ts';

/** Tokens of addresses that sign in one browser, valid at every server on one database. */
export interface StartTokens {
  /** A new one, valid for a quarter of an hour. */
  issue(): string;
  /** Whether it is valid; it is used up then, on all servers. Rejects with `storage_failed`. */
  take(token: string): Promise<boolean>;
}

/** How long an address signs in, in milliseconds. */
export const START_TOKEN_MS = 15 * 60_000;

const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const SPEND = `INSERT INTO spent_address (project, hash, expires_at) VALUES (?, ?, ?)
  ON CONFLICT (project, hash) DO NOTHING`;
const FORGET = 'DELETE FROM spent_address WHERE project = ? AND expires_at < ?';

interface Options {
  /** The secrets keys, which all servers have: the current one first. */
  readonly keys: () => readonly Buffer[];
  readonly sql: Sql;
  /** Unix milliseconds, by a clock that all servers share. */
  readonly now: () => number;
  readonly project?: string;
}

/**
 * Signed with a key derived from the secrets key: expiry, random bytes, signature. Nothing is stored until it is
 * used, and then only its hash, until it would have expired.
 */
export function createStartTokens({ keys, sql, now, project = DEFAULT_PROJECT }: Options): StartTokens {
  const signed = (body: Buffer): string[] =>
    keys().map((key) => {
      const own = createHmac('sha256', key).update('addresses that sign in').digest();
      return Buffer.concat([body, createHmac('sha256', own).update(body).digest()]).toString('base64url');
    });
  return {
    issue() {
      const time = Buffer.alloc(TIME_BYTES);
      time.writeUIntBE(now() + START_TOKEN_MS, 0, TIME_BYTES);
      return signed(Buffer.concat([time, randomBytes(NONCE_BYTES)]))[0] ?? '';
    },
    async take(token) {
      const body = Buffer.from(token, 'base64url').subarray(0, TIME_BYTES + NONCE_BYTES);
      const isSigned = signed(body).some((own) => equalSecrets(own, token));
      if (body.length < TIME_BYTES + NONCE_BYTES || !isSigned) return false;
      const endsAt = body.readUIntBE(0, TIME_BYTES);
      if (now() >= endsAt) return false;
      await sql.run(FORGET, project, now());
      return (await sql.run(SPEND, project, sha256(token), endsAt)) > 0;
    },
  };
}
