import { join } from 'node:path';
import { type Db, openDb } from '../adapters/db.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../errors/start-error.ts';
import { makeFolder, prepareDataFolder } from '../files/data-folder.ts';
import { lockData } from '../files/lock.ts';
import { createFlowFolders } from '../flows/flow-folders.ts';
import type { FlowStore } from '../flows/flow-store.ts';
import { openRowFlows } from '../flows/row-flows.ts';
import { FolderPapers } from './folder-papers.ts';
import { version } from '../http/version.ts';
import { keptKey, readKey } from '../secrets/master-key.ts';
import { openShelf, type Shelf } from '../secrets/shelf.ts';
import { createLocalBus } from '../storage/bus.ts';
import { refuseNewerData } from '../storage/manifest.ts';
import { ClusterNode } from '../storage/postgres/cluster-node.ts';
import { openPostgres } from '../storage/postgres/open-postgres.ts';
import { openRowDocuments } from '../storage/row-documents.ts';
import { openRowSecrets } from '../storage/row-secrets.ts';
import { DEFAULT_PROJECT, type Sql } from '../storage/sql.ts';
import { openWeftSql, weftMigrations } from '../storage/weft-tables.ts';

/** All that a server with these settings would serve from, without a server: its data folder and flows, or its database. */
export interface Whole {
  readonly sql: Sql;
  readonly documents: Db;
  readonly flows: FlowStore;
  /** Tests and evaluation sets that are files; undefined: they are rows. */
  readonly papers: FolderPapers | undefined;
  /** Secrets; only opened where there are some, since opening may create a key. */
  readonly shelf: Shelf;
  /** The key of the secrets, if there is one. */
  readonly key: Buffer | undefined;
  /** Names of the servers that are up on it. */
  servers(): Promise<string[]>;
  close(): Promise<void>;
}

type WholeConfig = Pick<Config, 'data' | 'flows' | 'databaseUrl' | 'databaseDirectUrl' | 'secretsKey'>;

/**
 * Opens it. Throws a `StartError` if a server uses the data folder, if data are newer than this version, or if the
 * database or the key does not fit.
 */
export function openWhole(config: WholeConfig): Promise<Whole> {
  return config.databaseUrl === undefined ? openFolder(config) : openDatabase(config, config.databaseUrl);
}

const silent = { warn: () => {}, error: () => {} };

async function openFolder({
  data,
  flows: [home = 'flows', ...others],
  secretsKey,
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
  const whole = {
    sql,
    documents: await openDb(join(data, 'db.json')),
    flows: createFlowFolders({ roots: [home, ...others], data, now: Date.now, warn }),
    papers: new FolderPapers([home, ...others]),
    shelf: openShelf(data, secretsKey),
    key: secretsKey === undefined ? keptKey(data) : readKey(secretsKey),
    servers: async () => [],
  };
  const opened = undo.move();
  return { ...whole, close: () => opened.disposeAsync() };
}

async function openDatabase(
  { databaseDirectUrl: direct, secretsKey = '' }: WholeConfig,
  url: string,
): Promise<Whole> {
  await using undo = new AsyncDisposableStack();
  const key = readKey(secretsKey);
  if (key === undefined) throw new StartError('WEFT_DATABASE_URL needs WEFT_SECRETS_KEY.');
  const options = direct === undefined ? {} : { direct };
  const sql = undo.adopt(await openPostgres(url, weftMigrations, options), (opened) => opened.close());
  const bus = undo.adopt(
    createLocalBus(() => {}),
    (opened) => opened.close(),
  );
  const node = undo.adopt(new ClusterNode({ sql, bus, log: silent, version }), (opened) => opened.close());
  await node.open();
  const warn = (error: unknown, message: string): never => {
    throw new StartError(`${message} ${error instanceof Error ? error.message : ''}`.trim());
  };
  const whole = {
    sql,
    documents: await openRowDocuments(sql, DEFAULT_PROJECT, node),
    flows: await openRowFlows({ sql, changes: node, now: node.now, warn }),
    papers: undefined,
    shelf: await openRowSecrets({ sql, changes: node, key }),
    key,
    servers: async () =>
      (await node.list()).filter(({ self, state }) => !self && state !== 'gone').map(({ name }) => name),
  };
  const opened = undo.move();
  return { ...whole, close: () => opened.disposeAsync() };
}
