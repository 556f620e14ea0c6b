import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDb } from '../../base/adapters/db.ts';
import type { Config } from '../../base/config/config.ts';
import { version } from '../../access/http/version.ts';
import { codedStartError } from '../../base/errors/start-error.ts';
import { keyMark } from '../../base/secrets/former-keys.ts';
import { readKey } from '../../base/secrets/master-key.ts';
import type { SecretStorage } from '../../base/secrets/secret-storage.ts';
import { COMMAND_LINE } from '../../access/security/access.ts';
import { createAuditLog } from '../../access/security/audit-log.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { ClusterNode } from '../../storage/database/postgres/cluster-node.ts';
import { openWeftSql } from '../../storage/database/weft-tables.ts';

const LATE_ATTEMPTS = 25;
const LATE_PAUSE_MS = 200;

/** Stored data that a command works on without a server: a data folder that it holds, or a shared database. */
export interface OwnData {
  /** Open them once. Rejects with a `StartError` if they are damaged. */
  documents(): Promise<Db>;
  /** The rows; undefined if the data folder has none yet. */
  readonly sql: Sql | undefined;
  /** The secrets, where they are not in the data folder. */
  readonly secretStorage: SecretStorage | undefined;
  /**
   * Records an action of the command line in the audit. The action is done: if it cannot be recorded, a warning is printed, and the
   * command goes on.
   */
  note(what: string, facts: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * For a database. Throws `secrets_key_lacking` if a live server was not given this secrets key, or has not yet applied
   * all changes.
   */
  refuseUnlessGiven?(key: string): Promise<void>;
  close(): Promise<void>;
}

/** The data folder, which the caller holds; only the requested parts of it are opened. */
export function ownFolder(data: string): OwnData {
  let opened: Sql | undefined;
  const open = (): Sql => (opened ??= openWeftSql(data));
  return {
    documents: () => openDb(join(data, 'db.json')),
    get sql() {
      return existsSync(join(data, 'weft.db')) ? open() : undefined;
    },
    secretStorage: undefined,
    note: (...done) => noting(open, done),
    close: async () => opened?.close(),
  };
}

/**
 * Opens the database, whose servers are notified of changes at once. A server that does not apply them in time is named in a
 * warning. Throws a `StartError` that begins with a code.
 */
export async function openOwnDatabase(
  config: Pick<Config, 'databaseDirectUrl' | 'secretsKey' | 'secretsKeyNext'> & {
    readonly databaseUrl: string;
  },
): Promise<OwnData> {
  const { openShared } = await import('../../storage/database/open-shared.ts');
  const { sql, documents, secretStorage, node, close } = await openShared({
    ...config,
    version,
    migrates: false,
  });
  return {
    documents: async () => documents,
    sql,
    secretStorage,
    note: (...done) => noting(() => sql, done),
    async refuseUnlessGiven(text) {
      const key = readKey(text);
      const lacking =
        key === undefined ? [] : await node.without(({ keys }) => keys?.includes(keyMark(key)) === true);
      lacking.push(...(await lateServers(node)));
      if (lacking.length > 0)
        throw codedStartError(
          'secrets_key_lacking',
          `These servers were not given the new key, or have not applied all changes: ${lacking.join(', ')}. Start them again, one after the other, with WEFT_SECRETS_KEY_NEXT; then repeat.`,
        );
    },
    async close() {
      const late = node.lastPending();
      if (late.length > 0)
        process.emitWarning(`It is done, but these servers have not applied it yet: ${late.join(', ')}`);
      await close();
    },
  };
}

/** Servers that have not applied all changes after some seconds: until then they seal with the key that they know. */
async function lateServers(node: Pick<ClusterNode, 'list'>): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const late = (await node.list()).filter(({ state, behind }) => state !== 'gone' && behind > 0);
    if (late.length === 0 || attempt === LATE_ATTEMPTS) return late.map(({ name }) => name);
    await sleep(LATE_PAUSE_MS);
  }
}

async function noting(sql: () => Sql, [what, facts]: Parameters<OwnData['note']>): Promise<void> {
  try {
    const actor = { kind: COMMAND_LINE, id: COMMAND_LINE, name: COMMAND_LINE };
    await createAuditLog(sql(), { now: Date.now }).add({ actor, what, facts });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(`The audit has no entry of this action (${what}): ${reason}`);
  }
}
