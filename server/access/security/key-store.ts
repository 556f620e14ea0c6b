import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type CreatedKey, type KeyBody, type KeyInfo } from '#shared/key.ts';
import { scopes } from '#shared/scopes.ts';
import type { Db } from '../../base/adapters/db.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { KeyRecord, type KeyRing } from './key-ring.ts';
import { randomSecret, sha256 } from './secrets.ts';

/** Creates, lists and revokes the keys of the data folder. */
export interface KeyStore {
  list(): KeyInfo[];
  /** Throws `conflict` (the name is taken), `invalid_request` (an expiry in the past), `storage_failed`. */
  create(wish: KeyBody): Promise<CreatedKey>;
  /** By id or name; effective when it resolves. Throws `key_not_found`, `key_read_only`, `storage_failed`. */
  revoke(idOrName: string): Promise<KeyInfo>;
  /** Writes the last uses of keys, if there were any. Throws `storage_failed`. */
  writeUses(): Promise<void>;
}

/** More keys than people and programs need: a mistake in a loop. */
const maxKeys = 1000;

/** The stored keys. Throws a `StartError` if they are damaged: guessing rights is worse than not starting. */
export function keptKeys(db: Pick<Db, 'data'>): KeyRecord[] {
  const result = z.array(KeyRecord).safeParse(db.data.keys);
  if (result.success) return result.data;
  throw new StartError(`The API keys in db.json are damaged: ${z.prettifyError(result.error)}`);
}

/**
 * `ring` has the valid state; the file follows it for the next start. `handOver`: another process writes the last uses of keys.
 */
export function createKeyStore(
  db: Db,
  ring: KeyRing,
  now: () => number,
  handOver?: (id: string, lastUsedAt: string) => void,
): KeyStore {
  return {
    list: () => ring.list(),
    async create(wish) {
      const key = `weft_${randomSecret()}`;
      const record = recordOf(wish, key, now());
      await db.change('keys', (kept) => {
        assertRoom(kept as readonly KeyRecord[], record.name);
        return [...kept, record];
      });
      ring.add(record);
      return { ...infoOf(ring, record.id), key };
    },
    async revoke(idOrName) {
      const info = infoOf(ring, idOrName);
      if (info.source === 'environment') throw new ServiceError('key_read_only');
      await db.change('keys', (kept) => kept.filter((one) => (one as KeyRecord).id !== info.id));
      ring.remove(info.id);
      return info;
    },
    async writeUses() {
      const uses = ring.takeUses();
      if (uses.size === 0) return;
      if (handOver !== undefined) {
        for (const [id, at] of uses) handOver(id, at);
        return;
      }
      await db.change('keys', (kept) =>
        (kept as readonly KeyRecord[]).map((one) => {
          const lastUsedAt = uses.get(one.id);
          return lastUsedAt === undefined ? one : { ...one, lastUsedAt };
        }),
      );
    },
  };
}

function recordOf(
  { name, scopes: wanted, expiresAt, perMinute }: KeyBody,
  key: string,
  now: number,
): KeyRecord {
  const end = expiresAt === undefined ? undefined : new Date(expiresAt);
  if (end && !(end.getTime() > now)) {
    throw new ServiceError('invalid_request', `The key would expire in the past, at ${expiresAt}.`, {
      param: 'expiresAt',
    });
  }
  return {
    id: randomUUID(),
    name,
    hash: sha256(key),
    scopes: scopes.filter((scope) => wanted.includes(scope)),
    createdAt: new Date(now).toISOString(),
    ...(end && { expiresAt: end.toISOString() }),
    ...(perMinute !== undefined && { perMinute }),
  };
}

/** Keys of the environment have such names, and a key must not pass for one of them. */
const RESERVED = /^WEFT_API_KEYS\[/;

function assertRoom(kept: readonly KeyRecord[], name: string): void {
  if (RESERVED.test(name)) {
    throw new ServiceError('conflict', `${name} is a name for keys of the environment; choose another one.`, {
      param: 'name',
    });
  }
  if (kept.some((key) => key.name === name)) {
    throw new ServiceError('conflict', `There already is a key ${name}; choose another name, or revoke it.`, {
      param: 'name',
    });
  }
  if (kept.length >= maxKeys) {
    throw new ServiceError('conflict', `There already are ${maxKeys} keys; revoke unused ones.`);
  }
}

function infoOf(ring: KeyRing, idOrName: string): KeyInfo {
  const keys = ring.list();
  const found = keys.find(({ id }) => id === idOrName) ?? keys.find(({ name }) => name === idOrName);
  if (found) return found;
  throw new ServiceError('key_not_found', `There is no API key ${idOrName.slice(0, 100)}.`);
}
