import { z } from 'zod';
import type { KeyInfo } from '#shared/key.ts';
import { scopes } from '#shared/scopes.ts';
import { defaultKeyScopes, type Scope } from './scopes.ts';
import { sha256 } from './secrets.ts';

/** A stored API key: never the key itself. */
export const KeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  /** SHA-256 of the key, hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  perMinute: z.int().min(1).optional(),
  lastUsedAt: z.iso.datetime().optional(),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** The identity and rights of a verified key. */
export interface ApiKey {
  readonly name: string;
  /** Unique to this key, and kept for its life. */
  readonly owner: string;
  readonly scopes: ReadonlySet<Scope>;
  /** How many requests it may make in a minute; undefined if there is no limit. */
  readonly perMinute: number | undefined;
}

/**
 * The known API keys.
 * KR1. A key is looked up by its SHA-256, so the time it takes reveals nothing about how much of a guess was
 *      right.
 * KR2. A removed or expired key is refused from the next request on, whatever was cached about it.
 * KR3. No reported fact leads back to the key.
 */
export interface KeyRing {
  /** The key of an `Authorization` header, which counts as a use of it. Cheap enough for every trigger call. */
  find(authorization: string | undefined): ApiKey | undefined;
  /** Whether exactly this header was valid before, and its key has not been removed since. */
  isProven(authorization: string): boolean;
  /** When the key of a header expired, ISO 8601; undefined for one without an end and for an unknown one. */
  expiredAt(authorization: string): string | undefined;
  /** The current scopes of the key of an `owner`; undefined for a removed or expired one. */
  scopesOf(owner: string): ReadonlySet<Scope> | undefined;
  list(): KeyInfo[];
  add(record: KeyRecord): void;
  remove(id: string): void;
  /** Replaces the stored keys, after another server has changed them. The uses known here stay. */
  replaceKept(records: readonly KeyRecord[]): void;
  /** The last use of each stored key that was used since the last call, ISO 8601 by id. */
  takeUses(): ReadonlyMap<string, string>;
  /** Records that another process admitted a caller by the key at this time. */
  noteUse(id: string, at: string): void;
}

/** A key with its changing state. */
interface Entry extends ApiKey {
  readonly id: string;
  readonly hash: string;
  /** Absent for a key of the environment. */
  readonly record: KeyRecord | undefined;
  /** Unix milliseconds; infinite for a key without an end. */
  readonly expiresAt: number;
  /** Unix milliseconds. */
  usedAt: number | undefined;
  /** Used since the uses were last taken. */
  isUsed: boolean;
}

/** Longer ones cannot be keys of ours, and are not worth hashing. */
const maxKeyLength = 512;
const maxRemembered = 1000;
/** Characters of the owner: a digest of a digest, so that it leads nowhere. */
const OWNER_LENGTH = 16;

