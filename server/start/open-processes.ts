import { join } from 'node:path';
import { version } from '../access/http/version.ts';
import type { OneOfProcesses } from '../base/config/config.ts';
import { isWildcard } from '../base/config/hosts.ts';
import type { DurableEngine } from '../execution/durable/port.ts';
import { createDiskBlobs } from '../storage/file-store/disk-blobs.ts';
import { FlowMirror, openMirroredFlows } from '../flows/service/mirrored-flows.ts';
import { Servers } from '../access/peers/servers.ts';
import { createCollectedHistory } from '../api/processes/collected-history.ts';
import { firstSocket } from '../api/processes/folder-process.ts';
import { createOutbox, OUTBOX } from '../api/processes/outbox.ts';
import {
  createNotifyOthers,
  notHere,
  openFollowedDocuments,
  openFollowedSecrets,
  notifyingDocuments,
  notifyingSecrets,
} from '../api/processes/shared-documents.ts';
import { type ToProcess, notifySupervisor } from '../base/process/supervisor-channel.ts';
import { openSecretStorage, type SecretStorage } from '../base/secrets/secret-storage.ts';
import type { FolderStorage, Storage, StorageDeps } from './storage-port.ts';
import { type Bus, createLocalBus, type Topic } from '../storage/database/bus.ts';
import { ClusterNode } from '../storage/database/postgres/cluster-node.ts';
import { SQLITE_CLOCK } from '../storage/database/postgres/node-rows.ts';
import { createSharedBuckets } from '../storage/database/shared-buckets.ts';
import type { Sql } from '../storage/database/sql.ts';
import { openWeftSql } from '../storage/database/weft-tables.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Opens the data folder for one of several processes. The first one opens it like a server that is alone, and notifies the others
 * of changes; they write nothing there but rows and files of runs (docs/decisions/0051-processes-of-a-data-folder.md).
 */
export function openProcess(
  deps: StorageDeps,
  one: OneOfProcesses,
  openFolder: (deps: StorageDeps) => Promise<FolderStorage>,
): Promise<Storage> {
  return one.number === 1 ? openFirst(deps, one, openFolder) : openOther(deps, one);
}

async function openFirst(
  deps: StorageDeps,
  one: OneOfProcesses,
  openFolder: (deps: StorageDeps) => Promise<FolderStorage>,
): Promise<Storage> {
  await using undo = new AsyncDisposableStack();
  const { config, log } = deps;
  const folder = undo.adopt(await openFolder(deps), (opened) => opened.close());
  const { sql } = folder;
  const warn = (err: unknown, message: string): void => log.warn({ err }, message);
  const { bus, node, buckets } = await joinOthers(deps, one, sql, undo);
  const notify = createNotifyOthers({ sql, changes: node, warn });
  const secretStorage = notifyingSecrets(await openSecretsWithKey(config), notify);
  const mirror = new FlowMirror({ sql, changes: node, now: node.now, warn });
  const whenStopping = stopping();
  const opened = undo.move();
  return {
    ...folder,
    ...shared(deps, node, secretStorage.keys),
    // No other process revokes rights.
    nodes: { ...node.shown(), isStale: () => false },
    bus,
    secretStorage,
    buckets,
    documents: notifyingDocuments(folder.documents, notify),
    history: () =>
      createCollectedHistory({
        journal: folder.history(),
        data: config.data,
        warn,
        isAwaited: async () => whenStopping() && (await node.others()).length > 0,
      }),
    processes: { socket: firstSocket(one.shared), isFirst: true, mirror },
    async begin() {
      await node.begin();
      // Processes that served while this one was away may have missed its last changes.
      const parts = Object.keys(folder.documents.data).map((part) => ['document', part] as const);
      await notify(...parts, ['secret', '*']);
    },
    close: () => opened.disposeAsync(),
  };
}

