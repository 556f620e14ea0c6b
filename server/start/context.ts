import type { Context } from '../api/routes/context.ts';
import type { Config } from '../base/config/config.ts';
import { builtEditor } from '../base/files/built-editor.ts';
import { openBase } from '../base/open-base.ts';
import { startSweeping } from '../execution/after-runs/sweep-files.ts';
import type { Durable } from '../execution/durable/create-durable-runs.ts';
import { openIdempotency } from '../storage/open-stores.ts';
import { type Given, openGround } from './ground.ts';
import { openWings, type Wings } from './wings.ts';

export type { Given } from './ground.ts';

/** A context that owns its parts and closes them. */
export interface OwnedContext extends Context {
  /** The API key that was created because there was none; it is stored nowhere else. */
  readonly firstKey: string | undefined;
  readonly durable: Durable;
  /** Other servers count on this one from now on; call it before it listens. */
  begin(): Promise<void>;
  /** Stops starting anything by itself, so that other servers may; resolves when they know. */
  rest(): Promise<void>;
  /** Sets the server's own port for the guard of outbound requests; announces the port of this process `alone` to other servers, if it has one. */
  listening(port: number, alone?: number): Promise<void>;
  /** Releases the resources of the parts: watched files, timers. Parts that were passed in stay open. */
  close(): Promise<void>;
}

/** Opens a whole server from its settings; `given` replaces parts. The data folder must exist. */
export async function createContext(config: Config, given: Given = {}): Promise<OwnedContext> {
  const base = openBase(config, { ...given, clock: given.host });
  const ground = await openGround(base);
  const wings = await openWings(base, ground, given);
  wings.integrations.knowledge.resume();
  // Every owner has read its part by now.
  await ground.storage.documents.upgrade();
  const endSweeping = sweep(wings);
  const rest = (): Promise<void> => endStarters(wings);
  return {
    ...storedParts(wings, given),
    ...runParts(wings),
    firstKey: wings.access.firstKey,
    durable: wings.execution.durable,
    begin: ground.storage.begin,
    listening(port, alone) {
      ground.outside.listensAt(port);
      return ground.storage.listening(port, alone);
    },
    rest,
    async close() {
      await rest();
      await endSweeping();
      await closeWings(wings);
    },
  };
}

type RunPart =
  | 'host'
  | 'runs'
  | 'durable'
  | 'limits'
  | 'subFlows'
  | 'calls'
  | 'pins'
  | 'modelUsage'
  | 'links'
  | 'usage'
  | 'evaluationResults'
  | 'waits'
  | 'waitLinks'
  | 'schedules'
  | 'schedulePauses'
  | 'sources'
  | 'hooks'
  | 'deliveries'
  | 'schedulesElsewhere'
  | 'apps'
  | 'pages'
  | 'conversations'
  | 'budgets'
  | 'toolTrials';

/** The parts of the context up to the flows. */
function storedParts(wings: Wings, { editorFiles = builtEditor }: Given): Omit<Context, RunPart> {
  const { base, ground, integrations, access, operators, serving } = wings;
  const { manifest, storage, stores, outside, shared } = ground;
  const { code } = integrations;
  return {
    config: base.config,
    log: base.log,
    redactor: base.redactor,
    editorFiles,
    losses: manifest.losses,
    nodes: storage.nodes,
    servers: storage.servers,
    processes: storage.processes,
    database: storage.database,
    buckets: storage.buckets,
    files: stores.files,
    uploads: stores.uploads,
    idempotency: openIdempotency(storage, shared.now, outside.secrets),
    secrets: outside.secrets,
    ownPort: outside.ownPort,
    outboundCounts: outside.counts,
    providerHttp: integrations.http,
    connections: integrations.connections,
    providers: integrations.providers,
    models: integrations.models,
    modelSettings: integrations.modelSettings,
    knowledge: integrations.knowledge,
    codeStats: code && (() => code.stats()),
    access: access.access,
    keys: access.keys,
    gate: access.gate,
    auditLog: access.auditLog,
    formKey: access.formKey,
    registry: operators.registry,
    catalog: operators.registry.catalog,
    packages: operators.packages,
    services: operators.services,
    flows: serving.flows,
    variables: serving.variables,
    triggers: serving.triggers,
  };
}

/** The parts that take what services deliver. */
function deliveriesOf(
  {
    stores,
    serving,
    execution,
    operators,
    hosts,
  }: Pick<Wings, 'stores' | 'serving' | 'execution' | 'operators' | 'hosts'>,
  { secrets }: Wings['ground']['outside'],
): Context['deliveries'] {
  return {
    secrets,
    registry: operators.registry,
    now: hosts.shared.now,
    timer: hosts.shared.timer,
    store: stores.sources,
    live: serving.flows.live.bind(serving.flows),
    runs: execution.runs,
    durable: execution.durable,
    subFlows: execution.subFlows,
  };
}

/** The parts of the context from the runs on. */
function runParts({
  ground,
  operators,
  hosts,
  stores,
  serving,
  execution,
  scheduleOwner,
  chat,
}: Wings): Pick<Context, RunPart> {
  return {
    host: hosts.own,
    runs: execution.runs,
    durable: execution.durable,
    limits: execution.limits,
    subFlows: execution.subFlows,
    calls: execution.calls,
    pins: execution.pins,
    modelUsage: execution.modelUsage,
    links: stores.links,
    usage: stores.usage,
    evaluationResults: stores.evaluationResults,
    waits: stores.waiting.waits,
    waitLinks: stores.waiting.waitLinks,
    schedules: serving.starters.schedules,
    schedulePauses: stores.schedulePauses,
    sources: serving.starters.sources,
    hooks: stores.hooks,
    deliveries: deliveriesOf({ stores, serving, execution, operators, hosts }, ground.outside),
    schedulesElsewhere: scheduleOwner.notice,
    apps: chat.apps,
    pages: chat.pages,
    conversations: chat.conversations,
    budgets: chat.budgets,
    toolTrials: chat.toolTrials,
  };
}

/** Deletes files without a holder, until the returned function is called. */
function sweep({ base, ground, stores, hosts, execution, chat }: Wings): () => Promise<void> {
  return startSweeping({
    config: base.config,
    log: base.log,
    files: ground.stores.files,
    mayRunElsewhere: ground.storage.mayRunElsewhere,
    state: stores.state,
    host: hosts.shared,
    history: execution.history,
    runs: execution.runs,
    durable: execution.durable,
    conversations: chat.conversations,
  });
}

async function endStarters({ serving: { starters }, scheduleOwner }: Wings): Promise<void> {
  await Promise.all([starters.schedules.close(), starters.sources.close(), starters.hookKeeper.end()]);
  await scheduleOwner.close();
}

/** Closes each writer before the store that it writes to. */
async function closeWings({
  ground,
  integrations,
  access,
  stores,
  operators,
  serving,
  execution,
  chat,
}: Wings) {
  await execution.durable.close(0);
  operators.services.close();
  await serving.flows.close();
  await access.close();
  await chat.close();
  await execution.history.close();
  integrations.connections.close();
  await integrations.knowledge.close();
  integrations.code?.close();
  await ground.tracing?.close();
  await ground.outside.close();
  await integrations.documents.close();
  await ground.stores.files.settled();
  await Promise.all([stores.close(), ground.storage.close()]);
  ground.manifest.close();
}
