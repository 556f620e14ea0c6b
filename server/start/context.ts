import { compiling, type DataService } from '#engine';
import type { Db } from '../base/adapters/db.ts';
import { linearRegex } from '../base/adapters/regex.ts';
import { createApps } from '../chat/apps/apps.ts';
import { openAppPages, openDbApps } from '../chat/apps/db-apps.ts';
import { type Connections, openConnections } from '../integrations/connections/connections.ts';
import { loadCodeFlows, type LoadedCode, withInline } from '../flows/service/code-flows.ts';
import type { Config } from '../base/config/config.ts';
import type { Context } from '../api/routes/context.ts';
import type { Durable } from '../execution/durable/create-durable-runs.ts';
import { scanCodeFiles } from '../flows/service/flow-files.ts';
import { createFlowService, type FlowServiceDeps } from '../flows/service/flow-service.ts';
import type { FlowStore } from '../flows/service/flow-store.ts';
import { createVariableStore } from '../flows/service/variable-store.ts';
import { readOperators } from '../base/authored/load-operators.ts';
import { openAdapters, type Adapters } from './open-adapters.ts';
import { openAgents } from './open-agents.ts';
import { createModels, type ModelsDeps } from '../integrations/models/models.ts';
import { createModelSettings } from '../integrations/models/model-settings.ts';
import { createKnowledge, type Knowledge } from '../integrations/knowledge/knowledge.ts';
import { createProviderStore } from '../integrations/models/provider-store.ts';
import { createPins } from '../execution/starts/partial/pins.ts';
import { createSubFlows, type SubFlows } from '../execution/starts/sub-flows.ts';
import { builtEditor } from '../base/files/built-editor.ts';
import { Scheduler } from '../execution/schedules/scheduler.ts';
import type { ScheduleOwner } from '../execution/schedules/schedule-owner.ts';
import { Sources } from '../execution/sources/sources.ts';
import { auditLocal } from '../access/security/audit.ts';
import { openAccess } from '../access/security/open-access.ts';
import { createTriggerTable, watchedTable } from '../api/triggers/table.ts';
import { createModelUsage, type ModelUsage } from '../execution/usage/usage.ts';
import type { ErrorFlow } from '../execution/after-runs/error-flow.ts';
import { type CallStores, followRuns } from '../execution/after-runs/open-calls.ts';
import { conversationsWithFiles } from '../chat/service/conversations.ts';
import { startSweeping } from '../execution/after-runs/sweep-files.ts';
import { createUploads } from '../storage/file-store/held-values.ts';
import { openDurable } from '../execution/durable/open-durable.ts';
import type { RunHistory } from '../execution/history/history.ts';
import { createLocalBus } from '../storage/database/bus.ts';
import { createRunHub, type RunHubDeps } from '../execution/runs/run-hub.ts';
import { RunLimits } from '../execution/runs/run-limits.ts';

/** A context that owns its parts and closes them. */
export interface OwnedContext extends Context {
  /** The API key that was created because there was none; it is stored nowhere else. */
  readonly firstKey: string | undefined;
  readonly durable: Durable;
  /** Other servers count on this one from now on; to be called before it listens. */
  begin(): Promise<void>;
  /** Starts nothing by itself any more, so that other servers may; resolves when they know. */
  rest(): Promise<void>;
  /** Tells the guard of outbound requests the server's own port, and other servers that of this process `alone`, if it has one. */
  listening(port: number, alone?: number): Promise<void>;
  /** Releases what the parts hold: watched files, timers. Parts that were passed in stay open. */
  close(): Promise<void>;
}

