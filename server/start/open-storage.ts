import { hostname } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDb } from '../base/adapters/db.ts';
import type { OneOfProcesses } from '../base/config/config.ts';
import { createDiskBlobs } from '../storage/file-store/disk-blobs.ts';
import { createJournal, type Journal } from '../execution/history/journal/journal.ts';
import type { FlowStore } from '../flows/service/flow-store.ts';
import { createReadOnlyFolders } from '../flows/service/read-only-folders.ts';
import { createVersionStore } from '../flows/service/versions.ts';
import { version } from '../access/http/version.ts';
import type { Nodes } from '../api/routes/context.ts';
import { openScheduleOwner } from '../execution/schedules/schedule-owner.ts';
import { createLocalBus } from '../storage/database/bus.ts';
import type { FolderStorage, Storage, StorageDeps } from './storage-port.ts';
import { openWeftSql } from '../storage/database/weft-tables.ts';
import { guardPostgresDriver } from '../base/process/postgres-driver.ts';

/** Opens the storage; the data folder must exist. Throws a `StartError` for a part that cannot be opened. */
export async function openStorage(deps: StorageDeps): Promise<Storage> {
  const { databaseUrl: url, process: one } = deps.config;
  if (url === undefined && one === undefined) return openFolder(deps);
  if (url === undefined) {
    const { openProcess } = await import('./open-processes.ts');
    return openProcess(deps, one as OneOfProcesses, openFolder);
  }
  guardPostgresDriver();
  const { openDatabase } = await import('./open-database.ts');
  return openDatabase(deps, url);
}

async function openFolder({ config, log }: StorageDeps): Promise<FolderStorage> {
  const { data, runsDays: days, runsSize: bytes, flowsFrom } = config;
  const leftBehind = await runsLeftBehind(config, log);
  const sql = openWeftSql(data);
  const bus = createLocalBus((err) => log.error({ err }, 'a notice could not be taken'));
  return {
    sql,
    database: undefined,
    bus,
    blobs: createDiskBlobs(join(data, 'files'), { reserve: config.diskReserve }),
    secretStorage: undefined,
    flows: flowsFrom === 'folders' ? readOnlyFlows(config, log) : undefined,
    documents: await openDb(join(data, 'db.json')),
    history() {
      const journal = createJournal({
        folder: join(data, 'runs'),
        blobs: join(data, 'blobs'),
        limits: { days, bytes },
        warn: (message) => log.warn(message),
      });
      leftBehind?.(journal);
      return journal;
    },
    now: Date.now,
    nodes: aloneNode(),
    startTokens: undefined,
    peers: undefined,
    openDurable: undefined,
    alone: undefined,
    servers: undefined,
    places: undefined,
    processes: undefined,
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

/** The runs left behind by several processes that served from this folder; undefined if there never were any, or they are running now. */
async function runsLeftBehind(
  { data, process: one }: StorageDeps['config'],
  log: StorageDeps['log'],
): Promise<((journal: Journal) => void) | undefined> {
  if (one !== undefined || !existsSync(join(data, 'process-2'))) return undefined;
  const { createCollector } = await import('../api/processes/collected-history.ts');
  const warn = (err: unknown, message: string): void => log.error({ err }, message);
  return (journal) => void createCollector({ journal, data, warn })().catch(() => undefined);
}

/** A server with a data folder of its own is the only one. */
function aloneNode(): Nodes {
  const startedAt = Date.now();
  const name = `${hostname()}/${process.pid}`;
  return {
    isStale: () => false,
    canWrite: () => true,
    pending: () => [],
    reportUnserved: () => {},
    reportFlows: () => {},
    lackingFormat: async () => [],
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
