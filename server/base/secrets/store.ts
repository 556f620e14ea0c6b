import { WeftError, type SecretService } from '#engine';
import { lackingGrant, type SecretGrants, type SecretUse } from '#shared/secret.ts';
import type { SecretInfo } from '#shared/api.ts';
import { ServiceError } from '../errors/errors.ts';
import { parseTarget } from '../outbound/target.ts';
import type { Redactor } from './redactor.ts';
import type { KeptSecret } from './secrets-file.ts';
import { type Resealer, Sealed, type Sealer, seal, unseal } from './seal.ts';
import { openSecretStorage, type SecretStorage } from './secret-storage.ts';
import { opens } from './former-keys.ts';

/**
 * Why a run does not count as published: a person without the right to publish wrote a part of it, or started it. Such a
 * run gets only secrets limited to known hosts.
 */
export type Untrusted = 'writer' | 'starter';

/**
 * The secrets of this server.
 * SE1. Values leave only through `reveal` and `use`, for a granted use; lists contain names and grants.
 * SE2. On the disk values are sealed together with their grants; neither can be changed without the key.
 * SE3. The redactor knows every value before anyone can use it, and still knows old ones.
 */
export interface SecretStore extends SecretService, Sealer, Resealer {
  /** `reveal` for the server itself, at once. Throws `secret_unknown`, `secret_not_granted`. */
  use(name: string, by: SecretUse): string;
  list(): SecretInfo[];
  /**
   * Creates or changes a secret; omitted fields stay. Throws `secret_not_found`, `secret_read_only`,
   * `storage_failed`.
   */
  put(name: string, change: SecretChange): Promise<SecretInfo>;
  /** Seals all again with another key. Rejects with `storage_failed`. */
  rotate(next: Buffer): Promise<void>;
  /** Throws `secret_not_found`, `secret_read_only`, `storage_failed`. */
  remove(name: string): Promise<void>;
}

/** A change of a secret; what is left out stays. */
export interface SecretChange {
  readonly value?: string | undefined;
  readonly grants?: SecretGrants | undefined;
}

export interface SecretDeps {
  /** Folder of `secrets.json` and `secrets.key`. */
  readonly data: string;
  /** WEFT_SECRETS_KEY. */
  readonly key: string | undefined;
  /** WEFT_SECRETS_KEY_NEXT. */
  readonly nextKey?: string | undefined;
  /** Where they are stored, if not in that folder. */
  readonly secretStorage?: SecretStorage | undefined;
  /** Values of WEFT_SECRET_<NAME>, by name. */
  readonly environment: Readonly<Record<string, string>>;
  /** WEFT_GRANTS: for those of the environment. */
  readonly grants: Readonly<Record<string, SecretGrants>>;
  readonly redactor: Redactor;
  /** Runs in progress that get only secrets limited to known hosts. */
  readonly untrusted?: ReadonlyMap<string, Untrusted>;
  readonly now: () => number;
}

