import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findSets } from '../execution/evaluations/set-files.ts';
import { scanFlowFiles } from '../flows/service/flow-files.ts';
import type { FlowStore } from '../flows/service/flow-store.ts';
import { createMutationQueue } from '../flows/service/mutation-queue.ts';
import { createReadOnlyFolders } from '../flows/service/read-only-folders.ts';
import { createRowVersions } from '../flows/service/row-versions.ts';
import { openRowFlows } from '../flows/service/row-flows.ts';
import { createRestateEngine } from '../execution/durable/restate/restate-engine.ts';
import { openRestate, serviceOf } from '../execution/durable/restate/restate-link.ts';
import { checkEngine } from '../execution/durable/restate/run-rows.ts';
import { createPostgresEngine } from '../execution/durable/postgres/postgres-engine.ts';
import { migrateWorkflows } from '../execution/durable/postgres/workflows.ts';
import { createRowBlobs } from '../storage/file-store/row-blobs.ts';
import { createRowHistory } from '../execution/history/row-history.ts';
import { version } from '../access/http/version.ts';
import type { Storage, StorageDeps } from './storage-port.ts';
import { openClaimedSources } from '../execution/schedules/claimed-sources.ts';
import { createStartTokens } from '../access/security/start-tokens.ts';
import { optionsOf } from '../base/outbound/outbound.ts';
import { keyMark } from '../base/secrets/former-keys.ts';
import { readKeys } from '../base/secrets/master-key.ts';
import { isLoopback } from '../base/config/hosts.ts';
import { readGitAddress } from '../base/config/git-address.ts';
import { internalAddress } from '../base/config/own-address.ts';
import { createSharedBuckets } from '../storage/database/shared-buckets.ts';
import { createSharedPlaces } from '../execution/runs/shared-places.ts';
import { Servers } from '../access/peers/servers.ts';
import { ClusterNode } from '../storage/database/postgres/cluster-node.ts';
import { openPostgres } from '../storage/database/postgres/open-postgres.ts';
import type { Topic } from '../storage/database/bus.ts';
import type { Doubt } from '../storage/database/postgres/notice-proof.ts';
import { openPostgresBus } from '../storage/database/postgres/postgres-bus.ts';
import { openRowDocuments } from '../storage/database/row-documents.ts';
import { openRowSecrets } from '../storage/database/row-secrets.ts';
import { DEFAULT_PROJECT, type Sql } from '../storage/database/sql.ts';
import { weftMigrations } from '../storage/database/weft-tables.ts';

const DAY_MS = 24 * 3_600_000;
/** How often the log may report new connections to the database, or doubted notices, in milliseconds. */
const WARN_AGAIN_MS = 60_000;

/**
 * Opens a PostgreSQL database that several servers share, with its tables at the newest format. Throws a `StartError` that
 * begins with a code if it cannot be used, or belongs to servers with another secrets key.
 */
