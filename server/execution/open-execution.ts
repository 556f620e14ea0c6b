import type { Catalog } from '#shared/catalog.ts';
import type { Host, Registry } from '#engine';
import { expressionTools } from '../base/adapters/expression-tools.ts';
import type { Base } from '../base/open-base.ts';
import { lazy } from '../base/parts/lazy.ts';
import type { SecretStore } from '../base/secrets/store.ts';
import type { FlowService } from '../flows/service/flow-types.ts';
import type { VariableStore } from '../flows/service/variable-store.ts';
import type { Files } from '../storage/file-store/files.ts';
import type { ErrorFlow } from './after-runs/error-flow.ts';
import { type CallStores, followRuns } from './after-runs/open-calls.ts';
import type { Durable } from './durable/create-durable-runs.ts';
import { openDurable } from './durable/open-durable.ts';
import type { DurableEngine } from './durable/port.ts';
import { createReviveFlow } from './starts/revive-flow.ts';
import type { RunHistory } from './history/history.ts';
import type { RunStores } from './open-run-stores.ts';
import { createRunHub, type RunHubDeps } from './runs/run-hub.ts';
import { RunLimits } from './runs/run-limits.ts';
import type { RunMarks } from './runs/run-marks.ts';
import type { RunHub } from './runs/run-types.ts';
import type { SharedPlaces } from './runs/shared-places.ts';
import type { ScheduleOwner, ScheduleOwnerDeps } from './schedules/schedule-owner.ts';
import { Scheduler } from './schedules/scheduler.ts';
import type { KeeperStarting } from './sources/hook-keeper.ts';
import { Sources } from './sources/sources.ts';
import { createPins, type Pins } from './starts/partial/pins.ts';
import { createSubFlows, type SubFlows } from './starts/sub-flows.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { createModelUsage, type ModelUsage } from './usage/usage.ts';

/** Starts, continues, stores and follows runs. */
export interface Execution {
  readonly runs: RunHub;
  /** Runs that outlive the process. */
  readonly durable: Durable;
  readonly history: RunHistory;
  /** Per-flow limits on the number of runs in progress. */
  readonly limits: RunLimits;
  readonly subFlows: SubFlows;
  /** Everything that follows a run: notices to its caller, dead letters, error flows. */
  readonly calls: CallStores & { readonly errorFlow: ErrorFlow };
  /** Outputs that replace running a node, in runs by hand. */
  readonly pins: Pins;
  /** The usage of models in this process. */
  readonly modelUsage: ModelUsage;
}

interface ExecutionDeps {
  readonly storage: {
    history(): RunHistory;
    readonly places: SharedPlaces | undefined;
    /** Opens the durable runs that several servers share; undefined: they are in the data folder. */
    readonly openDurable: (() => DurableEngine) | undefined;
    readonly servers: { readonly tag: string } | undefined;
  };
  readonly stores: RunStores;
  readonly files: Files;
  readonly secrets: SecretStore;
  /** With its services. */
  readonly host: Host;
  /** With the clock that servers share. */
  readonly sharedHost: Host;
  readonly marks: RunMarks;
  /** Undefined if traces are not exported. */
  readonly tracing: Tracing | undefined;
  readonly registry: Registry;
  readonly flows: FlowService;
  readonly variables: VariableStore;
  /** As in `RunHubDeps`. */
  readonly onEnded: RunHubDeps['onEnded'];
}

export function openExecution(base: Base, deps: ExecutionDeps): Execution {
  const { config, log, redactor } = base;
  const { storage, stores, host, sharedHost, marks, tracing, flows } = deps;
  const history = storage.history();
  const limits = new RunLimits(storage.places);
  const variables = (): Readonly<Record<string, unknown>> => deps.variables.snapshot();
  const onFailed: RunHubDeps['onFailed'] = (...failed) => followed.afterRuns.failed(...failed);
  const { maxRuns } = config;
  const tag = storage.servers?.tag;
  const rules = { variables, history, limits, onFailed, onEnded: deps.onEnded, maxRuns };
  const runs = createRunHub({ ...rules, host, log, redactor, tracing, marks, tag });
  const live = flows.live.bind(flows);
  const revive = createReviveFlow(deps.registry, expressionTools(config.timezone));
  const durable = openDurable({
    runs,
    limits,
    live,
    variables,
    log,
    redactor,
    secrets: deps.secrets,
    revive,
    files: deps.files,
    links: stores.links,
    waits: stores.waiting.waits,
    host: sharedHost,
    ahead: () => host.now() - sharedHost.now(),
    data: config.data,
    openShared: storage.openDurable,
    sync: config.durableSync,
  });
  const followed = followRuns({ ...stores.calls, live, runs, durable, redactor, host, log });
  return {
    runs,
    durable,
    history,
    limits,
    subFlows: createSubFlows({ live, runs, untrusted: marks.untrusted, revive }),
    calls: { ...stores.calls, errorFlow: followed.errorFlow },
    pins: createPins(stores.state),
    modelUsage: createModelUsage({ store: stores.usage, runs, now: sharedHost.now, log }),
  };
}

