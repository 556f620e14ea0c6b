import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { scanFlowFiles } from './flows/flow-files.ts';
import { openRowFlows } from './flows/row-flows.ts';
import { createRowBlobs } from './file-store/row-blobs.ts';
import { createRowHistory } from './history/row-history.ts';
import { version } from './http/version.ts';
import type { Storage, StorageDeps } from './open-storage.ts';
import type { ScheduleOwner, ScheduleOwnerDeps } from './schedules/schedule-owner.ts';
import { createStartTokens } from './security/start-tokens.ts';
import { readKey } from './secrets/master-key.ts';
import { StartError } from './errors/start-error.ts';
import { ClusterNode } from './storage/postgres/cluster-node.ts';
import { openPostgres } from './storage/postgres/open-postgres.ts';
import { openPostgresBus } from './storage/postgres/postgres-bus.ts';
import { openRowDocuments } from './storage/row-documents.ts';
import { openRowSecrets } from './storage/row-secrets.ts';
import { DEFAULT_PROJECT } from './storage/sql.ts';
import { weftMigrations } from './storage/weft-tables.ts';

const DAY_MS = 24 * 3_600_000;
/** How often a server asks for the sources, or renews that it has them, in milliseconds: a claim holds for ten seconds. */
const OWNER_MS = 3000;

/**
 * Opens a PostgreSQL database that several servers share, with its tables at the newest format. Throws a `StartError` that
 * begins with a code if it cannot be used, or belongs to servers with another secrets key.
 */
export async function openDatabase({ config, log, redactor }: StorageDeps, url: string): Promise<Storage> {
  const { databaseDirectUrl: direct = url, secretsKey, runsDays: days, schedules } = config;
  const key = secretsKey === undefined ? undefined : readKey(secretsKey);
  if (key === undefined) throw new StartError('WEFT_DATABASE_URL needs WEFT_SECRETS_KEY.');
  for (const { password } of [new URL(url), new URL(direct)])
    if (password !== '') redactor.add(decodeURIComponent(password));
  await using undo = new AsyncDisposableStack();
  const failed = (err: unknown): void => log.warn({ err }, 'a notice could not be sent or taken');
  // First, because it proves that both addresses lead to one database.
  const bus = undo.adopt(await openPostgresBus(direct, failed, { from: url }), (opened) => opened.close());
  const sql = undo.adopt(await openPostgres(url, weftMigrations, { direct }), (opened) => opened.close());
  const node = undo.adopt(new ClusterNode({ sql, bus, log, version, ...placeOf(config) }), (opened) =>
    opened.close(),
  );
  await node.open();
  const warn = (err: unknown, message: string): void => log.warn({ err }, message);
  const shelf = await openRowSecrets({ sql, changes: node, key });
  const documents = await openRowDocuments(sql, DEFAULT_PROJECT, node);
  const flows = await openRowFlows({ sql, changes: node, now: node.now, warn });
  tellWhatStays({ config, log });
  const opened = undo.move();
  return {
    sql,
    database: sql,
    bus,
    blobs: createRowBlobs(sql),
    shelf,
    flows,
    documents,
    history: () => createRowHistory(sql, { days, warn: (err) => warn(err, 'old runs could not be removed') }),
    now: node.now,
    nodes: {
      isStale: () => node.isStale,
      pending: () => node.lastPending(),
      list: () => node.list(),
      tellUnserved: (read) => node.tellUnserved(read),
      leave: () => node.leave(),
    },
    startTokens: createStartTokens({ key, sql, now: node.now }),
    peers: { self: node.id, isLive: (id) => node.isLive(id), bus },
    keepsDurable: false,
    // What is old and unknown has ended.
    mayRunElsewhere: (startedAt) => startedAt > Date.now() - DAY_MS,
    openScheduleOwner: (deps) => ownSources(node, deps, schedules !== 'off'),
    begin: () => node.begin(),
    close: () => opened.disposeAsync(),
  };
}

/** Nothing is kept somewhere else than people think. */
function tellWhatStays({ config, log }: Pick<StorageDeps, 'config' | 'log'>): void {
  const { flows: folders } = config;
  const data = config.process?.shared ?? config.data;
  const files = scanFlowFiles(folders).length;
  if (files > 0)
    log.warn(
      { folders, files },
      'flows are served from the database: the flow files of these folders are not read (docs/cluster.md)',
    );
  if (['db.json', 'weft.db'].some((name) => existsSync(join(data, name))))
    log.warn(
      { data },
      'this data folder was used without a database: its keys, flows, secrets and runs are not in the database (docs/cluster.md)',
    );
  log.info(
    'kept by this server alone, in WEFT_DATA: tests and evaluation sets of flows; durable runs are refused (docs/cluster.md)',
  );
}

/** Which of several processes on one port this is. */
function placeOf({ process: one }: StorageDeps['config']) {
  return one === undefined ? {} : { process: { number: one.number, of: one.of, server: process.ppid } };
}

/**
 * Every server starts schedules: whoever notes a time first starts it. Sources listen on the one server that has the claim.
 */
function ownSources(
  node: Pick<ClusterNode, 'take' | 'letGo'>,
  { beginSchedules, beginSources, endSources, host, log }: ScheduleOwnerDeps,
  mayStart: boolean,
): ScheduleOwner {
  let cancel: (() => void) | undefined;
  let isOwner = false;
  let closed = false;

  async function look(): Promise<void> {
    const had = isOwner;
    isOwner = await node.take('sources').catch(() => false);
    if (closed) return;
    if (isOwner && !had) beginSources();
    if (had && !isOwner) {
      log.warn('another server listens to the sources of flows from now on');
      await endSources();
    }
    cancel = host.timer(OWNER_MS, () => void look());
  }

  if (mayStart) {
    beginSchedules(false);
    void look();
  }
  return {
    notice: () => undefined,
    async close() {
      closed = true;
      cancel?.();
      if (isOwner) await node.letGo('sources').catch(() => {});
      isOwner = false;
    },
  };
}
