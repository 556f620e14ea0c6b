import { join } from 'node:path';
import { compiling } from '#engine';
import { type Db, openDb } from './adapters/db.ts';
import { linearRegex } from './adapters/regex.ts';
import { createAccounts } from './agents/accounts.ts';
import { createAgents } from './agents/agents.ts';
import { createBudgetStore } from './agents/budget-store.ts';
import { meteredModels } from './agents/metered-models.ts';
import { createApps } from './apps/apps.ts';
import { openDbApps } from './apps/db-apps.ts';
import { loadCodeFlows, type LoadedCode, withInline } from './flows/code-flows.ts';
import type { Config } from './config/config.ts';
import type { Context } from './routes/context.ts';
import type { Durable } from './durable/create-durable-runs.ts';
import { scanCodeFiles } from './flows/flow-files.ts';
import { createFlowService, type FlowServiceDeps } from './flows/flow-service.ts';
import { createVariableStore } from './flows/variable-store.ts';
import { loadOperators } from './authored/load-operators.ts';
import { openAdapters, type Adapters } from './open-adapters.ts';
import { createModels } from './models/models.ts';
import { createModelSettings } from './models/model-settings.ts';
import { createProviderStore } from './models/provider-store.ts';
import { createPins } from './starts/partial/pins.ts';
import { createSubFlows, type SubFlows } from './starts/sub-flows.ts';
import { builtEditor } from './files/built-editor.ts';
import { rootRequest } from './runs/root-request.ts';
import { Scheduler } from './schedules/scheduler.ts';
import { openScheduleOwner, type ScheduleOwner } from './schedules/schedule-owner.ts';
import { watchedTable } from './schedules/watched-table.ts';
import { auditLocal } from './security/audit.ts';
import { openAccess } from './security/open-access.ts';
import { createTriggerTable } from './triggers/table.ts';
import { createModelUsage, type ModelUsage } from './usage/usage.ts';
import type { ErrorFlow } from './after-runs/error-flow.ts';
import { type CallStores, followRuns } from './after-runs/open-calls.ts';
import { openDurable } from './durable/open-durable.ts';
import type { RunHistory } from './history/history.ts';
import { createJournal } from './history/journal/journal.ts';
import { createRunHub, type RunHubDeps } from './runs/run-hub.ts';
import { RunLimits } from './runs/run-limits.ts';

/** A context that owns its parts and closes them. */
export interface OwnedContext extends Context {
  /** The API key that was created because there was none; it is stored nowhere else. */
  readonly firstKey: string | undefined;
  readonly durable: Durable;
  /** Tells the guard of outbound requests the server's own port. */
  listening(port: number): void;
  /** Releases what the parts hold: watched files, timers. Parts that were passed in stay open. */
  close(): Promise<void>;
}

/** Builds all parts of the server, each once, from its settings; `overrides` replace parts. The data folder must exist. */
export async function createContext(config: Config, overrides: Partial<Context> = {}): Promise<OwnedContext> {
  const outside = openAdapters(config, overrides);
  const { log, host } = outside;
  const db = await openDb(join(config.data, 'db.json'));
  const apps = overrides.apps ?? createApps(await openDbApps(db), host);
  const { close: closeAccess, ...opened } = await openAccess(config, db, outside, overrides);
  const [operators, codeFlows] = await Promise.all([
    overrides.registry ?? readOperators(config, log),
    overrides.flows ? [] : readCodeFlows(config, log),
  ]);
  const registry = withInline(operators, codeFlows);
  const variables = overrides.variables ?? createVariableStore(db);
  const triggers = overrides.triggers ?? createTriggerTable(host.defer);
  const schedules = new Scheduler({ store: outside.scheduleStore, host, log });
  const watched = watchedTable(triggers, (id) => schedules.flowChanged(id));
  const flows =
    overrides.flows ??
    (await openFlows(config, outside, { registry, triggers: watched, variables, codeFlows }));
  const { context: running, history } = openRuns(config, outside, {
    flows,
    registry,
    variables,
    runs: overrides.runs,
  });
  const { runs, durable, subFlows } = running;
  const scheduleOwner = beginSchedules(schedules, config, outside, { ...running, flows });
  const modelUsage = createModelUsage({ store: outside.usageStore, runs, now: host.now, log });
  const modelParts = openModels(config, db, outside, { ...overrides, modelUsage });
  const asked = { apps, models: modelParts.models, flows, runs, subFlows };
  const budgets = openAgents(db, outside, overrides, asked);
  // Every owner has read its part by now.
  await db.upgrade();
  const own = { flows, ownsFlows: overrides.flows === undefined };
  const parts = { scheduleOwner, schedules, durable, ...own, closeAccess, history, outside };
  const close = () => closeInOrder(parts);
  return {
    config,
    editorFiles: overrides.editorFiles ?? builtEditor,
    registry,
    catalog: registry.catalog,
    flows,
    variables,
    triggers,
    ...running,
    ...shownOf(outside),
    schedules,
    schedulesElsewhere: scheduleOwner.notice,
    pins: overrides.pins ?? createPins(outside.state),
    apps,
    ...opened,
    ...modelParts,
    budgets,
    usage: overrides.usage ?? outside.usageStore,
    modelUsage,
    conversations: overrides.conversations ?? outside.conversations,
    close,
  };
}

