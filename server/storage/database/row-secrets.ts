import { ServiceError } from '../../base/errors/errors.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { FormerKeys, keyRefused, openFormer, opens, sealFormer } from '../../base/secrets/former-keys.ts';
import { seal, Sealed, unseal } from '../../base/secrets/seal.ts';
import { type KeptSecret, openEntry, readEntry, sealEntry } from '../../base/secrets/secrets-file.ts';
import type { SecretStorage } from '../../base/secrets/secret-storage.ts';
import type { ChangeLog } from './change-log.ts';
import { DEFAULT_PROJECT, type Sql, type SqlTransaction } from './sql.ts';

const ALL = 'SELECT name, entry FROM secret WHERE project = ?';
const PUT = `INSERT INTO secret (project, name, entry) VALUES (?, ?, ?)
  ON CONFLICT (project, name) DO UPDATE SET entry = excluded.entry`;
const DROP = 'DELETE FROM secret WHERE project = ? AND name = ?';
const AGREED = "SELECT name, value FROM agreed WHERE project = ? AND name IN ('secrets', 'secrets-former')";
const AGREE = `INSERT INTO agreed (project, name, value) VALUES (?, 'secrets', ?) ON CONFLICT (project, name) DO NOTHING`;
const REPLACE = `INSERT INTO agreed (project, name, value) VALUES (?, ?, ?)
  ON CONFLICT (project, name) DO UPDATE SET value = excluded.value`;
const ABOUT = 'weft-secrets-key';

interface Deps {
  readonly sql: Sql;
  readonly changes: Pick<ChangeLog, 'add' | 'spread' | 'follow'>;
  readonly key: Buffer;
  /** The key that may have replaced it, or will. */
  readonly nextKey?: Buffer | undefined;
  /** Called for a secret that was changed by hand; flows that use it get the error that it is missing. */
  readonly damaged?: (err: unknown, secret: string) => void;
  readonly project?: string;
}

/**
 * Secrets in the rows of a database, sealed; read once, then from memory, in step with the change log. Throws a `StartError` if
 * the database belongs to servers with another key.
 */
export async function openRowSecrets({
  sql,
  changes,
  key,
  nextKey,
  damaged = () => {},
  project = DEFAULT_PROJECT,
}: Deps): Promise<SecretStorage> {
  const given = [key, ...(nextKey === undefined ? [] : [nextKey])];
  await sql.run(AGREE, project, JSON.stringify(seal(key, ABOUT, ABOUT)));
  const place: Place = { sql, changes, project, given, agreed: await agreedKeys(sql, given, project) };
  const secrets = new Map<string, KeptSecret>();
  const listeners = new Set<() => void>();
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function readAll(failed?: Deps['damaged']): Promise<void> {
    place.agreed = await agreedKeys(sql, given, project);
    const read = await readRows(place, failed);
    secrets.clear();
    for (const [name, secret] of read) secrets.set(name, secret);
    for (const listener of listeners) listener();
  }

  async function changedKeys(change: () => Promise<number>): Promise<void> {
    const seq = await inTurn(async () => {
      const made = await change();
      await readAll();
      return made;
    });
    await changes.spread(seq);
  }

  await readAll();
  changes.follow('secret', () => inTurn(() => readAll(damaged)));
  return {
    secrets,
    key: () => keyOfNow(place),
    keys: () => place.agreed.keys,
    onOthers: (listener) => void listeners.add(listener),
    async write(name, secret) {
      const seq = await inTurn(async () => {
        const made = await writeRow(place, name, secret);
        if (secret === undefined) secrets.delete(name);
        else secrets.set(name, secret);
        return made;
      });
      await changes.spread(seq);
    },
    async rotate(next) {
      if (!given.some((one) => one.equals(next))) given.push(next);
      await changedKeys(() => rotateRows(place, next));
    },
    forget: () => changedKeys(() => forgetFormer(place)),
  };
}

interface Place {
  readonly sql: Sql;
  readonly changes: Pick<ChangeLog, 'add'>;
  readonly project: string;
  /** The keys from the settings. */
  readonly given: readonly Buffer[];
  agreed: Keys;
}

function keyOfNow({ agreed }: Place): Buffer {
  return agreed.keys[0];
}

