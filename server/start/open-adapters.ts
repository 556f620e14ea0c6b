import { join } from 'node:path';
import {
  type FolderService,
  type Host,
  type OutputService,
  type RateService,
  type Services,
  rootOf,
  type StateService,
  WeftError,
} from '#engine';
import { createHost } from '../base/adapters/node-host.ts';
import { type CallStores, openCallStores } from '../execution/after-runs/open-calls.ts';
import { createRunLinks, type RunLinks } from '../execution/durable/run-links.ts';
import type { Conversations } from '../chat/service/conversations.ts';
import { createSqlConversations } from '../chat/service/sql-conversations.ts';
import type { Config } from '../base/config/config.ts';
import type { Connections } from '../integrations/connections/connections.ts';
import type { Context } from '../api/routes/context.ts';
import type { IdempotencyStore } from '../storage/idempotency/idempotency-store.ts';
import { createSqlIdempotency } from '../storage/idempotency/sql-idempotency.ts';
import { createLog } from '../base/log/log.ts';
import { type DataManifest, openManifest } from '../storage/database/manifest.ts';
import { version } from '../access/http/version.ts';
import type { DurableRuns } from '../execution/durable/durable-runs.ts';
import { createFiles, type Files, type FilesDeps } from '../storage/file-store/files.ts';
import { createFileService } from '../storage/file-store/file-service.ts';
import type { FolderDeps } from '../storage/file-store/folders.ts';
import { createDocuments } from '../integrations/documents/documents.ts';
import { stateWithFiles } from '../storage/file-store/held-values.ts';
import type { Outbound, OutboundOptions, ProviderHttp } from '../base/outbound/client.ts';
import { createOutbound } from '../base/outbound/outbound.ts';
import type { Sockets } from '../base/outbound/sockets.ts';
import type { OriginCounts } from '../base/outbound/places.ts';
import { createCode } from '../integrations/sandbox/create-code.ts';
import { RunMarks } from '../execution/runs/run-marks.ts';
import { createRedactor } from '../base/secrets/redactor.ts';
import { openSecrets } from '../base/secrets/store.ts';
import { createServerKey } from '../access/security/server-key.ts';
import { createSessionStore, type SessionStore } from '../access/security/session-store.ts';
import { createScheduleStore, type ScheduleStore } from '../execution/schedules/schedule-store.ts';
import { createSourceStore, type SourceStore } from '../execution/sources/source-store.ts';
import { createTracing, tracedHttp, type Tracing } from '../execution/telemetry/tracing.ts';
import type { ResultStore } from '../execution/evaluations/result-store.ts';
import { createUsageStore, type UsageStore } from '../execution/usage/usage-store.ts';
import { type AuditLog, createAuditLog } from '../access/security/audit-log.ts';
import { createSqlState } from '../execution/state/sql-state.ts';
import type { SecretStore } from '../base/secrets/store.ts';
import { openStorage } from './open-storage.ts';
import type { Storage } from './storage-port.ts';
import type { SharedBuckets } from '../base/rates/buckets.ts';
import type { Sql } from '../storage/database/sql.ts';
import { openSqlite } from '../storage/database/sqlite/open-sqlite.ts';
import { openWaits } from '../execution/waits/open-waits.ts';

/** The parts that connect the engine to the outside, and the services that operators get from them. */
export interface Adapters
  extends Pick<Context, 'redactor' | 'log' | 'secrets' | 'host' | 'waits' | 'waitLinks' | 'formKey'> {
  /** The caller closes it, after everything that stores data. */
  readonly manifest: DataManifest;
  /** The host with the clock that servers on one database share, for what they store: it must not be old to another one. */
  readonly sharedHost: Host;
  /** The services of `host`; those that need other parts are added later. */
  readonly services: { -readonly [K in keyof Omit<Services, 'http'>]: Services[K] } & {
    readonly http: ProviderHttp;
  };
  /** Closed with the adapters. */
  readonly storage: Storage;
  readonly conversations: Conversations;
  readonly state: StateService;
  /** The time up to which schedules were handled. */
  readonly scheduleStore: ScheduleStore;
  /** What sources delivered. */
  readonly sourceStore: SourceStore;
  /** What models used. */
  readonly usageStore: UsageStore;
  /** Loaded with the first evaluation. */
  readonly evaluationResults: () => Promise<ResultStore>;
  readonly idempotency: IdempotencyStore;
  readonly auditLog: AuditLog;
  readonly sessionStore: SessionStore;
  readonly links: RunLinks;
  readonly calls: CallStores;
  readonly files: Files;
  readonly marks: RunMarks;
  /** Undefined if traces are not sent. */
  readonly tracing: Tracing | undefined;
  /** Counts of the code sandbox; undefined if code is off. */
  readonly codeStats: Context['codeStats'];
  readonly outboundCounts: () => OriginCounts[];
  /** For drivers; behind the same guard as `services.http`. */
  readonly sockets: Sockets;
  /** Tells the guard of outbound requests the server's own port, and other servers that of this process alone, if it has one. */
  listening(port: number, alone?: number): Promise<void>;
  /** From now on operators may use these connections. */
  offer(connections: Connections): void;
  offerDurable(durable: Pick<DurableRuns, 'get'>): void;
  close(): Promise<void>;
}