export async function openDatabase({ config, log, redactor }: StorageDeps, url: string): Promise<Storage> {
  const { databaseDirectUrl: direct = url, runsDays: days, schedules, role } = config;
  const keys = readKeys(config);
  hidePasswords([url, direct], config, redactor);
  await using undo = new AsyncDisposableStack();
  const agreed = { keys: () => given(keys), now: Date.now };
  // First, because it proves that both addresses lead to one database.
  const bus = undo.adopt(await openBus({ url, direct, log }, agreed), (opened) => opened.close());
  const sql = undo.adopt(
    await openPostgres(url, weftMigrations, { direct, replaced: onReplaced(bus, log) }),
    (opened) => opened.close(),
  );
  await migrateWorkflows(direct);
  const node = undo.adopt(new ClusterNode({ sql, bus, log, version, ...placeOf(config) }), (opened) =>
    opened.close(),
  );
  await node.open();
  agreed.now = node.now;
  const alone = (job: string): Promise<boolean> => node.take(job);
  const warn = (err: unknown, message: string): void => log.warn({ err }, message);
  const damaged = (err: unknown, row: string): void => log.error({ err, row }, DAMAGED);
  const secretStorage = await openRowSecrets({ sql, changes: node, ...keys, damaged });
  // A server that another one may call at any moment.
  agreed.keys = () => [...secretStorage.keys(), ...given({ key: keys.nextKey })];
  const documents = await openRowDocuments(sql, DEFAULT_PROJECT, node, damaged);
  const flows = await openFlows(config, { sql, node, log, warn });
  warnWhatStays({ config, log });
  const { places, buckets } = openCounts(undo, { sql, bus, node: node.id, now: node.now, warn });
  const complain = (err: unknown): void => warn(err, UNMAINTAINED);
  const ours = { sql, url, direct, bus, node: node.id, now: node.now, alone, complain };
  const openDurable = await openDurableRuns(config, ours, undo);
  const servers = new Servers({ known: node, secretsKeys: secretStorage.keys, log });
  node.reportUnreachable(() => servers.unreached());
  const opened = undo.move();
  return {
    sql,
    database: sql,
    bus,
    blobs: createRowBlobs(sql),
    secretStorage,
    flows,
    documents,
    history: () => createRowHistory(sql, { days, warn: (err) => warn(err, 'old runs could not be removed') }),
    now: node.now,
    nodes: { ...node.shown(), doubtedNotices: () => bus.unproven },
    servers,
    places,
    processes: undefined,
    buckets,
    listening: (port, alone = port) => node.announce(internalAddress(config, alone)),
    startTokens: createStartTokens({ keys: secretStorage.keys, sql, now: node.now }),
    peers: { self: node.id, isLive: (id) => node.isLive(id), bus },
    alone,
    openDurable,
    // Everything old and unknown has ended.
    mayRunElsewhere: (startedAt) => startedAt > Date.now() - DAY_MS,
    openScheduleOwner: (deps) =>
      openClaimedSources({ ...deps, node, mayStart: schedules !== 'off' && role !== 'web' }),
    begin: () => node.begin(),
    close: () => opened.disposeAsync(),
  };
}

/** `agreed` is read with each notice, because more is known once the database is open. */
function openBus(
  { url, direct, log }: { readonly url: string; readonly direct: string; readonly log: StorageDeps['log'] },
  agreed: { readonly keys: () => readonly Uint8Array[]; readonly now: () => number },
) {
  const failed = (err: unknown): void => log.warn({ err }, 'a notice could not be sent or taken');
  const proof = { keys: () => agreed.keys(), now: () => agreed.now(), doubted: onDoubted(log) };
  return openPostgresBus(direct, failed, { ...proof, from: url });
}

type GivenKeys = { readonly [name in keyof ReturnType<typeof readKeys>]?: Buffer | undefined };

function given({ key, nextKey }: GivenKeys): Buffer[] {
  return [key, nextKey].filter((one) => one !== undefined);
}

/** Logged at most once in a while: notices come by the thousand. */
function onDoubted(log: StorageDeps['log']): (doubt: Doubt, topic: Topic) => void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (doubt, topic) => {
    if (performance.now() - warnedAt < WARN_AGAIN_MS) return;
    warnedAt = performance.now();
    log.warn({ doubt, topic }, DOUBTED);
  };
}

const DAMAGED = 'a row of the database cannot be read, and is not applied: restore it';
const UNMAINTAINED = 'the durable runs could not be maintained; trying again';
const DOUBTED =
  'a notice came through the database that no server with this secrets key is proven to have sent just now: it may come from a server of an earlier version, or from another user of the database (docs/cluster.md)';

/** Renews the bus when the connections to the database were replaced; logged at most once in a while. */
function onReplaced(bus: { renew(): void }, log: StorageDeps['log']): () => void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return () => {
    bus.renew();
    if (performance.now() - warnedAt < WARN_AGAIN_MS) return;
    warnedAt = performance.now();
    log.warn(
      'the database does not answer, or is read-only: it is connected again, since another one may be the primary',
    );
  };
}

function hidePasswords(
  urls: readonly string[],
  { flowsCredentials: credentials }: StorageDeps['config'],
  redactor: StorageDeps['redactor'],
): void {
  for (const { password } of urls.map((url) => new URL(url)))
    if (password !== '') redactor.add(decodeURIComponent(password));
  if (credentials === undefined) return;
  redactor.add(credentials.slice(credentials.indexOf(':') + 1));
  // In the form in which it is sent.
  redactor.add(Buffer.from(credentials).toString('base64'));
}

