import { type AccessParts, openAccess } from '../access/open-access.ts';
import { createTriggerTable, watchedTable } from '../api/triggers/table.ts';
import { expressionTools } from '../base/adapters/expression-tools.ts';
import type { Base } from '../base/open-base.ts';
import { type AppStores, type Chat, openAppStores, openChat } from '../chat/open-chat.ts';
import {
  beginStarters,
  type Execution,
  openExecution,
  openStarters,
  type Starters,
} from '../execution/open-execution.ts';
import { openRunStores, type RunStores } from '../execution/open-run-stores.ts';
import type { ScheduleOwner } from '../execution/schedules/schedule-owner.ts';
import { tracedHttp } from '../execution/telemetry/tracing.ts';
import { type Flows, openFlows, openOperators, type Operators } from '../flows/open-flows.ts';
import type { TriggerTable } from '../flows/service/trigger-table.ts';
import { type Integrations, openIntegrations } from '../integrations/open-integrations.ts';
import { type ServiceStore, servicesInDocuments, servicesInFolder } from '../integrations/services/stores.ts';
import type { Given, Ground } from './ground.ts';
import { type Hosts, hostsOf, type LateWings, lateWings, servicesOf } from './services.ts';

/** A server, by its wings. */
export interface Wings {
  readonly base: Base;
  readonly ground: Ground;
  readonly integrations: Integrations;
  readonly access: AccessParts;
  readonly stores: RunStores;
  readonly hosts: Hosts;
  readonly operators: Operators;
  readonly serving: Flows & Serving;
  readonly execution: Execution;
  readonly scheduleOwner: ScheduleOwner;
  readonly chat: Chat;
}

/** Opens the wings, each once: a wing gets those below it, and a slot for parts that exist later. */
export async function openWings(base: Base, ground: Ground, given: Given): Promise<Wings> {
  const later = lateWings();
  const integrations = openTouched(base, ground, { given, later });
  // Before anything is written: damaged apps stop the start.
  const appStores = await openAppStores(base, ground.storage.documents);
  const access = await openAccess(base, { ...secured(ground), storage: ground.storage }, given.access);
  const stores = openRunStores(base, ground.outside, {
    storage: ground.storage,
    files: ground.stores.files,
    http: integrations.http,
    host: ground.shared,
    marks: ground.marks,
  });
  const hosts = hostsOf(
    base,
    ground,
    servicesOf({ outside: ground.outside, integrations, stores, later }),
    later,
  );
  const operators = await openOperators(base, given.registry, storeOfServices(base, ground));
  later.registry.fill(operators.registry);
  const below = { base, ground, integrations, access, stores, hosts, operators };
  const serving = await serve(below);
  const execution = execute(below, serving);
  later.execution.fill(execution);
  const scheduleOwner = beginStarters(base, serving.starters, {
    flows: serving.flows,
    variables: serving.variables,
    registry: operators.registry,
    isAside: (flow) => serving.triggers.aside().some((one) => one.flow === flow),
    data: ground.manifest.folder,
    openScheduleOwner: ground.storage.openScheduleOwner,
    execution,
  });
  const chat = { ...converse({ ...below, appStores }, serving, execution), ...given.chat };
  later.chat.fill(chat);
  return { ...below, serving, execution, scheduleOwner, chat };
}

/** Beside the flows; in the database if the flows are there. */
function storeOfServices({ config }: Base, { storage }: Ground): ServiceStore {
  const [folder] = config.flows;
  return storage.flows === undefined && folder !== undefined
    ? servicesInFolder(folder)
    : servicesInDocuments(storage.documents);
}

/** The parts that need the secrets, and the documents with keys. */
const secured = ({ storage, outside, shared }: Ground) => ({
  documents: storage.documents,
  secrets: outside.secrets,
  http: outside.http,
  now: shared.now,
});

function openTouched(
  base: Base,
  { storage, stores, shared, marks, outside, tracing }: Ground,
  { given, later }: { readonly given: Given; readonly later: LateWings },
): Integrations {
  return openIntegrations(base, outside, {
    documents: storage.documents,
    database: storage.database,
    sql: storage.sql,
    buckets: storage.buckets,
    stores,
    now: shared.now,
    untrusted: marks.untrusted,
    lackingFormat: (wanted) => storage.nodes.lackingFormat(wanted),
    models: given.models,
    watched: (http) => (tracing === undefined ? http : tracedHttp(http, tracing)),
    services: later.services,
    // A durable run may go on much later, and on another server, whose folders are others.
    mayLink: async (run) => (await later.execution.get().durable.get(run)) === undefined,
    onSpent: (...spent) => later.execution.get().modelUsage.took(...spent),
    async recordLoad() {
      const { createLoadRuns } = await import('../execution/starts/load-runs.ts');
      const { runs } = later.execution.get();
      return createLoadRuns({ runs, registry: later.registry.get(), tools: expressionTools('UTC') });
    },
  });
}

type Below = Pick<Wings, 'base' | 'ground' | 'integrations' | 'access' | 'stores' | 'hosts' | 'operators'>;

interface Serving {
  /** Where the triggers of live flows are found. */
  readonly triggers: TriggerTable;
  readonly starters: Starters;
}

/** Opens the flows, with what starts them. */
async function serve({
  base,
  ground: { storage, outside },
  integrations,
  access,
  stores,
  hosts,
  operators,
}: Below): Promise<Wings['serving']> {
  const { nodes, processes } = storage;
  const triggers = createTriggerTable(hosts.own.defer);
  nodes.reportUnserved(() => triggers.aside());
  const { catalog } = operators.registry;
  const starters = openStarters(base, {
    host: hosts.own,
    sharedHost: hosts.shared,
    stores,
    storage,
    catalog,
  });
  const served = await openFlows(base, {
    ...operators,
    documents: storage.documents,
    store: storage.flows,
    mirror: processes?.isFirst === true ? processes.mirror : undefined,
    secretStorage: storage.secretStorage,
    secrets: outside.secrets,
    connections: integrations.connections,
    auditLog: access.auditLog,
    triggers: watchedTable(triggers, starters.flowChanged),
    lackingFormat: (wanted) => nodes.lackingFormat(wanted),
  });
  nodes.reportFlows(() => served.flows.source());
  return { ...served, triggers, starters };
}

function execute({ base, ground, stores, hosts, operators }: Below, { flows, variables }: Flows): Execution {
  return openExecution(base, {
    storage: ground.storage,
    stores,
    files: ground.stores.files,
    secrets: ground.outside.secrets,
    host: hosts.own,
    sharedHost: hosts.shared,
    marks: ground.marks,
    tracing: ground.tracing,
    registry: operators.registry,
    flows,
    variables,
    onEnded: ground.outside.forget,
  });
}

function converse(
  { base, ground, integrations, stores, hosts, appStores }: Below & { readonly appStores: AppStores },
  { flows }: Flows,
  execution: Execution,
): Chat {
  return openChat(base, {
    stores: appStores,
    sql: ground.storage.sql,
    files: ground.stores.files,
    integrations,
    secrets: ground.outside.secrets,
    state: stores.state,
    flows,
    execution,
    host: hosts.own,
    now: hosts.shared.now,
    storageNow: ground.storage.now,
  });
}