/** Builds all parts of the server, each once, from its settings; `overrides` replace parts. The data folder must exist. */
export async function createContext(config: Config, overrides: Partial<Context> = {}): Promise<OwnedContext> {
  const outside = await openAdapters(config, overrides);
  const { log, host, sharedHost } = outside;
  const { documents: db } = outside.storage;
  const connections = offerConnections(config, db, outside, overrides);
  const { apps, pages } = await openApps(db, outside, overrides);
  const { close: closeAccess, ...opened } = await openAccess(config, db, outside, overrides);
  const [{ registry: operators, packages }, codeFlows] = await Promise.all([
    overrides.registry ? { registry: overrides.registry, packages: [] } : readOperators(config, log),
    overrides.flows ? [] : readCodeFlows(config, log),
  ]);
  const registry = withInline(operators, codeFlows);
  const variables = overrides.variables ?? createVariableStore(db);
  const triggers = overrides.triggers ?? createTriggerTable(host.defer);
  const { watched, ...starters } = openStarters(triggers, registry.catalog, outside);
  const flows =
    overrides.flows ??
    (await openFlows(config, outside, { registry, triggers: watched, variables, codeFlows, connections }));
  const known = { flows, registry, variables };
  const { context: running, history } = openRuns(config, outside, { ...known, runs: overrides.runs });
  const { runs, durable, subFlows } = running;
  const scheduleOwner = beginSchedules(starters, config, outside, { ...running, ...known });
  const modelUsage = createModelUsage({ store: outside.usageStore, runs, now: sharedHost.now, log });
  const modelParts = openModels(config, db, outside, { ...overrides, modelUsage, runs, registry });
  const asked = { apps, models: modelParts.models, flows, runs, subFlows };
  const { budgets, closeAccounts } = openAgents(db, outside, overrides, asked);
  // Every owner has read its part by now.
  await db.upgrade();
  const ofRuns = { runs, durable, history, config, host: sharedHost };
  const stopSweeping = startSweeping({ ...outside, ...outside.storage, ...ofRuns });
  const stores = { flows, ownsFlows: overrides.flows === undefined, closeAccess, history, connections };
  const begun = { ...starters, scheduleOwner, durable, stopSweeping, closeAccounts };
  const parts = { ...modelParts, ...begun, ...stores, outside };
  return {
    config,
    editorFiles: overrides.editorFiles ?? builtEditor,
    registry,
    catalog: registry.catalog,
    packages,
    flows,
    variables,
    triggers,
    ...running,
    ...shownOf(config, outside),
    begin: outside.storage.begin,
    ...starters,
    schedulesElsewhere: scheduleOwner.notice,
    pins: overrides.pins ?? createPins(outside.state),
    apps,
    pages,
    ...opened,
    ...modelParts,
    connections,
    budgets,
    usage: overrides.usage ?? outside.usageStore,
    modelUsage,
    conversations: overrides.conversations ?? conversationsWithFiles(outside.conversations, outside.files),
    rest: () => rest(parts),
    close: () => closeInOrder(parts),
  };
}

async function openApps(
  db: Db,
  { host }: Adapters,
  overrides: Partial<Context>,
): Promise<Pick<Context, 'apps' | 'pages'>> {
  return {
    apps: overrides.apps ?? createApps(await openDbApps(db), host),
    pages: overrides.pages ?? (await openAppPages(db)),
  };
}

/** Opens the connections, and offers them to operators. */
function offerConnections(
  { folders }: Config,
  db: Db,
  outside: Adapters,
  overrides: Partial<Context>,
): Connections {
  const { secrets: sealer, redactor, sockets, marks, sharedHost, services, storage } = outside;
  const parts = { db, sealer, redactor, sockets, folders, http: services.http };
  const deps = { ...parts, untrusted: marks.untrusted, now: sharedHost.now, buckets: storage.buckets };
  const connections = overrides.connections ?? openConnections(deps);
  outside.offer(connections);
  services.data = lazyQuestions(connections);
  return connections;
}

/** Questions about databases; loaded with the first one. */
function lazyQuestions(connections: Connections): DataService {
  let opened: Promise<DataService> | undefined;
  const open = (): Promise<DataService> =>
    (opened ??= import('../integrations/questions/data-questions.ts').then((made) =>
      made.createDataQuestions({ connections }),
    ));
  return {
    scheme: async (...asked) => (await open()).scheme(...asked),
    read: async (...asked) => (await open()).read(...asked),
  };
}

/** What a context owns, and so closes. */
interface Owned extends Pick<Context, 'flows' | 'connections' | 'knowledge'> {
  readonly scheduleOwner: ScheduleOwner;
  readonly schedules: Scheduler;
  readonly sources: Sources;
  readonly durable: Durable;
  /** False if the flows were passed in. */
  readonly ownsFlows: boolean;
  readonly closeAccess: () => Promise<void>;
  readonly closeAccounts: () => Promise<void>;
  readonly stopSweeping: () => Promise<void>;
  readonly history: RunHistory;
  readonly outside: Adapters;
}

async function rest({ schedules, sources, scheduleOwner }: Owned): Promise<void> {
  await Promise.all([schedules.close(), sources.close()]);
  await scheduleOwner.close();
}

/** Whoever writes is closed before what it writes to. */
async function closeInOrder(owned: Owned): Promise<void> {
  await rest(owned);
  await owned.stopSweeping();
  await owned.durable.close(0);
  if (owned.ownsFlows) await owned.flows.close();
  await owned.closeAccess();
  await owned.closeAccounts();
  await owned.history.close();
  owned.connections.close();
  await owned.knowledge.close();
  await owned.outside.close();
  owned.outside.manifest.close();
}

