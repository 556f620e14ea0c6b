import { join } from 'node:path';
import { writeFileAtomic } from '../files/atomic-file.ts';
import { StartError } from '../errors/start-error.ts';
import { keptKey, makeKey, readKey } from './master-key.ts';
import {
  type KeptSecret,
  openEntry,
  readSecretsFile,
  type SecretEntries,
  sealEntry,
  secretsText,
} from './secrets-file.ts';

/** Stored secrets, opened in memory and sealed where they are stored. */
export interface Shelf {
  readonly secrets: ReadonlyMap<string, KeptSecret>;
  /**
   * Replaces or, without a secret, removes one. One call at a time. Throws `storage_failed`, and then nothing has
   * changed.
   */
  write(name: string, secret: KeptSecret | undefined): Promise<void>;
  /** The key that they are sealed with; created if there is none. Throws `storage_failed`. */
  key(): Buffer;
  /** `listener` is called after another server has changed secrets. */
  onOthers(listener: () => void): void;
}

/** Reads `secrets.json` with the given key or the one stored beside it; the latter is created with the first secret. */
export function openShelf(data: string, givenKey: string | undefined): Shelf {
  const file = join(data, 'secrets.json');
  const { secrets: stored, ...rest } = readSecretsFile(file);
  let entries = stored;
  let key = givenKey === undefined ? keptKey(data) : readKey(givenKey);
  const secrets = openAll(entries, key, file);
  return {
    secrets,
    key: () => (key ??= makeKey(data)),
    onOthers: () => {},
    async write(name, secret) {
      key ??= makeKey(data);
      const { [name]: _, ...others } = entries;
      const next = secret === undefined ? others : { ...others, [name]: sealEntry(key, name, secret) };
      await writeFileAtomic(file, secretsText({ ...rest, secrets: next }), { mode: 0o600 });
      entries = next;
      if (secret === undefined) secrets.delete(name);
      else secrets.set(name, secret);
    },
  };
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
