import { type Asker, WeftError } from '#engine';
import type { ConnectionKindName, ConnectionRate } from '#shared/connection.ts';
import type { Kind } from './kind.ts';

/** A connection with settings that its kind has accepted. */
export interface UsedConnection {
  readonly kind: ConnectionKindName;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly rate?: ConnectionRate | undefined;
}

/**
 * Waits for the turn of a use in the rate limit of its connection, at most so many milliseconds; undefined if there is no
 * limit. Throws as a connection does that may not be used; rejects with `connection_limited`, or with the signal's reason.
 */
export type Turn = (
  name: string,
  by: Asker,
  mayWaitMs: number,
  signal: AbortSignal,
) => Promise<void> | undefined;

/** All kinds; each is loaded with its first use. */
export const kinds: Readonly<Record<ConnectionKindName, () => Promise<Kind>>> = {
  postgres: async () => (await import('./kinds/postgres/index.ts')).default,
  mysql: async () => (await import('./kinds/mysql/index.ts')).default,
  sqlite: async () => (await import('./kinds/sqlite/index.ts')).default,
  s3: async () => (await import('./kinds/s3/index.ts')).default,
  http: async () => (await import('./kinds/http/index.ts')).default,
};

const USES = { sql: 'a database', files: 'files', http: 'an HTTP service' } as const;

/** Throws `connection_missing` for a connection that is for something else. */
export function usedFor<U extends Kind['use']>(use: U, name: string, kind: Kind): Extract<Kind, { use: U }> {
  if (kind.use === use) return kind as Extract<Kind, { use: U }>;
  throw new WeftError(
    'connection_missing',
    `The connection ${name} (${kind.title}) leads to ${USES[kind.use]}; this node needs one to ${USES[use]}.`,
  );
}
