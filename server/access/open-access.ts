import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../base/adapters/db.ts';
import type { Config } from '../base/config/config.ts';
import { ServiceError } from '../base/errors/errors.ts';
import type { Base } from '../base/open-base.ts';
import type { SecretStore } from '../base/secrets/store.ts';
import { type Access, createAccess } from './security/access.ts';
import { type AuditLog, createAuditLog } from './security/audit-log.ts';
import type { ProviderHttp } from '../base/outbound/client.ts';
import { type TriggerGate, createTriggerGate } from './security/auth/gate.ts';
import type { Bus } from '../storage/database/bus.ts';
import type { Sql } from '../storage/database/sql.ts';
import type { SpentSignatures } from './security/auth/spent.ts';
import { createKeyStore, type KeyStore, keptKeys } from './security/key-store.ts';
import { defaultKeyScopes } from './security/scopes.ts';
import type { StartTokens } from './security/start-tokens.ts';
import { createServerKey, type ServerKey } from './security/server-key.ts';
import { createSessionStore, OLDER_SESSIONS, type SessionStore } from './security/session-store.ts';

/** The parts that decide who may do what. */
export interface AccessParts {
  readonly access: Access;
  readonly keys: KeyStore;
  readonly gate: TriggerGate;
  /** The record of changes and their actors. */
  readonly auditLog: AuditLog;
  /** Proves that a page of a form is ours. */
  readonly formKey: ServerKey;
  /** The API key that was created because there was none; it exists nowhere else. */
  readonly firstKey: string | undefined;
  /** Writes the last uses of keys. */
  close(): Promise<void>;
}

type AccessPeers = NonNullable<Parameters<typeof createAccess>[3]>['peers'];

interface AccessDeps {
  readonly documents: Db;
  readonly secrets: SecretStore;
  readonly http: ProviderHttp;
  /** Unix milliseconds, by the clock that servers share. */
  readonly now: () => number;
  readonly storage: {
    readonly sql: Sql;
    readonly nodes: { isStale(): boolean };
    /** Shared with other servers, if defined. */
    readonly database: Sql | undefined;
    /** This process among those of one data folder. */
    readonly processes?: { readonly isFirst: boolean } | undefined;
    readonly servers: AccessPeers;
    readonly bus: Bus;
    readonly now: () => number;
    readonly startTokens: StartTokens | undefined;
  };
}

/** Opens the parts; `given` replaces the access of requests. Throws a `StartError` for damaged keys. */
export async function openAccess(
  { config, log, clock }: Base,
  { documents: db, secrets, http, now: sharedNow, storage }: AccessDeps,
  given: Access | undefined,
): Promise<AccessParts> {
  const warn = (err: unknown, message: string): void => log.warn({ err }, message);
  const { sql } = storage;
  const store = createSessionStore(sql, { now: sharedNow, password: config.adminPassword });
  // Signatures, expiry and sessions that servers share must not depend on one server's clock.
  const now = storage.database === undefined ? clock.now : storage.now;
  await upgradeSessions(config, store).catch((error: unknown) =>
    warn(error, 'The sessions of the version before could not be stored; the next start tries again.'),
  );
  const access =
    given ??
    createAccess(config, keptKeys(db), now, {
      store,
      warn,
      ...sharedWith(storage),
    });
  db.onOthers('keys', () => access.keys.replaceKept(keptKeys(db)));
  const keys = createKeyStore(db, access.keys, now, followUses(storage, access));
  const spent = await sharedSpent(storage, warn);
  const gate = createTriggerGate({ access, secrets, http, now, spent });
  const isFirst = given === undefined && config.role !== 'worker';
  const firstKey = isFirst ? await makeFirstKey(keys) : undefined;
  return {
    access,
    keys,
    gate,
    auditLog: createAuditLog(sql, { now: sharedNow }),
    formKey: createServerKey(sql, 'forms'),
    firstKey,
    close: keepUses(keys, log).close,
  };
}

/** The first process of a data folder writes the last uses of keys; the others report theirs to it. */
function followUses(
  { processes, bus }: Pick<AccessDeps['storage'], 'processes' | 'bus'>,
  { keys }: Pick<Access, 'keys'>,
): ((id: string, at: string) => void) | undefined {
  if (processes === undefined) return undefined;
  if (!processes.isFirst) return (id, at) => bus.publish('key-used', `${id} ${at}`);
  bus.subscribe('key-used', (name) => keys.noteUse(...(name.split(' ') as [string, string])));
  return undefined;
}

function sharedWith({ nodes, servers: peers, database, processes, bus, startTokens }: AccessDeps['storage']) {
  const isAlone = database === undefined && processes === undefined;
  return { isStale: () => nodes.isStale(), peers, bus: isAlone ? undefined : bus, startTokens };
}

async function sharedSpent(
  { database, now }: AccessDeps['storage'],
  warn: (err: unknown, message: string) => void,
): Promise<SpentSignatures | undefined> {
  if (database === undefined) return undefined;
  const { createSqlSpent } = await import('./security/auth/sql-spent.ts');
  const failed = (err: unknown): void => warn(err, 'used signatures could not be deleted');
  return createSqlSpent({ sql: database, now, warn: failed });
}

async function upgradeSessions(config: Config, store: SessionStore): Promise<void> {
  if (!existsSync(join(config.data, OLDER_SESSIONS))) return;
  const { takeOlderSessions } = await import('./security/older-sessions.ts');
  await takeOlderSessions(config, store);
}

/** A server without any key would be closed to the first `curl`, and leaving it open is not an option. */
async function makeFirstKey(keys: KeyStore): Promise<string | undefined> {
  if (keys.list().length > 0) return undefined;
  try {
    const { key } = await keys.create({ name: 'first', scopes: [...defaultKeyScopes] });
    return key;
  } catch (error) {
    // Another server on the same database, starting at the same moment, made it; or only the first process may.
    const isAnothers =
      error instanceof ServiceError && ['conflict', 'first_process_away'].includes(error.code);
    if (isAnothers) return undefined;
    throw error;
  }
}

const everyMs = 60_000;

/** Writes the last uses of keys at most once a minute, and at the end: a request must not cost a write. */
function keepUses(keys: KeyStore, log: FastifyBaseLogger): { close(): Promise<void> } {
  const write = (): Promise<void> =>
    keys.writeUses().catch((error: unknown) => {
      log.warn({ err: error }, 'the last uses of API keys could not be stored');
    });
  const timer = setInterval(() => void write(), everyMs).unref();
  return {
    close() {
      clearInterval(timer);
      return write();
    },
  };
}
