import type { Db } from '../adapters/db.ts';
import type { Config } from '../config/config.ts';
import type { Host } from '#engine';
import type { SecretStore } from '../secrets/store.ts';
import type { Access } from './access.ts';
import type { TriggerGate } from './auth/gate.ts';
import type { FastifyBaseLogger } from 'fastify';
import { createTriggerGate } from './auth/gate.ts';
import { createAccess } from './access.ts';
import { createKeyStore, type KeyStore, keptKeys } from './key-store.ts';
import { keepUses } from './key-uses.ts';
import { defaultKeyScopes } from './scopes.ts';
import { sessionFile } from './session-file.ts';

/** The parts that decide who may do what. */
export interface OpenedAccess {
  readonly access: Access;
  readonly keys: KeyStore;
  readonly gate: TriggerGate;
  /** The API key that was created because there was none; it exists nowhere else. */
  readonly firstKey: string | undefined;
  /** Writes the last uses of keys. */
  close(): Promise<void>;
}

/** Opens them; `given` replaces parts. Throws a `StartError` for damaged keys. */
export async function openAccess(
  config: Config,
  db: Db,
  {
    host,
    log,
    secrets,
  }: { readonly host: Host; readonly log: FastifyBaseLogger; readonly secrets: SecretStore },
  given: Partial<Pick<OpenedAccess, 'access' | 'keys' | 'gate'>>,
): Promise<OpenedAccess> {
  const warn = (err: unknown, message: string): void => log.warn({ err }, message);
  const access = given.access ?? createAccess(config, keptKeys(db), host.now, sessionFile(config, warn));
  const keys = given.keys ?? createKeyStore(db, access.keys, host.now);
  const gate = given.gate ?? createTriggerGate({ access, secrets, now: host.now });
  const firstKey = given.access === undefined ? await makeFirstKey(keys) : undefined;
  return { access, keys, gate, firstKey, close: keepUses(keys, log).close };
}

/** A server without any key would be closed to the first `curl`, and leaving it open is not an option. */
async function makeFirstKey(keys: KeyStore): Promise<string | undefined> {
  if (keys.list().length > 0) return undefined;
  const { key } = await keys.create({ name: 'first', scopes: [...defaultKeyScopes] });
  return key;
}
