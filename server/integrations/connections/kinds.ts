import { type Asker, WeftError } from '#engine';
import { type ConnectionKindName, type ConnectionRate, isKindFor, type KindUse } from '#shared/connection.ts';
import { connectionKinds } from '#shared/connection-kinds.ts';
import type { Kind, Query } from './kind.ts';
import { kinds } from './kinds/all.ts';

/** A connection with settings that its kind has accepted. */
export interface UsedConnection {
  readonly kind: ConnectionKindName;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly rate?: ConnectionRate | undefined;
}

/**
 * Waits for the turn of a use in the rate limit of its connection, at most so many milliseconds; undefined if there is no limit.
 * Throws if the connection may not be used; rejects with `connection_limited`, or with the signal's reason.
 */
export type Turn = (
  name: string,
  by: Asker,
  mayWaitMs: number,
  signal: AbortSignal,
) => Promise<void> | undefined;

const USES: Readonly<Record<KindUse, string>> = {
  sql: 'a database',
  files: 'files',
  http: 'an HTTP service',
  actions: 'a service with operators of its own',
};

/** Loaded with its first use. */
export async function loadKind(kind: ConnectionKindName): Promise<Kind> {
  return (await kinds[kind]()).default;
}

/** Throws `connection_missing` for a connection with another use. */
export function checkUse(use: KindUse, name: string, kind: ConnectionKindName): void {
  const { use: its, title } = connectionKinds[kind];
  if (isKindFor<KindUse>(use, kind)) return;
  throw new WeftError(
    'connection_missing',
    `The connection ${name} (${title}) leads to ${USES[its]}; this node needs one to ${USES[use]}.`,
  );
}

/** The kind of a connection for a use. Throws like `checkUse`. */
export async function kindFor<U extends KindUse>(
  use: U,
  name: string,
  kind: ConnectionKindName,
): Promise<Extract<Kind, { use: U }>> {
  checkUse(use, name, kind);
  return (await loadKind(kind)) as Extract<Kind, { use: U }>;
}

/** The write rights of the user of a connection to a database; empty for a user that only reads. */
export async function writesOf({ kind, settings }: UsedConnection, query: Query): Promise<string[]> {
  return (await kindFor('sql', '', kind)).writes(settings, query);
}