/**
 * Opens the adapters; `overrides` replace parts. The data folder must exist. Throws a `StartError` if the secrets
 * cannot be decrypted.
 */
export async function openAdapters(config: Config, overrides: Partial<Context>): Promise<Adapters> {
  const redactor = overrides.redactor ?? createRedactor();
  const log = overrides.log ?? createLog(config, process.stdout, redactor);
  const manifest = openDataManifest(config, log);
  const storage = await openStorage({ config, log, redactor });
  const marks = new RunMarks((run, handles) => void files.give(handles, { kind: 'run', id: run }));
  const secrets =
    overrides.secrets ??
    openSecrets({ ...secretSettings(config, marks), redactor, now: Date.now, shelf: storage.shelf });
  let ownPort = config.port;
  const outbound = openOutbound(config, { ownPort: () => ownPort, services: () => services });
  const { connections, offer, http, tracing } = openHttp(config, log, outbound, () => services);
  const outputs = openOutputs(config, secrets, log);
  const rates = openRates(() => host.now(), storage.buckets);
  const documents = createDocuments();
  const services: Adapters['services'] = { http, secrets, rates, documents, outputs: outputs.service };
  const host = overrides.host ?? createHost(services);
  const sandbox = openCode(config, services, log);
  const around = { http, secrets, host: withClockOf(storage, host), log };
  const { files, ...values } = openValues(config, storage, { ...around, services, connections });
  const waiting = openWaits(
    { ...around, storage, config, redactor, hidden: marks.hidden, port: () => ownPort },
    overrides,
  );
  services.waits = waiting.service;
  const calls = openCallStores(storage, { ...around, role: config.role });
  return {
    redactor,
    log,
    manifest,
    secrets,
    host,
    sharedHost: around.host,
    services,
    storage,
    ...values,
    waits: waiting.waits,
    waitLinks: waiting.waitLinks,
    calls,
    files,
    marks,
    tracing,
    codeStats: sandbox && (() => sandbox.stats()),
    sockets: outbound,
    outboundCounts: () => outbound.counts(),
    ...rowStores(storage, { ...overrides, secrets, password: config.adminPassword, now: around.host.now }),
    listening: (port, alone) => storage.listening((ownPort = port), alone),
    offer,
    async close() {
      sandbox?.close();
      waiting.close();
      calls.deliveries.close();
      await tracing?.close();
      await outbound.close();
      await documents.close();
      await files.settled();
      await Promise.all([storage.close(), outputs.close()]);
    },
  };
}

function withClockOf({ now, servers }: Storage, host: Host): Host {
  return servers === undefined ? host : { ...host, now: () => host.now() - (Date.now() - now()) };
}

interface RowStoreDeps
  extends Partial<Pick<Adapters, 'auditLog' | 'links' | 'idempotency'>>,
    Pick<Adapters, 'secrets'> {
  /** The admin password. */
  readonly password: string | undefined;
  readonly now: () => number;
}

function rowStores(
  { sql, peers }: Storage,
  { auditLog, links, idempotency, secrets, password, now }: RowStoreDeps,
) {
  return {
    idempotency: idempotency ?? createSqlIdempotency(sql, now, secrets, { peers }),
    auditLog: auditLog ?? createAuditLog(sql, { now }),
    links: links ?? createRunLinks(createServerKey(sql, 'run-links')),
    formKey: createServerKey(sql, 'forms'),
    scheduleStore: createScheduleStore(sql),
    sourceStore: createSourceStore(sql, now),
    usageStore: createUsageStore(sql),
    evaluationResults: () =>
      import('../execution/evaluations/result-store.ts').then(({ createResultStore }) =>
        createResultStore(sql),
      ),
    sessionStore: createSessionStore(sql, { now, password }),
    conversations: createSqlConversations(sql, now),
  };
}

function openCode(config: Config, services: Adapters['services'], log: Context['log']) {
  const sandbox = createCode(config, { services, warn: (message) => log.warn(message) });
  if (sandbox) services.code = sandbox;
  return sandbox;
}

/** Outputs of nodes on disk; the file is opened when a run comes to the first one. */
function openOutputs({ data, cacheSize: maxBytes }: Config, sealer: SecretStore, log: Context['log']) {
  let opening: Promise<{ readonly service: OutputService; readonly sql: Sql }> | undefined;
  const opened = () =>
    (opening ??= import('../execution/state/kept-outputs.ts').then(
      ({ createKeptOutputs, outputMigrations }) => {
        const sql = openSqlite(join(data, 'outputs.db'), outputMigrations);
        const warn = (message: string): void => log.warn(message);
        return { sql, service: createKeptOutputs({ sql, sealer, now: Date.now, maxBytes, warn }) };
      },
    ));
  // A cache that cannot be opened fails no run.
  const service: OutputService = {
    get: (...about) =>
      opened().then(
        (store) => store.service.get(...about),
        () => undefined,
      ),
    set: (...about) =>
      opened().then(
        (store) => store.service.set(...about),
        () => false,
      ),
  };
  return { service, close: async () => (await opening?.catch(() => undefined))?.sql.close() };
}

