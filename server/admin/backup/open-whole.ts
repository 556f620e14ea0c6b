import { join } from 'node:path';
import { type Db, openDb } from '../../base/adapters/db.ts';
import type { Config } from '../../base/config/config.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { makeFolder, prepareDataFolder } from '../../base/files/data-folder.ts';
import { lockData } from '../../base/files/lock.ts';
import { createFlowFolders } from '../../flows/service/flow-folders.ts';
import type { FlowStore } from '../../flows/service/flow-store.ts';
import {
  type ServiceStore,
  servicesInDocuments,
  servicesInFolder,
} from '../../integrations/services/stores.ts';
import { openRowFlows } from '../../flows/service/row-flows.ts';
import { FolderDocuments } from './folder-documents.ts';
import { version } from '../../access/http/version.ts';
import { openSecretStorage, type SecretStorage } from '../../base/secrets/secret-storage.ts';
import { refuseNewerData } from '../../storage/database/manifest.ts';
import { openShared } from '../../storage/database/open-shared.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { openWeftSql } from '../../storage/database/weft-tables.ts';

/** Everything that a server with these settings would serve from, without a server: its data folder and flows, or its database. */
export interface Whole {
  readonly sql: Sql;
  readonly documents: Db;
  readonly flows: FlowStore;
  /** Services of users. */
  readonly services: ServiceStore;
  /** Tests and evaluation sets that are files; undefined: they are rows. */
  readonly folderDocuments: FolderDocuments | undefined;
  /** Secrets; opened only if there are some, because opening may create a key. */
  readonly secretStorage: SecretStorage;
  /** The secrets key, if there is one. */
  readonly key: Buffer | undefined;
  /** Names of the servers that are up on these data. */
  servers(): Promise<string[]>;
  close(): Promise<void>;
}

type WholeConfig = Pick<
  Config,
  'data' | 'flows' | 'databaseUrl' | 'databaseDirectUrl' | 'secretsKey' | 'secretsKeyNext'
>;

/**
 * Opens the data. Throws a `StartError` if a server uses the data folder, if data are newer than this version, or if the
 * database or the key does not fit.
 */
export function openWhole(config: WholeConfig): Promise<Whole> {
  return config.databaseUrl === undefined ? openFolder(config) : openDatabase(config, config.databaseUrl);
}

async function openFolder({
  data,
  flows: [home = 'flows', ...others],
  secretsKey,
  secretsKeyNext,
}: WholeConfig): Promise<Whole> {
  await using undo = new AsyncDisposableStack();
  prepareDataFolder(data);
  undo.adopt(lockData(data), (lock) => lock.release());
  refuseNewerData(data);
  makeFolder(home);
  const sql = undo.adopt(openWeftSql(data), (opened) => opened.close());
  const warn = (error: unknown, message: string): never => {
    throw new StartError(`${message} ${error instanceof Error ? error.message : ''}`.trim());
  };
  const secretStorage = openSecretStorage(data, secretsKey, secretsKeyNext);
  const whole = {
    sql,
    documents: await openDb(join(data, 'db.json')),
    flows: createFlowFolders({ roots: [home, ...others], data, now: Date.now, warn }),
    services: servicesInFolder(home),
    folderDocuments: new FolderDocuments([home, ...others]),
    secretStorage,
    key: secretStorage.keys()[0],
    servers: async () => [],
  };
  const opened = undo.move();
  return { ...whole, close: () => opened.disposeAsync() };
}

async function openDatabase(config: WholeConfig, databaseUrl: string): Promise<Whole> {
  await using undo = new AsyncDisposableStack();
  const options = { ...config, databaseUrl, version, migrates: true };
  const { sql, documents, secretStorage, key, node } = undo.adopt(await openShared(options), (shared) =>
    shared.close(),
  );
  const warn = (error: unknown, message: string): never => {
    throw new StartError(`${message} ${error instanceof Error ? error.message : ''}`.trim());
  };
  const whole = {
    sql,
    documents,
    flows: await openRowFlows({ sql, changes: node, now: node.now, warn }),
    services: servicesInDocuments(documents),
    folderDocuments: undefined,
    secretStorage,
    key,
    servers: async () => (await node.list()).filter(({ state }) => state !== 'gone').map(({ name }) => name),
  };
  const opened = undo.move();
  return { ...whole, close: () => opened.disposeAsync() };
}
