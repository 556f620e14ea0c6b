import { join } from 'node:path';
import { writeFileAtomic } from '../files/atomic-file.ts';
import { StartError } from '../errors/start-error.ts';
import { type FormerKeys, keyRefused, openFormer, opens, sealFormer } from './former-keys.ts';
import { announceKey, keptKeys, makeKey, readKey, settleKey } from './master-key.ts';
import {
  type KeptSecret,
  openEntry,
  readSecretsFile,
  type SecretEntries,
  sealEntry,
  secretsText,
} from './secrets-file.ts';

/** Stored secrets: open in memory, sealed in their store. */
export interface SecretStorage {
  readonly secrets: ReadonlyMap<string, KeptSecret>;
  /**
   * Replaces a secret, or removes it if `secret` is undefined. One call at a time. Throws `storage_failed`, and then nothing has
   * changed.
   */
  write(name: string, secret: KeptSecret | undefined): Promise<void>;
  /** The key that seals them; created if there is none. Throws `storage_failed`. */
  key(): Buffer;
  /** The keys that open the stored data, the current one first; none if there is none yet. */
  keys(): readonly Buffer[];
  /** Seals all again with another key; data sealed by others still open with the former keys. Rejects with `storage_failed`. */
  rotate(next: Buffer): Promise<void>;
  /**
   * Forgets the former keys, so that nothing sealed with them can be opened any more; rejects if another key became
   * the current one meanwhile. Only where secrets are in a database.
   */
  forget?(): Promise<void>;
  /** `listener` is called after another server has changed secrets. */
  onOthers(listener: () => void): void;
}

/**
 * Reads `secrets.json` with the key beside it, which is created with the first secret, or with the given key or the next one,
 * which will replace it. `owns`: no other process writes there.
 */
export function openSecretStorage(
  data: string,
  givenKey: string | undefined,
  nextKey?: string,
  { owns = true }: { readonly owns?: boolean } = {},
): SecretStorage {
  const file = join(data, 'secrets.json');
  const { secrets: stored, former: before = [], ...rest } = readSecretsFile(file);
  const own = givenKey === undefined ? keptKeys(data) : [readKey(givenKey)];
  const given = [...own, readKey(nextKey ?? '')].filter((key) => key !== undefined);
  let entries = stored;
  let keys = keysOf(given, before, file);
  const secrets = openAll(entries, keys[0], file);
  if (owns && givenKey === undefined && keys[0] !== undefined) settleKey(data, keys[0]);
  const now = (): Buffer => (keys = keys.length > 0 ? keys : [makeKey(data)])[0] as Buffer;
  const store = async (next: SecretEntries, of: readonly Buffer[]): Promise<void> => {
    const [key, ...others] = of;
    const former = key === undefined || others.length === 0 ? undefined : sealFormer(key, others);
    const text = secretsText({ ...rest, ...(former && { former }), secrets: next });
    await writeFileAtomic(file, text, { mode: 0o600 });
    entries = next;
  };
  return {
    secrets,
    key: now,
    keys: () => keys,
    onOthers: () => {},
    async write(name, secret) {
      const { [name]: _, ...others } = entries;
      const next = secret === undefined ? others : { ...others, [name]: sealEntry(now(), name, secret) };
      await store(next, keys);
      if (secret === undefined) secrets.delete(name);
      else secrets.set(name, secret);
    },
    async rotate(next) {
      const all = [next, ...keys.filter((key) => !key.equals(next))];
      const resealed = [...secrets].map(([name, secret]) => [name, sealEntry(next, name, secret)] as const);
      // After a kill in between, the next process finds the fitting key among both.
      if (givenKey === undefined) announceKey(data, next);
      await store(Object.fromEntries(resealed), all);
      keys = all;
      if (givenKey === undefined) settleKey(data, next);
    },
  };
}

/** The keys that open the stored data, the current one first. Throws a `StartError` if none of those given does. */
function keysOf(given: readonly Buffer[], former: FormerKeys, file: string): readonly Buffer[] {
  if (former.length === 0) return given.slice(0, 1);
  const now = given.find((key) => opens(() => openFormer(key, former)));
  if (now !== undefined) return [now, ...openFormer(now, former)];
  throw keyRefused(given, former, {
    code: 'secrets_key_other',
    text: `The secrets in ${file} were sealed with another key: set WEFT_SECRETS_KEY to it, or restore secrets.key beside it.`,
  });
}

function openAll(entries: SecretEntries, key: Buffer | undefined, file: string): Map<string, KeptSecret> {
  const secrets = new Map<string, KeptSecret>();
  for (const [name, entry] of Object.entries(entries)) {
    if (!key) {
      throw new StartError(
        `${file} contains secrets, but their key is missing. Set WEFT_SECRETS_KEY, or restore secrets.key beside it.`,
      );
    }
    try {
      secrets.set(name, openEntry(key, name, entry));
    } catch {
      throw new StartError(
        `The secret ${name} in ${file} cannot be opened: it was sealed with another key, or changed by hand. ` +
          'Set WEFT_SECRETS_KEY to the key it was made with, restore a copy, or move the file away to start without it.',
      );
    }
  }
  return secrets;
}
