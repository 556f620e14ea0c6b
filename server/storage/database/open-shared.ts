import type { Db } from '../../base/adapters/db.ts';
import { readKeys } from '../../base/secrets/master-key.ts';
import type { SecretStorage } from '../../base/secrets/secret-storage.ts';
import { ClusterNode } from './postgres/cluster-node.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import { openPostgresBus } from './postgres/postgres-bus.ts';
import { openRowDocuments } from './row-documents.ts';
import { openRowSecrets } from './row-secrets.ts';
import { DEFAULT_PROJECT, type Sql } from './sql.ts';
import { weftMigrations } from './weft-tables.ts';

/** Data that servers share in a database, for a program that is not a server; servers learn of its changes at once. */
export interface Shared {
  readonly sql: Sql;
  readonly documents: Db;
  readonly secretStorage: SecretStorage;
  readonly key: Buffer;
  readonly node: ClusterNode;
  close(): Promise<void>;
}

interface Options {
  readonly databaseUrl: string;
  readonly databaseDirectUrl?: string | undefined;
  readonly secretsKey?: string | undefined;
  readonly secretsKeyNext?: string | undefined;
  /** The version of Weft. */
  readonly version: string;
  /** False: a database of an older format is refused. */
  readonly migrates: boolean;
}

const silent = { warn: () => {}, error: () => {} };

/** Throws a `StartError` that begins with a code if the database cannot be used, or the key is another one. */
export async function openShared(options: Options): Promise<Shared> {
  const { databaseUrl: url, databaseDirectUrl: direct = url, version, migrates } = options;
  await using undo = new AsyncDisposableStack();
  const keys = readKeys(options);
  const sql = undo.adopt(await openPostgres(url, weftMigrations, { direct, migrates }), (opened) =>
    opened.close(),
  );
  const agreed = { keys: () => [keys.key, keys.nextKey].filter((one) => one !== undefined), now: Date.now };
  const proof = { keys: () => agreed.keys(), now: () => agreed.now() };
  const bus = undo.adopt(await openPostgresBus(direct, () => {}, proof), (opened) => opened.close());
  const node = undo.adopt(new ClusterNode({ sql, bus, log: silent, version, isGuest: true }), (opened) =>
    opened.close(),
  );
  await node.open();
  agreed.now = node.now;
  const documents = await openRowDocuments(sql, DEFAULT_PROJECT, node);
  const secretStorage = await openRowSecrets({ sql, changes: node, ...keys });
  agreed.keys = () => [...secretStorage.keys()];
  const opened = undo.move();
  return {
    sql,
    documents,
    secretStorage,
    key: secretStorage.key(),
    node,
    close: () => opened.disposeAsync(),
  };
}
