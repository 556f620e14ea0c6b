import { join } from 'node:path';
import { WeftError, type SecretService } from '#engine';
import { lackingGrant, type SecretGrants } from '#shared/secret.ts';
import type { SecretInfo } from '#shared/api.ts';
import { ServiceError } from '../errors.ts';
import { writeFileAtomic } from '../flows/atomic-file.ts';
import { parseTarget } from '../outbound/target.ts';
import { StartError } from '../start-error.ts';
import { keptKey, makeKey, readKey } from './master-key.ts';
import type { Redactor } from './redactor.ts';
import { entriesText, type KeptSecret, openEntry, readEntries, sealEntry } from './secrets-file.ts';

/**
 * The secrets of this server.
 * S1. Values leave only through `reveal`, for a use that was granted; lists hold names and grants.
 * S2. On the disk values are sealed together with their grants; neither can be changed without the key.
 * S3. The redactor knows every value before anyone can use it, and keeps knowing old ones.
 */
export interface SecretStore extends SecretService {
  list(): SecretInfo[];
  /** Makes or changes a secret; what is left out stays. Throws `secret_not_found`, `secret_read_only`, `storage_failed`. */
  put(name: string, change: SecretChange): Promise<SecretInfo>;
  /** Throws `secret_not_found`, `secret_read_only`, `storage_failed`. */
  remove(name: string): Promise<void>;
}

export interface SecretChange {
  readonly value?: string | undefined;
  readonly grants?: SecretGrants | undefined;
}

export interface SecretParts {
  /** Folder of `secrets.json` and `secrets.key`. */
  readonly data: string;
  /** WEFT_SECRETS_KEY. */
  readonly key: string | undefined;
  /** Values of WEFT_SECRET_<NAME>, by name. */
  readonly environment: Readonly<Record<string, string>>;
  /** WEFT_GRANTS: for those of the environment. */
  readonly grants: Readonly<Record<string, SecretGrants>>;
  readonly redactor: Redactor;
  readonly now: () => number;
}

/** Opens the store. Throws a `StartError` when the file or its key is damaged, or they do not belong together. */
export function openSecrets(parts: SecretParts): SecretStore {
  const { redactor } = parts;
  const file = join(parts.data, 'secrets.json');
  let entries = readEntries(file);
  let key = parts.key === undefined ? keptKey(parts.data) : readKey(parts.key);
  const kept = unsealAll(entries, key, file);
  const environment = new Map(Object.entries(parts.environment));
  for (const value of [...environment.values(), ...[...kept.values()].map((one) => one.value)]) redactor.add(value);
  let last: Promise<unknown> = Promise.resolve();

  function infoOf(name: string): SecretInfo | undefined {
    const entry = kept.get(name);
    if (environment.has(name)) {
      const grants = entry?.grants ?? parts.grants[name] ?? {};
      return { name, source: 'environment', grants, ...(entry && { updatedAt: entry.updatedAt }) };
    }
    if (entry?.source !== 'file') return undefined;
    return { name, source: 'file', grants: entry.grants, updatedAt: entry.updatedAt };
  }

  function inOrder<T>(change: () => Promise<T>): Promise<T> {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  }

  async function write(name: string, secret: KeptSecret | undefined): Promise<void> {
    key ??= makeKey(parts.data);
    const { [name]: _, ...others } = entries;
    const next = secret === undefined ? others : { ...others, [name]: sealEntry(key, name, secret) };
    await writeFileAtomic(file, entriesText(next), { mode: 0o600 });
    entries = next;
    if (secret === undefined) kept.delete(name);
    else kept.set(name, secret);
  }

  function changed(name: string, { value, grants }: SecretChange): KeptSecret {
    const now = infoOf(name);
    const source = now?.source ?? 'file';
    if (source === 'environment' && value !== undefined) throw new ServiceError('secret_read_only');
    const before = now === undefined ? undefined : kept.get(name)?.value;
    const text = source === 'environment' ? '' : (value ?? before);
    if (text === undefined) throw new ServiceError('secret_not_found', `There is no secret ${name}; send its value too.`);
    const updatedAt = new Date(parts.now()).toISOString();
    return { source, grants: grants ?? now?.grants ?? {}, updatedAt, value: text };
  }

  return {
    list: () => [...new Set([...environment.keys(), ...kept.keys()])].sort().flatMap((name) => infoOf(name) ?? []),
    put: (name, change) =>
      inOrder(async () => {
        const secret = changed(name, change);
        redactor.add(secret.value);
        await write(name, secret);
        return infoOf(name) as SecretInfo;
      }),
    remove: (name) =>
      inOrder(async () => {
        const info = infoOf(name);
        if (info === undefined) throw new ServiceError('secret_not_found', `There is no secret ${name}.`);
        if (info.source === 'environment') throw new ServiceError('secret_read_only');
        await write(name, undefined);
      }),
    async reveal(name, by, url) {
      const info = infoOf(name);
      if (info === undefined) throw new WeftError('secret_unknown', `There is no secret ${name}.`);
      const host = url === undefined ? undefined : parseTarget(url).host;
      const lack = lackingGrant(info.grants, { flow: by.flow, operator: by.operator, host });
      if (lack !== undefined) throw new WeftError('secret_not_granted', `The secret ${name} is not granted ${lack}.`);
      return environment.get(name) ?? (kept.get(name) as KeptSecret).value;
    },
  };
}

function unsealAll(
  entries: ReturnType<typeof readEntries>,
  key: Buffer | undefined,
  file: string,
): Map<string, KeptSecret> {
  const kept = new Map<string, KeptSecret>();
  for (const [name, entry] of Object.entries(entries)) {
    if (!key) {
      throw new StartError(`${file} holds secrets, but their key is not there. Set WEFT_SECRETS_KEY, or put back secrets.key beside it.`);
    }
    try {
      kept.set(name, openEntry(key, name, entry));
    } catch {
      throw new StartError(
        `The secret ${name} in ${file} does not open: it was sealed with another key, or changed by hand. ` +
          'Set WEFT_SECRETS_KEY to the key it was made with, put back a copy, or move the file away to start with none.',
      );
    }
  }
  return kept;
}
