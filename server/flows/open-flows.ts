import { compiling, livingRegistry, type Registry } from '#engine';
import type { Package } from '#shared/package-api.ts';
import type { AuditLog } from '../access/security/audit-log.ts';
import { auditLocal } from '../access/security/audit.ts';
import type { Db } from '../base/adapters/db.ts';
import { expressionTools } from '../base/adapters/expression-tools.ts';
import { readOperators } from '../base/authored/load-operators.ts';
import type { Base } from '../base/open-base.ts';
import type { SecretStorage } from '../base/secrets/secret-storage.ts';
import type { SecretStore } from '../base/secrets/store.ts';
import type { Connections } from '../integrations/connections/connections.ts';
import { groupsOf, openServices, type Services, withServices } from '../integrations/services/services.ts';
import type { ServiceStore } from '../integrations/services/stores.ts';
import { createLocalBus } from '../storage/database/bus.ts';
import { type LoadedCode, loadCodeFlows, withInline } from './service/code-flows.ts';
import { scanCodeFiles } from './service/flow-files.ts';
import { createFlowService, type FlowServiceDeps } from './service/flow-service.ts';
import type { FlowStore } from './service/flow-store.ts';
import type { FlowService } from './service/flow-types.ts';
import type { FlowMirror } from './service/mirrored-flows.ts';
import type { TriggerTable } from './service/trigger-table.ts';
import { createVariableStore, type VariableStore } from './service/variable-store.ts';

/** The operators that flows are made of. */
export interface Operators {
  readonly registry: Registry;
  /** The npm packages of the settings, and their problems. */
  readonly packages: readonly Package[];
  /** Flows written in code; a broken one has its problem. */
  readonly codeFlows: readonly LoadedCode[];
  readonly services: Services;
}

/** `given` replaces the operators, and leaves out packages and flows written in code. */
export async function openOperators(
  { config, log }: Base,
  given: Registry | undefined,
  store: ServiceStore,
): Promise<Operators> {
  if (given !== undefined) {
    const services = await openServices(store, groupsOf(given));
    return { registry: given, packages: [], codeFlows: [], services };
  }
  const [{ registry, packages }, codeFlows] = await Promise.all([
    readOperators(config, log),
    config.codeFlows ? loadCodeFlows(scanCodeFiles(config.flows)) : [],
  ]);
  const services = await openServices(store, groupsOf(registry));
  warnOfServices(log, services);
  const all = (): Registry => withInline(withServices(registry, services.registry()), codeFlows);
  const living = livingRegistry(all());
  services.onChanged(() => {
    living.replace(all());
    warnOfServices(log, services);
  });
  for (const { file, problem } of codeFlows)
    if (problem) log.warn({ file: file.shown, problem }, 'a flow written in code cannot go live');
  return { registry: living, packages, codeFlows, services };
}

function warnOfServices(log: Base['log'], services: Services): void {
  for (const { id, message } of services.problems())
    log.warn({ service: id, problem: message }, 'a service was skipped');
}

/** The served flows. */
export interface Flows {
  readonly flows: FlowService;
  readonly variables: VariableStore;
}

interface FlowsDeps extends Operators {
  readonly documents: Db;
  /** Where flows are stored; undefined: in the flows folders. */
  readonly store: FlowStore | undefined;
  /** Notifies the other processes of the folder of changes. */
  readonly mirror: FlowMirror | undefined;
  /** Secrets that other servers may change. */
  readonly secretStorage: SecretStorage | undefined;
  readonly secrets: SecretStore;
  readonly connections: Connections;
  readonly auditLog: AuditLog;
  readonly triggers: TriggerTable;
  /** Names of the servers on the same flows that do not read this format. */
  readonly lackingFormat: (wanted: number) => Promise<readonly string[]>;
}

/** Opens the flows, and serves the live ones. */
export async function openFlows(base: Base, deps: FlowsDeps): Promise<Flows> {
  const { config, log, clock: host } = base;
  const { registry, codeFlows, triggers, store, mirror, secrets, connections, documents } = deps;
  const variables = createVariableStore(documents);
  const flows = await createFlowService({
    registry,
    codeFlows,
    triggers,
    variables,
    config,
    log,
    host,
    // Each server learns of flow changes from their store, so these notices are for this one only.
    bus: createLocalBus((err) => log.error({ err }, 'a notice could not be taken')),
    store,
    around: mirror && ((of: FlowStore): FlowStore => mirror.around(of)),
    compiling,
    tools: expressionTools(config.timezone),
    secrets: () => secrets.list(),
    connections: () => connections.list(),
    described: ({ connection, ...asked }) => connections.described(connection, asked),
    onOutside: onOutside(base, deps),
    lackingFormat: deps.lackingFormat,
  });
  await mirror?.follow(flows);
  recheckWithWorld(base, deps, flows);
  return { flows, variables };
}

/** Records changes of flows that were made without the server. */
function onOutside({ log }: Base, { auditLog }: FlowsDeps): NonNullable<FlowServiceDeps['onOutside']> {
  return ({ live, gone }) => {
    const noted = { log, auditLog };
    for (const { id } of live) auditLocal(noted, 'file', 'flow changed', { flow: id });
    for (const flow of gone) auditLocal(noted, 'file', 'flow removed', { flow });
  };
}

/** Checks flows again when something that they depend on changes. */
function recheckWithWorld(
  { log }: Base,
  { connections, documents, secretStorage, services }: FlowsDeps,
  flows: FlowService,
): void {
  const recheck = (what: Parameters<FlowService['worldChanged']>[0]) => (): void => {
    flows.worldChanged(what).catch((err: unknown) => log.error({ err }, 'Flows could not be checked again.'));
  };
  connections.watchDescribed(recheck('connections'));
  documents.onOthers('variables', recheck('variables'));
  services.onChanged(recheck('services'));
  secretStorage?.onOthers(recheck('secrets'));
}