/** The turns of rate gates; loaded when a run comes to the first one. */
function openRates(now: () => number, shared: SharedBuckets | undefined): RateService {
  let loading: Promise<RateService> | undefined;
  let opened: RateService | undefined;
  return {
    async take(turn) {
      loading ??= import('../base/rates/rate-service.ts').then(
        (made) => (opened = made.createRateService(now, shared)),
      );
      return (await loading).take(turn);
    },
    giveBack: (turn) => opened?.giveBack(turn),
  };
}

function openDataManifest({ data, secrets }: Config, log: Context['log']): DataManifest {
  const environment = Object.keys(secrets).length > 0;
  const manifest = openManifest(data, { weft: version, environment, now: Date.now });
  for (const { store, message } of manifest.losses) log.error({ store }, message);
  return manifest;
}

/** What runs store, and the services for it. */
function openValues(
  { folders }: Config,
  { sql, blobs }: Storage,
  {
    services,
    host,
    log,
    connections,
  }: Pick<Adapters, 'services' | 'host' | 'log'> & { connections(): Connections | undefined },
): Pick<Adapters, 'state' | 'files' | 'offerDurable'> {
  const warn = (err: unknown): void => log.error({ err }, 'who holds a file could not be stored');
  const linked: FilesDeps['linked'] = async (...of) =>
    (await import('../storage/file-store/folders.ts')).readLink(folders, ...of);
  const files = createFiles({ sql, blobs, now: host.now, warn, linked });
  services.files = createFileService(files, services.http);
  const connected: FolderDeps['connected'] = async (...asked) => connections()?.store(...asked);
  let durable: Pick<DurableRuns, 'get'> | undefined;
  const link: FolderDeps['link'] = async (place, by) => {
    const run = rootOf(by);
    // A durable run may go on much later, and on another server, whose folders are others.
    if (durable === undefined || (await durable.get(run)) !== undefined) return undefined;
    return (await files.link(place, { kind: 'run', id: run })).value;
  };
  services.folders = lazyFolders({ folders, files: services.files, connected, link });
  const state = createSqlState(sql, host.now);
  services.state = stateWithFiles(state, files);
  return { state, files, offerDurable: (given) => void (durable = given) };
}

/** `services` gives those that exist when a request is sent. */
function openOutbound(
  { outboundAllow: allow, outboundLimits: limits }: Config,
  { ownPort, services }: { ownPort(): number; services(): Adapters['services'] },
): Outbound {
  const openFile: OutboundOptions['openFile'] = async (...of) =>
    (await services().files?.open(...of))?.content;
  return createOutbound({ allow, limits, ownPort, openFile });
}

/** Connections are opened later than the services that use them. */
function createOffer(services: () => Adapters['services']) {
  let connections: Connections | undefined;
  return {
    connections: () => connections,
    offer(given: Connections) {
      connections = given;
      services().sql = given.sql;
      services().connections = given.actions;
    },
  };
}

/** The client for requests: they are traced, and those that name a connection are sent by it. */
function openHttp(
  config: Config,
  log: Context['log'],
  outbound: Outbound,
  services: () => Adapters['services'],
) {
  const tracing = openTracing(config, log);
  const traced = tracing === undefined ? outbound : tracedHttp(outbound, tracing);
  const { connections, offer } = createOffer(services);
  return { tracing, connections, offer, http: throughConnections(traced, connections) };
}

function throughConnections(http: ProviderHttp, connections: () => Connections | undefined): ProviderHttp {
  return {
    async send(request, by, signal, near) {
      if (request.connection === undefined) return http.send(request, by, signal, near);
      const opened = connections();
      if (opened !== undefined) return opened.send(request, by, signal);
      throw new WeftError('connection_missing', 'There are no connections without a server.');
    },
  };
}

/** Loaded with the first use. */
function lazyFolders(deps: FolderDeps): FolderService {
  let opened: Promise<FolderService> | undefined;
  const open = (): Promise<FolderService> =>
    (opened ??= import('../storage/file-store/folders.ts').then((file) => file.createFolders(deps)));
  return {
    read: async (...call) => (await open()).read(...call),
    write: async (...call) => (await open()).write(...call),
    list: async (...call) => (await open()).list(...call),
    remove: async (...call) => (await open()).remove(...call),
  };
}

function openTracing(config: Config, log: Context['log']): Tracing | undefined {
  const {
    otlpEndpoint: endpoint,
    otelServiceName: service,
    tracesSampler: sampler,
    tracesSamplerArg: ratio,
  } = config;
  return endpoint === undefined ? undefined : createTracing({ endpoint, service, sampler, ratio }, log);
}

function secretSettings(
  { data, secretsKey: key, secretsKeyNext: nextKey, secrets: environment, grants }: Config,
  { untrusted }: RunMarks,
) {
  return { data, key, nextKey, environment, grants, untrusted };
}
