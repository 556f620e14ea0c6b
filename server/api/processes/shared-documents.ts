import { type Db, openDb } from '../../base/adapters/db.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { openSecretStorage, type SecretStorage } from '../../base/secrets/secret-storage.ts';
import type { ChangeKind, ChangeLog } from '../../storage/database/change-log.ts';
import type { Sql } from '../../storage/database/sql.ts';

/** The pause before a failed announcement of a change is repeated, in milliseconds. */
const AGAIN_MS = 1000;

interface NotifyDeps {
  readonly sql: Sql;
  readonly changes: ChangeLog;
  readonly warn: (err: unknown, message: string) => void;
}

/** Notifies the other processes to read again. Resolves when they have, and never rejects, because the change is made. */
export type NotifyOthers = (...made: readonly (readonly [kind: ChangeKind, id: string])[]) => Promise<void>;

export function createNotifyOthers({ sql, changes, warn }: NotifyDeps): NotifyOthers {
  const notify: NotifyOthers = async (...made) => {
    try {
      const seq = await sql.transaction(async (tx) => {
        let newest = 0;
        for (const [kind, id] of made) newest = await changes.add(tx, kind, id);
        return newest;
      });
      await changes.spread(seq);
    } catch (err) {
      warn(err, 'the other processes could not be notified of a change; trying again');
      setTimeout(() => void notify(...made), AGAIN_MS).unref();
    }
  };
  return notify;
}

/** The documents of the first process; notifies the others of each change. */
export function notifyingDocuments(db: Db, notify: NotifyOthers): Db {
  return {
    get data() {
      return db.data;
    },
    async change(part, next) {
      await db.change(part, next);
      await notify(['document', part]);
    },
    onOthers: (part, listener) => db.onOthers(part, listener),
    upgrade: () => db.upgrade(),
  };
}

/** The secrets of the first process; notifies the others of each change. */
export function notifyingSecrets(secretStorage: SecretStorage, notify: NotifyOthers): SecretStorage {
  return {
    ...secretStorage,
    async write(name, secret) {
      await secretStorage.write(name, secret);
      await notify(['secret', name]);
    },
    async rotate(next) {
      await secretStorage.rotate(next);
      await notify(['secret', '*']);
    },
  };
}

/** The documents in the file of the first process, read again after each of its changes. */
export async function openFollowedDocuments(file: string, changes: ChangeLog): Promise<Db> {
  const listeners = new Set<readonly [part: string, listener: () => void]>();
  let db = await openDb(file);
  changes.follow('document', async (parts) => {
    db = await openDb(file);
    for (const [part, listener] of listeners) if (parts === 'all' || parts.has(part)) listener();
  });
  return {
    get data() {
      return db.data;
    },
    change: notHere,
    onOthers: (part, listener) => void listeners.add([part, listener]),
    upgrade: async () => {},
  };
}

/** The secrets in the folder of the first process, read again after each of its changes. */
export function openFollowedSecrets(
  {
    data,
    key,
    nextKey,
  }: { readonly data: string; readonly key?: string | undefined; readonly nextKey?: string | undefined },
  changes: ChangeLog,
): SecretStorage {
  const open = (): SecretStorage => openSecretStorage(data, key, nextKey, { owns: false });
  const listeners = new Set<() => void>();
  let secretStorage = open();
  const secrets = new Map(secretStorage.secrets);
  changes.follow('secret', async () => {
    secretStorage = open();
    secrets.clear();
    for (const [name, secret] of secretStorage.secrets) secrets.set(name, secret);
    for (const listener of listeners) listener();
  });
  return {
    secrets,
    key: () => secretStorage.key(),
    keys: () => secretStorage.keys(),
    onOthers: (listener) => void listeners.add(listener),
    write: notHere,
    rotate: notHere,
  };
}

/** Rejects: requests that change something are passed on to the first process. */
export function notHere(): Promise<never> {
  return Promise.reject(
    new ServiceError('first_process_away', 'Only the first process of a data folder may change this.'),
  );
}