/** Whoever writes is closed before what it writes to. */
async function closeInOrder(parts: {
  readonly scheduleOwner: ScheduleOwner;
  readonly schedules: Scheduler;
  readonly durable: Durable;
  readonly flows: Context['flows'];
  /** False if they were passed in. */
  readonly ownsFlows: boolean;
  readonly closeAccess: () => Promise<void>;
  readonly history: RunHistory;
  readonly outside: Adapters;
}): Promise<void> {
  parts.scheduleOwner.close();
  await parts.schedules.close();
  await parts.durable.close(0);
  if (parts.ownsFlows) await parts.flows.close();
  await parts.closeAccess();
  await parts.history.close();
  await parts.outside.close();
  parts.outside.manifest.close();
}

/** Starts flows on their schedules, unless another server does. */
function beginSchedules(
  schedules: Scheduler,
  config: Config,
  { manifest, host, log }: Adapters,
  {
    flows,
    runs,
    durable,
    subFlows,
  }: Pick<Context, 'flows' | 'runs'> & Pick<RunDeps['context'], 'durable' | 'subFlows'>,
): ScheduleOwner {
  const starting = { live: flows.live.bind(flows), runs, durable, hold: subFlows.hold.bind(subFlows) };
  const begin = (fromNow: boolean): void => schedules.begin(starting, { fromNow });
  return openScheduleOwner({ config, data: manifest.folder, host, log, begin });
}

/** The adapters that the context uses unchanged. */
function shownOf(outside: Adapters) {
  return {
    losses: outside.manifest.losses,
    redactor: outside.redactor,
    log: outside.log,
    host: outside.host,
    secrets: outside.secrets,
    idempotency: outside.idempotency,
    auditLog: outside.auditLog,
    links: outside.links,
    waits: outside.waits,
    waitLinks: outside.waitLinks,
    codeStats: outside.codeStats,
    outboundCounts: outside.outboundCounts,
    listening: outside.listening,
    providerHttp: outside.services.http,
  };
}

function openFlows(
  config: Config,
  { log, host, secrets, auditLog }: Adapters,
  parts: Pick<FlowServiceDeps, 'registry' | 'triggers' | 'variables' | 'codeFlows'>,
): Promise<Context['flows']> {
  const tools = { regex: linearRegex };
  const onOutside: FlowServiceDeps['onOutside'] = ({ live, gone }) => {
    const noted = { log, auditLog };
    for (const { id } of live) auditLocal(noted, 'file', 'flow changed', { flow: id });
    for (const flow of gone) auditLocal(noted, 'file', 'flow removed', { flow });
  };
  const known = { secrets: () => secrets.list(), onOutside };
  return createFlowService({ ...parts, config, log, host, compiling, tools, ...known });
}