async function openOther(deps: StorageDeps, one: OneOfProcesses): Promise<Storage> {
  await using undo = new AsyncDisposableStack();
  const { config, log } = deps;
  const data = one.shared;
  const sql = undo.adopt(openWeftSql(data), (opened) => opened.close());
  const warn = (err: unknown, message: string): void => log.warn({ err }, message);
  const { bus, node, buckets } = await joinOthers(deps, one, sql, undo);
  const keys = { data, key: config.secretsKey, nextKey: config.secretsKeyNext };
  const secretStorage = openFollowedSecrets(keys, node);
  const documents = await openFollowedDocuments(join(data, 'db.json'), node);
  const flows = await openMirroredFlows({ sql, changes: node, now: node.now, warn });
  const opened = undo.move();
  return {
    ...shared(deps, node, secretStorage.keys),
    sql,
    database: undefined,
    bus,
    blobs: createDiskBlobs(join(data, 'files')),
    secretStorage,
    flows,
    documents,
    history: () => createOutbox(join(config.data, OUTBOX)),
    now: node.now,
    startTokens: undefined,
    peers: undefined,
    alone: async () => false,
    openDurable: () => noDurableRuns,
    places: undefined,
    buckets,
    processes: {
      socket: firstSocket(data),
      isFirst: false,
      isCurrent: (flow) => flows.isCurrent(flow),
    },
    // Only the first process knows, and deletes what belongs to no run.
    mayRunElsewhere: () => true,
    openScheduleOwner: () => ({ notice: () => undefined, close() {} }),
    begin: () => node.begin(),
    close: () => opened.disposeAsync(),
  };
}

/** The others seal with its key too, and only this process may make one. */
async function openSecretsWithKey({
  data,
  secretsKey,
  secretsKeyNext,
}: StorageDeps['config']): Promise<SecretStorage> {
  const secretStorage = openSecretStorage(data, secretsKey, secretsKeyNext);
  if (secretStorage.keys().length > 0) return secretStorage;
  secretStorage.key();
  // A key without secrets means that their file was lost.
  await secretStorage.write('none', undefined);
  return secretStorage;
}

/** The parts that every process offers to the others. */
function shared({ config, log }: StorageDeps, node: ClusterNode, secretsKeys: () => readonly Uint8Array[]) {
  const host = isWildcard(config.host) || config.host === 'localhost' ? '127.0.0.1' : config.host;
  return {
    nodes: node.shown(),
    servers: new Servers({ known: node, secretsKeys, log }),
    listening: (port: number, alone = port) =>
      node.announce(`http://${host.includes(':') ? `[${host}]` : host}:${alone}`),
    mayRunElsewhere: (startedAt: number) => startedAt > Date.now() - DAY_MS,
  };
}

async function joinOthers(
  { config: { role }, log }: StorageDeps,
  one: OneOfProcesses,
  sql: Sql,
  undo: AsyncDisposableStack,
): Promise<{ bus: Bus; node: ClusterNode; buckets: NonNullable<Storage['buckets']> }> {
  const warn = (err: unknown, message: string): void => log.warn({ err }, message);
  const bus = undo.adopt(
    createProcessBus((err) => log.error({ err }, 'a notice could not be taken')),
    (opened) => opened.close(),
  );
  const place = { number: one.number, of: one.of, server: process.ppid };
  const node = undo.adopt(
    new ClusterNode({ sql, bus, log, version, clock: SQLITE_CLOCK, role, process: place }),
    (opened) => opened.close(),
  );
  await node.open();
  const counts = { sql, now: node.now, warn };
  const buckets = undo.adopt(createSharedBuckets(counts), (opened) => opened.close());
  return { bus, node, buckets };
}

/**
 * The bus of the processes of one machine: their supervisor passes each notice on. `failed` gets what listeners throw. None is lost
 * while a process lives, and one that starts reads everything.
 */
function createProcessBus(failed: (error: unknown) => void): Bus {
  const local = createLocalBus(failed);
  const receive = (message: ToProcess): void => {
    if (message.kind === 'notice') local.receive(message.topic as Topic, message.name);
  };
  process.on('message', receive);
  return {
    ...local,
    publish(topic, name = '') {
      local.publish(topic, name);
      notifySupervisor({ kind: 'notice', topic, name });
    },
    close: async () => void process.off('message', receive),
  };
}

/** Whether the supervisor is stopping all processes. */
function stopping(): () => boolean {
  let isStopping = false;
  process.on('message', (message: ToProcess) => {
    if (message.kind === 'stopping') isStopping = true;
  });
  return () => isStopping;
}

/** Requests that would start or change a durable run are passed on; this process knows none. */
const noDurableRuns: DurableEngine = {
  begin: () => {},
  start: notHere,
  wake: notHere,
  cancel: async () => false,
  get: async () => undefined,
  list: async () => [],
  steps: async () => [],
  putText: notHere,
  getText: async () => undefined,
  dropTexts: async () => {},
  told: notHere,
  prune: async () => [],
  forget: async () => ({ gone: [], left: [] }),
  close: async () => {},
};