/** What starts flows by itself, and the table of triggers that tells it which flows are live. */
function openStarters(
  triggers: Context['triggers'],
  catalog: Context['catalog'],
  { host, sharedHost, log, storage, ...outside }: Adapters,
) {
  const { places, nodes } = storage;
  nodes.tellUnserved(() => triggers.aside());
  const schedules = new Scheduler({ store: outside.scheduleStore, host: sharedHost, log, places });
  const sources = new Sources({ ...outside, catalog, host, log, store: outside.sourceStore });
  const watched = watchedTable(triggers, (id) => {
    schedules.flowChanged(id);
    sources.flowChanged(id);
  });
  return { schedules, sources, watched };
}

/** Starts flows on their schedules and by their sources, unless another server does. */
function beginSchedules(
  { schedules, sources }: { readonly schedules: Scheduler; readonly sources: Sources },
  config: Config,
  { manifest, host, log, storage }: Adapters,
  {
    flows,
    runs,
    durable,
    subFlows,
    variables,
  }: Pick<Context, 'flows' | 'runs' | 'variables'> & Pick<RunDeps['context'], 'durable' | 'subFlows'>,
): ScheduleOwner {
  const live = flows.live.bind(flows);
  const starting = { live, runs, durable, hold: subFlows.hold.bind(subFlows) };
  const beginSchedules = (fromNow: boolean): void => schedules.begin(starting, { fromNow });
  const beginSources = (): void =>
    sources.begin({ live, runs, durable, subFlows, variables: () => variables.snapshot() });
  const endSources = (): Promise<void> => sources.end();
  const begun = { beginSchedules, beginSources, endSources };
  return storage.openScheduleOwner({ config, data: manifest.folder, host, log, ...begun });
}

/** The adapters that the context uses unchanged. */
function shownOf({ guestFiles: guestBytes }: Config, outside: Adapters) {
  return {
    losses: outside.manifest.losses,
    nodes: outside.storage.nodes,
    servers: outside.storage.servers,
    processes: outside.storage.processes,
    buckets: outside.storage.buckets,
    redactor: outside.redactor,
    log: outside.log,
    host: outside.host,
    secrets: outside.secrets,
    idempotency: outside.idempotency,
    auditLog: outside.auditLog,
    files: outside.files,
    uploads: createUploads(outside.files, outside.sharedHost.now, { guestBytes }),
    links: outside.links,
    waits: outside.waits,
    evaluationResults: outside.evaluationResults,
    database: outside.storage.database,
    waitLinks: outside.waitLinks,
    formKey: outside.formKey,
    codeStats: outside.codeStats,
    outboundCounts: outside.outboundCounts,
    listening: outside.listening,
    providerHttp: outside.services.http,
  };
}

async function openFlows(
  config: Config,
  { log, host, storage, secrets, auditLog }: Adapters,
  {
    connections,
    ...parts
  }: Pick<FlowServiceDeps, 'registry' | 'triggers' | 'variables' | 'codeFlows'> &
    Pick<Context, 'connections'>,
): Promise<Context['flows']> {
  const tools = { regex: linearRegex };
  const onOutside: FlowServiceDeps['onOutside'] = ({ live, gone }) => {
    const noted = { log, auditLog };
    for (const { id } of live) auditLocal(noted, 'file', 'flow changed', { flow: id });
    for (const flow of gone) auditLocal(noted, 'file', 'flow removed', { flow });
  };
  const known = {
    secrets: () => secrets.list(),
    connections: () => connections.list(),
    described: ({ connection, ...asked }) => connections.described(connection, asked),
    onOutside,
  } satisfies Partial<FlowServiceDeps>;
  // Each server hears of flows by their store, so these notices are for this one only.
  const bus = createLocalBus((err) => log.error({ err }, 'a notice could not be taken'));
  const { flows: store } = storage;
  const { processes } = storage;
  const mirror = processes?.isFirst === true ? processes.mirror : undefined;
  const around = mirror && ((of: FlowStore): FlowStore => mirror.around(of));
  const own = { config, log, host, bus, store, around, compiling, tools };
  const flows = await createFlowService({ ...parts, ...own, ...known });
  storage.nodes.tellFlows(() => flows.source());
  await mirror?.follow(flows);
  const recheck = (what: Parameters<typeof flows.worldChanged>[0]) => (): void => {
    flows.worldChanged(what).catch((err: unknown) => log.error({ err }, 'Flows could not be checked again.'));
  };
  connections.watchDescribed(recheck('connections'));
  storage.documents.onOthers('variables', recheck('variables'));
  storage.shelf?.onOthers(recheck('secrets'));
  return flows;
}

