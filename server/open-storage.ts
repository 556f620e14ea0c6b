import { hostname } from 'node:os';
import { join } from 'node:path';
import { openDb } from './adapters/db.ts';
import { createDiskBlobs } from './file-store/disk-blobs.ts';
import { createJournal } from './history/journal/journal.ts';
import type { FlowStore } from './flows/flow-store.ts';
import { createReadOnlyFolders } from './flows/read-only-folders.ts';
import { createVersionStore } from './flows/versions.ts';
import { version } from './http/version.ts';
import type { Nodes } from './routes/context.ts';
import { openScheduleOwner } from './schedules/schedule-owner.ts';
import { createLocalBus } from './storage/bus.ts';
import type { Storage, StorageDeps } from './storage-port.ts';
import { openWeftSql } from './storage/weft-tables.ts';
import { guardPostgresDriver } from './process/postgres-driver.ts';

/** Opens it; the data folder must exist. Throws a `StartError` for what cannot be opened. */
export async function openStorage(deps: StorageDeps): Promise<Storage> {
  if (deps.config.databaseUrl === undefined) return openFolder(deps);
  guardPostgresDriver();
  const { openDatabase } = await import('./open-database.ts');
  return openDatabase(deps, deps.config.databaseUrl);
}

async function openFolder({ config, log }: StorageDeps): Promise<Storage> {
  const { data, runsDays: days, runsSize: bytes, flowsFrom } = config;
  const sql = openWeftSql(data);
  const bus = createLocalBus((err) => log.error({ err }, 'a notice could not be taken'));
  return {
    sql,
    database: undefined,
    bus,
    blobs: createDiskBlobs(join(data, 'files')),
    shelf: undefined,
    flows: flowsFrom === 'folders' ? readOnlyFlows(config, log) : undefined,
    documents: await openDb(join(data, 'db.json')),
    history: () =>
      createJournal({
        folder: join(data, 'runs'),
        blobs: join(data, 'blobs'),
        limits: { days, bytes },
        warn: (message) => log.warn(message),
      }),
    now: Date.now,
    nodes: aloneNode(),
    startTokens: undefined,
    peers: undefined,
    openDurable: undefined,
    alone: undefined,
    servers: undefined,
    places: undefined,
    buckets: undefined,
    listening: async () => {},
    mayRunElsewhere: () => false,
    openScheduleOwner,
    begin: async () => {},
    async close() {
      await bus.close();
      await sql.close();
    },
  };
}

function readOnlyFlows({ flows, data }: StorageDeps['config'], log: StorageDeps['log']): FlowStore {
  const warn = (err: unknown, message: string): void => log.warn({ err }, message);
  return createReadOnlyFolders({ roots: flows, versions: createVersionStore(join(data, 'versions'), warn) });
}

/** A server with a data folder of its own is the only one. */
function aloneNode(): Nodes {
  const startedAt = Date.now();
  const name = `${hostname()}/${process.pid}`;
  return {
    isStale: () => false,
    canWrite: () => true,
    pending: () => [],
    tellUnserved: () => {},
    tellFlows: () => {},
    leave: async () => {},
    list: async () => [
      {
        id: name,
        name,
        version,
        startedAt,
        seenAt: Date.now(),
        state: 'up',
        role: 'all',
        behind: 0,
        self: true,
      },
    ],
  };
}