/** `failed` gets the fault of a row; without it a fault stops the reading. */
async function readRows({ sql, project, agreed }: Place, failed: Deps['damaged']) {
  const rows = await sql.all<SecretRow>(ALL, project);
  return rows.flatMap(({ name, entry }) => {
    try {
      return [[name, opened(agreed.keys, name, entry)] as const];
    } catch (error) {
      if (failed === undefined) throw error;
      failed(error, name);
      return [];
    }
  });
}

/** Writes with the current key, which another server may have changed at this moment. */
async function writeRow(place: Place, name: string, secret: KeptSecret | undefined): Promise<number> {
  const { sql, changes, project, given } = place;
  const made = await sql.transaction(async (tx) => {
    const seq = await changes.add(tx, 'secret', name);
    if ((await readAgreed(tx, project)).proof !== place.agreed.proof) return undefined;
    if (secret === undefined) await tx.run(DROP, project, name);
    else await tx.run(PUT, project, name, JSON.stringify(sealEntry(keyOfNow(place), name, secret)));
    return seq;
  });
  if (made !== undefined) return made;
  place.agreed = await agreedKeys(sql, given, project).catch((error: unknown) => {
    throw error instanceof StartError ? new ServiceError('secrets_key_rotated') : error;
  });
  return writeRow(place, name, secret);
}

/** Seals all rows again, in one transaction with the notice of the new key to other servers. */
function rotateRows({ sql, changes, project, given }: Place, next: Buffer): Promise<number> {
  return sql.transaction(async (tx) => {
    const made = await changes.add(tx, 'secret', '*');
    const { keys } = keysOf(await readAgreed(tx, project), given);
    const former = keys.filter((one) => !one.equals(next));
    for (const { name, entry } of await tx.all<SecretRow>(ALL, project))
      await tx.run(PUT, project, name, JSON.stringify(sealEntry(next, name, opened(keys, name, entry))));
    await tx.run(REPLACE, project, 'secrets', JSON.stringify(seal(next, ABOUT, ABOUT)));
    await tx.run(REPLACE, project, 'secrets-former', JSON.stringify(sealFormer(next, former)));
    return made;
  });
}

function forgetFormer({ sql, changes, project, agreed }: Place): Promise<number> {
  return sql.transaction(async (tx) => {
    const made = await changes.add(tx, 'secret', '*');
    if ((await readAgreed(tx, project)).proof !== agreed.proof) throw new ServiceError('secrets_key_rotated');
    await tx.run(REPLACE, project, 'secrets-former', '[]');
    return made;
  });
}

interface SecretRow {
  readonly name: string;
  readonly entry: string;
}

function opened(keys: readonly Buffer[], name: string, entry: string): KeptSecret {
  for (const key of keys) {
    try {
      return openEntry(key, name, readEntry(JSON.parse(entry)));
    } catch {
      // Another one may have sealed it.
    }
  }
  throw new StartError(
    `The secret ${name} in the database cannot be opened: it was changed by hand. Delete its row, or restore it.`,
  );
}

/** State shared by the servers of a database: a text that proves their key, and the former keys. */
interface Agreed {
  readonly proof: string;
  readonly former: FormerKeys;
}

/** The first server of a database leaves a proof of its key there. */
async function readAgreed(from: Pick<SqlTransaction, 'all'>, project: string): Promise<Agreed> {
  const rows = await from.all<{ readonly name: string; readonly value: string }>(AGREED, project);
  const valueOf = (name: string): string | undefined => rows.find((row) => row.name === name)?.value;
  return {
    proof: valueOf('secrets') ?? '',
    former: FormerKeys.parse(JSON.parse(valueOf('secrets-former') ?? '[]')),
  };
}

/** The keys that open the stored secrets, the current one first, and the text that proves that one. */
interface Keys {
  readonly proof: string;
  readonly keys: readonly [Buffer, ...Buffer[]];
}

async function agreedKeys(sql: Sql, given: readonly Buffer[], project: string): Promise<Keys> {
  return keysOf(await readAgreed(sql, project), given);
}

/** Throws a `StartError` if the current key is none of those given. */
function keysOf({ proof, former }: Agreed, given: readonly Buffer[]): Keys {
  const now = given.find((key) => opens(() => unseal(key, Sealed.parse(JSON.parse(proof)), ABOUT)));
  if (now !== undefined) return { proof, keys: [now, ...openFormer(now, former)] };
  throw keyRefused(given, former, {
    code: 'secrets_key_other',
    text: 'The database belongs to servers with another WEFT_SECRETS_KEY. Set the key that they have, or give this service a database of its own.',
  });
}