/** Opens the store. Throws a `StartError` if the file or its key is damaged, or if they do not belong together. */
export function openSecrets(deps: SecretDeps): SecretStore {
  const { redactor, grants } = deps;
  const secretStorage = deps.secretStorage ?? openSecretStorage(deps.data, deps.key, deps.nextKey);
  const environment = new Map(Object.entries(deps.environment));
  for (const value of environment.values()) redactor.add(value);
  const redact = (): void => secretStorage.secrets.forEach(({ value }) => redactor.add(value));
  redact();
  secretStorage.onOthers(redact);
  const infoOf = (name: string): SecretInfo | undefined =>
    environment.has(name)
      ? environmentInfo(name, secretStorage.secrets.get(name), grants[name])
      : keptInfo(name, secretStorage.secrets.get(name));

  let last: Promise<unknown> = Promise.resolve();
  function inOrder<T>(change: () => Promise<T>): Promise<T> {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  }

  async function put(name: string, change: SecretChange): Promise<SecretInfo> {
    const secret = changed(name, infoOf(name), secretStorage.secrets.get(name), change);
    redactor.add(secret.value);
    await secretStorage.write(name, { ...secret, updatedAt: new Date(deps.now()).toISOString() });
    return infoOf(name) as SecretInfo;
  }

  async function remove(name: string): Promise<void> {
    const info = infoOf(name);
    if (info === undefined) throw new ServiceError('secret_not_found', `There is no secret ${name}.`);
    if (info.source === 'environment') throw new ServiceError('secret_read_only');
    await secretStorage.write(name, undefined);
  }

  function use(name: string, by: SecretUse, run?: string): string {
    const info = infoOf(name);
    if (info === undefined) throw new WeftError('secret_unknown', `There is no secret ${name}.`);
    checkGrant(info, by);
    if (run !== undefined) checkTrust(info, deps.untrusted?.get(run));
    return environment.get(name) ?? (secretStorage.secrets.get(name) as KeptSecret).value;
  }

  return {
    use: (name, by) => use(name, by),
    seal: (text, about) => JSON.stringify(seal(secretStorage.key(), text, about)),
    unseal: (sealed, about) => unsealed(secretStorage.keys(), Sealed.parse(JSON.parse(sealed)), about),
    reseal: (sealed, about) => resealed(secretStorage.keys(), Sealed.parse(JSON.parse(sealed)), about),
    list: () => {
      const names = new Set([...environment.keys(), ...secretStorage.secrets.keys()]);
      return [...names].sort().flatMap((name) => infoOf(name) ?? []);
    },
    put: (name, change) => inOrder(() => put(name, change)),
    remove: (name) => inOrder(() => remove(name)),
    rotate: (next) => inOrder(() => secretStorage.rotate(next)),
    async reveal(name, { flow, operator, run }, url) {
      const origin = url === undefined ? undefined : parseTarget(url).origin;
      return use(name, { flow, operator, origin }, run);
    },
  };
}

function unsealed([key, ...former]: readonly Buffer[], sealed: Sealed, about: string): string {
  if (key === undefined) throw new Error('There is no key yet, so it was sealed with another one.');
  try {
    return unseal(key, sealed, about);
  } catch (error) {
    if (former.length === 0) throw error;
    return unsealed(former, sealed, about);
  }
}

function resealed([key, ...former]: readonly Buffer[], sealed: Sealed, about: string): string | undefined {
  if (key === undefined || opens(() => unseal(key, sealed, about))) return undefined;
  return JSON.stringify(seal(key, unsealed(former, sealed, about), about));
}

function environmentInfo(
  name: string,
  kept: KeptSecret | undefined,
  configured: SecretGrants | undefined,
): SecretInfo {
  const grants = kept?.grants ?? configured ?? {};
  return { name, source: 'environment', grants, ...(kept && { updatedAt: kept.updatedAt }) };
}

/** Grants of a secret that is no longer in the environment do not create a secret. */
function keptInfo(name: string, kept: KeptSecret | undefined): SecretInfo | undefined {
  if (kept?.source !== 'file') return undefined;
  return { name, source: 'file', grants: kept.grants, updatedAt: kept.updatedAt };
}

function changed(
  name: string,
  now: SecretInfo | undefined,
  kept: KeptSecret | undefined,
  change: SecretChange,
): Omit<KeptSecret, 'updatedAt'> {
  const grants = change.grants ?? now?.grants ?? {};
  if (now?.source === 'environment') {
    if (change.value !== undefined) throw new ServiceError('secret_read_only');
    return { source: 'environment', grants, value: '' };
  }
  const value = change.value ?? (now && kept?.value);
  if (value !== undefined) return { source: 'file', grants, value };
  throw new ServiceError('secret_not_found', `There is no secret ${name}; send its value too.`);
}

function checkGrant({ name, grants }: SecretInfo, by: SecretUse): void {
  const lack = lackingGrant(grants, by);
  if (lack === undefined) return;
  throw new WeftError('secret_not_granted', `The secret ${name} is not granted ${lack}.`);
}

const LACKS: Readonly<Record<Untrusted, string>> = {
  writer: 'the author of the code that this run executes may not publish',
  starter: 'the person who started this unpublished run may not publish',
};

/** A grant to a flow covers its published version; in other cases only a list of hosts limits where a secret is sent. */
function checkTrust({ name, grants }: SecretInfo, untrusted: Untrusted | undefined): void {
  if (untrusted === undefined || grants.hosts !== undefined) return;
  const remedy = `publish the flow, or list in the grants of ${name} the \`hosts\` that it may be sent to`;
  throw new WeftError(
    'secret_draft',
    `The secret ${name} may be sent anywhere, and ${LACKS[untrusted]} (scope flows:publish): ${remedy}.`,
  );
}