/** Flows are in the database; or they come from elsewhere, and the database has their drafts and versions. */
async function openFlows(
  config: StorageDeps['config'],
  { sql, node, log, warn }: FlowsDeps,
): Promise<FlowStore> {
  const { flowsFrom: name = 'database', flows: roots, data, flowsCredentials: credentials } = config;
  const { now } = node;
  if (name === 'folders') {
    const inTurn = createMutationQueue().run;
    const kept = { sql, changes: node, project: DEFAULT_PROJECT, keepsFiles: true, inTurn, warn };
    return createReadOnlyFolders({ roots, versions: createRowVersions(kept) });
  }
  const address = readGitAddress(name);
  const rows = await openRowFlows({ sql, changes: node, now, warn, keepsFiles: address !== undefined });
  if (address === undefined) return rows;
  const { createGitFlows } = await import('../flows/service/git/git-flows.ts');
  const alone = (job: string): Promise<boolean> => node.take(job);
  return createGitFlows({
    sql,
    rows,
    address,
    name,
    credentials,
    proxy: optionsOf(config).proxy,
    data,
    alone,
    everyMs: config.flowsPullMs,
    log,
  });
}

interface FlowsDeps {
  readonly sql: Sql;
  readonly node: ClusterNode;
  readonly log: StorageDeps['log'];
  readonly warn: (err: unknown, message: string) => void;
}

/** Durable runs are executed by Restate, or by the servers themselves. */
async function openDurableRuns(
  config: StorageDeps['config'],
  ours: Parameters<typeof createPostgresEngine>[0],
  undo: AsyncDisposableStack,
): Promise<Storage['openDurable']> {
  const { restateUrl, restateAdminUrl, restatePort: port, restateServiceUrl, role } = config;
  await checkEngine(ours.sql, restateUrl === undefined ? 'openworkflow' : 'restate');
  if (restateUrl === undefined || restateAdminUrl === undefined)
    return () => createPostgresEngine({ ...ours, executes: role !== 'web' });
  const serviceUrl = restateServiceUrl ?? `http://127.0.0.1:${port}`;
  const host = isLoopback(new URL(serviceUrl).hostname) ? '127.0.0.1' : undefined;
  const link = await openRestate({
    url: restateUrl,
    adminUrl: restateAdminUrl,
    executes: role === 'web' ? undefined : { serviceUrl, host, port, identityKey: config.restateIdentityKey },
    service: await serviceOf(ours.sql),
  });
  undo.defer(() => link.close());
  return () => createRestateEngine({ ...ours, link, executes: role !== 'web' });
}

/** The role of this server, and its place among several processes on one port. */
function placeOf(config: StorageDeps['config']) {
  const { process: one, role } = config;
  const place = one && { process: { number: one.number, of: one.of, server: process.ppid } };
  const { key, nextKey } = readKeys(config);
  const keys = [key, ...(nextKey === undefined ? [] : [nextKey])].map(keyMark);
  return { role, keys, ...place };
}

/** Warns about data that are kept in another place than people may expect. */
function warnWhatStays({ config, log }: Pick<StorageDeps, 'config' | 'log'>): void {
  const { flows: folders } = config;
  const data = config.process?.shared ?? config.data;
  const files = config.flowsFrom === 'folders' ? 0 : scanFlowFiles(folders).length;
  if (files > 0)
    log.warn(
      { folders, files },
      'flows are served from the database: the flow files of these folders are not read (docs/cluster.md)',
    );
  const sets = findSets(folders).size;
  if (sets > 0)
    log.warn({ folders, sets }, 'evaluation sets are in the database: those of these folders are not read');
  if (['db.json', 'weft.db'].some((name) => existsSync(join(data, name))))
    log.warn(
      { data },
      'this data folder was used without a database: its keys, flows, secrets and runs are not in the database (docs/cluster.md)',
    );
}

/** Counts that servers share; closed with `undo`. */
function openCounts(undo: AsyncDisposableStack, shared: Parameters<typeof createSharedPlaces>[0]) {
  return {
    places: undo.adopt(createSharedPlaces(shared), (opened) => opened.close()),
    buckets: undo.adopt(createSharedBuckets(shared), (opened) => opened.close()),
  };
}