export function createKeyRing(
  fromEnvironment: readonly string[],
  kept: readonly KeyRecord[],
  now: () => number,
): KeyRing {
  const byHash = new Map<string, Entry>();
  /** Headers that were verified once, because triggers are called often. */
  const verified = new Map<string, Entry>();
  for (const record of kept) byHash.set(record.hash, keptEntry(record));
  fromEnvironment.forEach((key, at) => {
    const entry = environmentEntry(sha256(key), at);
    byHash.set(entry.hash, entry);
  });

  function verify(authorization: string): Entry | undefined {
    const secret = bearer(authorization);
    const entry = secret === undefined ? undefined : byHash.get(sha256(secret));
    if (entry !== undefined && verified.size < maxRemembered) verified.set(authorization, entry);
    return entry;
  }

  function entryOf(authorization: string): Entry | undefined {
    return verified.get(authorization) ?? verify(authorization);
  }

  return {
    find(authorization) {
      const entry = authorization === undefined ? undefined : entryOf(authorization);
      if (entry === undefined) return undefined;
      const at = now();
      if (at >= entry.expiresAt) return undefined;
      entry.usedAt = at;
      entry.isUsed = true;
      return entry;
    },
    isProven: (authorization) => verified.has(authorization),
    expiredAt(authorization) {
      const { expiresAt = Number.POSITIVE_INFINITY } = entryOf(authorization) ?? {};
      return now() >= expiresAt ? new Date(expiresAt).toISOString() : undefined;
    },
    scopesOf(owner) {
      const entry = [...byHash.values()].find((one) => one.owner === owner);
      return entry === undefined || now() >= entry.expiresAt ? undefined : entry.scopes;
    },
    list: () => [...byHash.values()].map(infoOf),
    add: (record) => void byHash.set(record.hash, keptEntry(record)),
    remove: (id) => forget(id, byHash, verified),
    replaceKept(records) {
      const stored = new Set(records.map(({ hash }) => hash));
      for (const { id, hash, record } of [...byHash.values()])
        if (record && !stored.has(hash)) forget(id, byHash, verified);
      for (const record of records) if (!byHash.has(record.hash)) byHash.set(record.hash, keptEntry(record));
    },
    ...usesOf(byHash),
  };
}

function usesOf(byHash: ReadonlyMap<string, Entry>): Pick<KeyRing, 'takeUses' | 'noteUse'> {
  return {
    takeUses() {
      const uses = new Map<string, string>();
      for (const entry of byHash.values()) {
        if (entry.isUsed && entry.record) uses.set(entry.id, isoTime(entry.usedAt));
        entry.isUsed = false;
      }
      return uses;
    },
    noteUse(id, at) {
      const entry = [...byHash.values()].find((one) => one.id === id);
      if (entry === undefined) return;
      entry.usedAt = Math.max(entry.usedAt ?? 0, Date.parse(at));
      entry.isUsed = true;
    },
  };
}

function forget(id: string, byHash: Map<string, Entry>, verified: Map<string, Entry>): void {
  const gone = [...byHash.values()].find((entry) => entry.id === id);
  if (gone === undefined) return;
  byHash.delete(gone.hash);
  for (const [header, entry] of verified) if (entry === gone) verified.delete(header);
}

function keptEntry(record: KeyRecord): Entry {
  const { id, hash, expiresAt, lastUsedAt } = record;
  return {
    id,
    hash,
    name: `key ${record.name}`,
    owner: `key:${id}`,
    scopes: new Set(record.scopes),
    perMinute: record.perMinute,
    record,
    expiresAt: expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
    usedAt: lastUsedAt === undefined ? undefined : Date.parse(lastUsedAt),
    isUsed: false,
  };
}

function environmentEntry(hash: string, at: number): Entry {
  const id = `WEFT_API_KEYS[${at}]`;
  return {
    id,
    hash,
    name: `key ${id}`,
    // Its position in the list cannot name it, because it changes when another one is removed.
    owner: `key:${sha256(hash).slice(0, OWNER_LENGTH)}`,
    scopes: new Set(defaultKeyScopes),
    perMinute: undefined,
    record: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
    usedAt: undefined,
    isUsed: false,
  };
}

function infoOf({ id, scopes, record, usedAt }: Entry): KeyInfo {
  return {
    id,
    name: record?.name ?? id,
    scopes: [...scopes],
    source: record ? 'kept' : 'environment',
    ...(record && { createdAt: record.createdAt }),
    ...(record?.expiresAt !== undefined && { expiresAt: record.expiresAt }),
    ...(record?.perMinute !== undefined && { perMinute: record.perMinute }),
    ...(usedAt !== undefined && { lastUsedAt: isoTime(usedAt) }),
  };
}

function isoTime(ms: number | undefined): string {
  return new Date(ms ?? 0).toISOString();
}

/** The credentials of a Bearer header (RFC 6750; the scheme's case does not matter). */
function bearer(authorization: string): string | undefined {
  if (authorization.length > maxKeyLength) return undefined;
  return /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
}