/** Offers agents, and models within their budgets, to operators; returns the budgets. */
function openAgents(
  db: Db,
  { services, state, secrets, host, log }: Adapters,
  overrides: Partial<Context>,
  {
    flows,
    runs,
    subFlows,
    ...asked
  }: Pick<Context, 'apps' | 'models' | 'flows' | 'runs'> & { readonly subFlows: SubFlows },
): Context['budgets'] {
  const budgets = overrides.budgets ?? createBudgetStore(db);
  const warn = (message: string): void => log.warn(message);
  const accounts = createAccounts({ budgets: budgets.get, state, now: host.now, warn });
  const live = flows.live.bind(flows);
  const { http } = services;
  const keyOf = (run: string): string | undefined => rootRequest(runs, run)?.apiKey;
  services.agents = createAgents({ ...asked, accounts, keyOf, live, flows: subFlows, http, secrets, host });
  services.models = meteredModels({ models: asked.models, accounts, budgets: budgets.get, runs, host });
  return budgets;
}

/** The providers of models, and the requests to them. */
function openModels(
  config: Config,
  db: Db,
  { services, secrets }: Adapters,
  { modelUsage, ...overrides }: Partial<Context> & { readonly modelUsage: ModelUsage },
): Pick<Context, 'providers' | 'models' | 'modelSettings'> {
  const providers = overrides.providers ?? createProviderStore(db, config.providers);
  const modelSettings = overrides.modelSettings ?? createModelSettings(db);
  const parts = {
    providers,
    preferred: config.model,
    aliases: config.modelAliases,
    settings: modelSettings,
    http: services.http,
    secrets,
    onSpent: modelUsage.took,
  };
  const models = overrides.models ?? createModels(parts);
  return { providers, models, modelSettings };
}

/** Loads the flows written in code; a broken one is listed with its problem. */
async function readCodeFlows(config: Config, log: Context['log']): Promise<LoadedCode[]> {
  if (!config.codeFlows) return [];
  const loaded = await loadCodeFlows(scanCodeFiles(config.flows));
  for (const { file, problem } of loaded)
    if (problem) log.warn({ file: file.shown, problem }, 'a flow written in code cannot go live');
  return loaded;
}

/** Loads the built-in operators and the user's own; a broken file affects only its own operator. */
async function readOperators(config: Config, log: Context['log']): Promise<Context['registry']> {
  const { registry, problems } = await loadOperators({ builtIn: true, folder: config.operators });
  for (const { file, message } of problems) log.warn({ file, problem: message }, 'an operator was skipped');
  return registry;
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
  const { host, log, redactor } = outside;
  const { flows, registry } = parts;
  const history = openHistory(config, log);
  const limits = new RunLimits();
  const variables = () => parts.variables.snapshot();
  const onFailed: RunHubDeps['onFailed'] = (...failed) => followed.afterRuns.failed(...failed);
  const runs = parts.runs ?? createHub(config, outside, { variables, history, limits, onFailed });
  const live = flows.live.bind(flows);
  const subFlows = createSubFlows({ live, runs, untrusted: outside.marks.untrusted });
  outside.services.flows = subFlows;
  const durable = openDurable({
    ...outside,
    data: config.data,
    sync: config.durableSync,
    live,
    runs,
    limits,
    registry,
    variables,
  });
  const followed = followRuns({ ...outside.calls, live, runs, durable, redactor, host, log });
  const calls = { ...outside.calls, errorFlow: followed.errorFlow };
  return { context: { runs, durable, limits, subFlows, calls }, history };
}

/** Opens nothing before the first run has ended. */
function openHistory({ data, runsDays: days, runsSize: bytes }: Config, log: Context['log']): RunHistory {
  const warn = (message: string): void => log.warn(message);
  return createJournal({
    folder: join(data, 'runs'),
    blobs: join(data, 'blobs'),
    limits: { days, bytes },
    warn,
  });
}

function createHub(
  { maxRuns }: Config,
  { host, log, redactor, tracing, marks }: Adapters,
  more: Pick<RunHubDeps, 'variables' | 'history' | 'limits' | 'onFailed'>,
): Context['runs'] {
  return createRunHub({ host, log, redactor, maxRuns, tracing, marks, ...more });
}