/** Offers knowledge spaces to operators, and goes on with documents that were not finished. */
function openKnowledge(
  { data, process: one }: Config,
  { services, storage, log }: Adapters,
  { models, ...parts }: Pick<Context, 'models' | 'runs' | 'registry'>,
): Knowledge {
  const isOwn = ({ default: first, use, provider }: ReturnType<typeof models.list>[number]): boolean =>
    first && use === 'embedding' && provider !== 'demo';
  const loading = { ...parts, tools: { regex: linearRegex } };
  const knowledge = createKnowledge({
    data: one?.shared ?? data,
    isShared: one !== undefined,
    database: storage.database,
    services: () => services,
    // The demo's vectors only compare words, which the search does better without them.
    defaultModel: () => models.list().find(isOwn)?.id,
    warn: (err, document) => log.error({ err, document }, 'a document of a knowledge space was left'),
    record: async () => (await import('../execution/starts/load-runs.ts')).createLoadRuns(loading),
  });
  services.knowledge = knowledge.service;
  knowledge.resume();
  return knowledge;
}

type Asked = Parameters<NonNullable<ModelsDeps['readFiles']>>;
type Used = { readonly modelUsage: ModelUsage };

/** The providers of models, the requests to them, and the knowledge that they embed. */
function openModels(
  config: Config,
  db: Db,
  outside: Adapters,
  { modelUsage, ...overrides }: Partial<Context> & Pick<Context, 'runs' | 'registry'> & Used,
): Pick<Context, 'providers' | 'models' | 'modelSettings' | 'knowledge'> {
  const providers = overrides.providers ?? createProviderStore(db, config.providers);
  const modelSettings = overrides.modelSettings ?? createModelSettings(db);
  const parts = {
    providers,
    preferred: config.model,
    aliases: config.modelAliases,
    settings: modelSettings,
    http: outside.services.http,
    secrets: outside.secrets,
    onSpent: modelUsage.took,
    readFiles: async (...asked: Asked) =>
      (await import('../chat/service/model-files.ts')).readFiles(outside.services, ...asked),
  };
  const models = overrides.models ?? createModels(parts);
  return {
    providers,
    models,
    modelSettings,
    knowledge: openKnowledge(config, outside, { ...overrides, models }),
  };
}

/** Loads the flows written in code; a broken one is listed with its problem. */
async function readCodeFlows(config: Config, log: Context['log']): Promise<LoadedCode[]> {
  if (!config.codeFlows) return [];
  const loaded = await loadCodeFlows(scanCodeFiles(config.flows));
  for (const { file, problem } of loaded)
    if (problem) log.warn({ file: file.shown, problem }, 'a flow written in code cannot go live');
  return loaded;
}

/** The parts that start, store and follow runs. */
interface RunDeps {
  readonly context: {
    readonly runs: Context['runs'];
    readonly durable: Durable;
    readonly limits: RunLimits;
    readonly subFlows: SubFlows;
    readonly calls: CallStores & { readonly errorFlow: ErrorFlow };
  };
  readonly history: RunHistory;
}

/** Opens these parts; `runs` replaces the hub. */
function openRuns(
  config: Config,
  outside: Adapters,
  parts: Pick<Context, 'flows' | 'registry' | 'variables'> & { readonly runs: Context['runs'] | undefined },
): RunDeps {
  const { host, sharedHost, log, redactor } = outside;
  const { flows, registry } = parts;
  const history = outside.storage.history();
  const limits = new RunLimits(outside.storage.places);
  const variables = () => parts.variables.snapshot();
  const onFailed: RunHubDeps['onFailed'] = (...failed) => followed.afterRuns.failed(...failed);
  const runs = parts.runs ?? createHub(config, outside, { variables, history, limits, onFailed });
  const live = flows.live.bind(flows);
  const subFlows = createSubFlows({ live, runs, untrusted: outside.marks.untrusted });
  outside.services.flows = subFlows;
  const durable = openDurable({
    ...outside,
    host: sharedHost,
    ahead: () => host.now() - sharedHost.now(),
    data: config.data,
    openShared: outside.storage.openDurable,
    sync: config.durableSync,
    live,
    runs,
    limits,
    registry,
    variables,
  });
  const followed = followRuns({ ...outside.calls, live, runs, durable, redactor, host, log });
  const calls = { ...outside.calls, errorFlow: followed.errorFlow };
  outside.offerDurable(durable);
  return { context: { runs, durable, limits, subFlows, calls }, history };
}

function createHub(
  { maxRuns }: Config,
  { host, log, redactor, tracing, marks, storage }: Adapters,
  more: Pick<RunHubDeps, 'variables' | 'history' | 'limits' | 'onFailed'>,
): Context['runs'] {
  return createRunHub({ host, log, redactor, maxRuns, tracing, marks, tag: storage.servers?.tag, ...more });
}
