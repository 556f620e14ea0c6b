import { codedStartError, StartError } from '../errors/start-error.ts';
import { seal, Sealed, unseal } from '../secrets/seal.ts';
import { type KeptSecret, openEntry, readEntry, sealEntry } from '../secrets/secrets-file.ts';
import type { Shelf } from '../secrets/shelf.ts';
import type { ChangeLog } from './change-log.ts';
import { DEFAULT_PROJECT, type Sql } from './sql.ts';

const ALL = 'SELECT name, entry FROM secret WHERE project = ?';
const PUT = `INSERT INTO secret (project, name, entry) VALUES (?, ?, ?)
  ON CONFLICT (project, name) DO UPDATE SET entry = excluded.entry`;
const DROP = 'DELETE FROM secret WHERE project = ? AND name = ?';
const AGREED = "SELECT value FROM agreed WHERE project = ? AND name = 'secrets'";
const AGREE = `INSERT INTO agreed (project, name, value) VALUES (?, 'secrets', ?) ON CONFLICT (project, name) DO NOTHING`;
const ABOUT = 'weft-secrets-key';

interface Deps {
  readonly sql: Sql;
  readonly changes: Pick<ChangeLog, 'add' | 'spread' | 'follow'>;
  readonly key: Buffer;
  /** Told of a secret that was changed by hand; flows that use it are told that it is missing. */
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
  damaged = () => {},
  project = DEFAULT_PROJECT,
}: Deps): Promise<Shelf> {
  await agree(sql, key, project);
  const secrets = new Map<string, KeptSecret>();
  const listeners = new Set<() => void>();
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  /** `failed` gets what is wrong with one of them; without it nothing is read then. */
  async function readAll(failed?: (err: unknown, secret: string) => void): Promise<void> {
    const rows = await sql.all<{ readonly name: string; readonly entry: string }>(ALL, project);
    const read = rows.flatMap(({ name, entry }) => {
      try {
        return [[name, opened(key, name, entry)] as const];
      } catch (error) {
        if (failed === undefined) throw error;
        failed(error, name);
        return [];
      }
    });
    secrets.clear();
    for (const [name, secret] of read) secrets.set(name, secret);
    for (const listener of listeners) listener();
  }

  await readAll();
  changes.follow('secret', () => inTurn(() => readAll(damaged)));
  return {
    secrets,
    key: () => key,
    onOthers: (listener) => void listeners.add(listener),
    async write(name, secret) {
      const seq = await inTurn(async () => {
        const made = await sql.transaction(async (tx) => {
          if (secret === undefined) await tx.run(DROP, project, name);
          else await tx.run(PUT, project, name, JSON.stringify(sealEntry(key, name, secret)));
          return changes.add(tx, 'secret', name);
        });
        if (secret === undefined) secrets.delete(name);
        else secrets.set(name, secret);
        return made;
      });
      await changes.spread(seq);
    },
  };
}

function opened(key: Buffer, name: string, entry: string): KeptSecret {
  try {
    return openEntry(key, name, readEntry(JSON.parse(entry)));
  } catch {
    throw new StartError(
      `The secret ${name} in the database cannot be opened: it was changed by hand. Delete its row, or restore it.`,
    );
  }
}

/** The first server of a database leaves a proof of its key there. */
async function agree(sql: Sql, key: Buffer, project: string): Promise<void> {
  await sql.run(AGREE, project, JSON.stringify(seal(key, ABOUT, ABOUT)));
  const row = await sql.first<{ readonly value: string }>(AGREED, project);
  try {
    unseal(key, Sealed.parse(JSON.parse(row?.value ?? '')), ABOUT);
  } catch {
    throw codedStartError(
      'secrets_key_other',
      'The database belongs to servers with another WEFT_SECRETS_KEY. Set the key that they have, or give this service a database of its own.',
    );
  }
}