/** Starts flows without a request: schedules and sources. */
export interface Starters {
  readonly schedules: Scheduler;
  readonly sources: Sources;
  /** Removes registrations that no live flow needs. */
  readonly hookKeeper: LateKeeper;
  /** Call it whenever the live version of a flow changes or is taken away. */
  flowChanged(id: string): void;
}

export function openStarters(
  { log, redactor }: Base,
  {
    host,
    sharedHost,
    stores,
    storage: { places },
    catalog,
  }: Pick<ExecutionDeps, 'host' | 'sharedHost' | 'stores' | 'storage'> & { readonly catalog: Catalog },
): Starters {
  const schedules = new Scheduler({ store: stores.schedules, host: sharedHost, log, places });
  const sources = new Sources({ catalog, host, log, redactor, store: stores.sources });
  const hookKeeper = lateKeeper(stores, host, log);
  return {
    schedules,
    sources,
    hookKeeper,
    flowChanged(id) {
      schedules.flowChanged(id);
      sources.flowChanged(id);
      hookKeeper.changed();
    },
  };
}

/** A `HookKeeper` that is loaded once there is something to keep. */
interface LateKeeper {
  begin(starting: KeeperStarting): void;
  changed(): void;
  end(): Promise<void>;
}

function lateKeeper(
  { hooks, sources }: Pick<RunStores, 'hooks' | 'sources'>,
  host: Host,
  log: Base['log'],
): LateKeeper {
  let starting: KeeperStarting | undefined;
  const keeper = lazy(async () => {
    const { HookKeeper } = await import('./sources/hook-keeper.ts');
    return new HookKeeper({ hooks: await hooks(), host, log });
  });
  const start = async (): Promise<void> => {
    const made = await keeper();
    if (starting !== undefined) made.begin(starting);
  };
  const failed = (err: unknown): void =>
    log.error({ err }, 'the registrations at services could not be looked at');
  return {
    begin(given) {
      starting = given;
      const look = async (): Promise<void> => void ((await sources.hasHooks()) && (await start()));
      look().catch(failed);
    },
    changed() {
      if (starting === undefined || hooks.loading === undefined) return;
      if (keeper.loaded === undefined) start().catch(failed);
      else keeper.loaded.changed();
    },
    async end() {
      starting = undefined;
      await keeper.loaded?.end();
    },
  };
}

/** Lets schedules and sources start flows, unless another server does. */
export function beginStarters(
  { config, log, clock: host }: Base,
  { schedules, sources, hookKeeper }: Starters,
  {
    flows,
    variables,
    data,
    openScheduleOwner,
    registry,
    isAside,
    execution: { runs, durable, subFlows },
  }: Pick<ExecutionDeps, 'flows' | 'variables' | 'registry'> & {
    readonly isAside: KeeperStarting['isAside'];
    readonly execution: Execution;
    /** The id of the data folder. */
    readonly data: string;
    openScheduleOwner(deps: ScheduleOwnerDeps): ScheduleOwner;
  },
): ScheduleOwner {
  const live = flows.live.bind(flows);
  return openScheduleOwner({
    config,
    data,
    host,
    log,
    beginSchedules: (fromNow) =>
      schedules.begin({ live, runs, durable, hold: subFlows.hold.bind(subFlows) }, { fromNow }),
    beginSources() {
      sources.begin({ live, runs, durable, subFlows, variables: () => variables.snapshot() });
      hookKeeper.begin({ registry, live, isAside });
    },
    endSources: async () => void (await Promise.all([sources.end(), hookKeeper.end()])),
  });
}
