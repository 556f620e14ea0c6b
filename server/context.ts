import type { Loss } from './adapters/lost-data.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';
import type { CompiledFlow, Host, Registry } from '#engine';
import type { BudgetStore } from './agents/budget-store.ts';
import type { Apps } from './apps/apps.ts';
import type { ErrorFlow } from './after-runs/error-flow.ts';
import type { CallStores } from './after-runs/open-calls.ts';
import type { RunLinks } from './durable/run-links.ts';
import type { Conversations } from './chat/conversations.ts';
import type { DurableRuns } from './durable/durable-runs.ts';
import type { Config } from './config/config.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import type { OriginCounts } from './outbound/places.ts';
import type { Models } from './models/models.ts';
import type { ModelSettingsStore } from './models/model-settings.ts';
import type { ProviderStore } from './models/provider-store.ts';
import type { CodeStats } from './sandbox/stats.ts';
import type { Redactor } from './secrets/redactor.ts';
import type { ProviderHttp } from './outbound/outbound.ts';
import type { SecretStore } from './secrets/store.ts';
import type { RunLimits } from './runs/run-limits.ts';
import type { Pins } from './starts/partial/pins.ts';
import type { Scheduler } from './schedules/scheduler.ts';
import type { RunHub } from './runs/run-types.ts';
import type { SubFlows } from './starts/sub-flows.ts';
import type { Access } from './security/access.ts';
import type { KeyStore } from './security/key-store.ts';
import type { UsageStore } from './usage/usage-store.ts';
import type { ModelUsage } from './usage/usage.ts';
import type { TriggerGate } from './security/auth/gate.ts';
import type { WaitLinks } from './waits/links.ts';
import type { Waits } from './waits/wait-store.ts';

/**
 * Everything a route may use, built once in `deps.ts`; tests replace any part. Each part is disposable where it holds
 * something (files watched, timers, sockets).
 */
export interface Context {
  readonly config: Config;
  /** Folder of the built editor; absent or empty when it was not built. */
  readonly editorFiles: string;
  readonly log: FastifyBaseLogger;
  /** Stores of the data folder that were gone or damaged when the server started. */
  readonly losses: readonly Loss[];
  readonly host: Host;
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly flows: FlowService;
  readonly variables: VariableStore;
  readonly triggers: TriggerTable;
  readonly runs: RunHub;
  /** Runs that outlive the process. */
  readonly durable: DurableRuns;
  readonly subFlows: Pick<SubFlows, 'hold'>;
  readonly apps: Apps;
  /** Starts flows at set times. */
  readonly schedules: Pick<Scheduler, 'list'>;
  /** Outputs that runs by hand use instead of carrying nodes out. */
  readonly pins: Pins;
  /** Questions of runs to people, and what they decided. */
  readonly waits: Waits;
  /** By which somebody without a login may decide. */
  readonly waitLinks: WaitLinks;
  readonly access: Access;
  readonly keys: KeyStore;
  readonly gate: TriggerGate;
  /** Which requests with an `Idempotency-Key` were carried out. */
  readonly idempotency: IdempotencyStore;
  /** Addresses under which callers see how their runs stand. */
  readonly links: RunLinks;
  /** Places of flows that limit how many of their runs are in progress. */
  readonly limits: RunLimits;
  /** What comes after runs: notices to their callers, dead letters, error flows. */
  readonly calls: CallStores & { readonly errorFlow: Pick<ErrorFlow, 'stats'> };
  readonly secrets: SecretStore;
  readonly providers: ProviderStore;
  readonly models: Models;
  readonly modelSettings: ModelSettingsStore;
  /** For the server's own requests to providers of models. */
  readonly providerHttp: ProviderHttp;
  readonly budgets: BudgetStore;
  /** What models took, over the days. */
  readonly usage: Pick<UsageStore, 'sum'>;
  /** The same of this process, for metrics. */
  readonly modelUsage: Pick<ModelUsage, 'byModel'>;
  readonly conversations: Conversations;
  /** What the code sandbox has done; undefined where code is off. */
  readonly codeStats?: (() => CodeStats) | undefined;
  /** Calls to the outside that are in progress or wait, by origin. */
  readonly outboundCounts?: () => OriginCounts[];
  /** Masks secrets in what is written down or shown. */
  readonly redactor: Redactor;
}

// ---------------------------------------------------------------------------------------------------------- flows

/** A version of a flow that can run. */
export interface LiveFlow {
  readonly id: string;
  /** Hash of the canonical text, 16 hex characters. */
  readonly version: string;
  readonly flow: Flow;
  readonly compiled: CompiledFlow;
  /** Of a draft: who wrote it since the last published version (`Caller.owner`). What was published has none. */
  readonly writers?: readonly string[] | undefined;
}

export type FlowState = 'live' | 'draft' | 'broken';

/** What the API says of a flow. */
export interface FlowRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Path below the flows folder. */
  readonly file: string;
  /** `live`: the file serves. `draft`: only a draft exists. `broken`: the file has errors (an older version may still serve). */
  readonly state: FlowState;
  /** Version that serves, if any. */
  readonly version: string | undefined;
  /** Changes with every write of file or draft; a save names the one it was based on. */
  readonly revision: string;
  readonly hasDraft: boolean;
  readonly readOnly: boolean;
  readonly problems: readonly Problem[];
  readonly triggers: readonly {
    node: string;
    operator: string;
    path?: string;
    methods?: readonly string[];
    auth?: string;
  }[];
  /** Ids of the flows that it calls. */
  readonly calls: readonly string[];
  readonly updatedAt: string;
}

/** A flow with its text: what is edited (the draft if there is one), and its layout. */
export interface FlowDocument extends FlowRecord {
  readonly text: string;
  /** Absent when the text does not parse. */
  readonly flow: Flow | undefined;
  readonly layout: Layout | undefined;
}

export interface FlowVersion {
  readonly version: string;
  readonly at: string;
  readonly author: string;
  readonly label: string | undefined;
  readonly live: boolean;
}

/** Files in, live flows out. All writes are atomic; errors are `ServiceError`s. */
export interface FlowService {
  list(): FlowRecord[];
  /** What the live version takes and gives, by trigger; undefined where none serves. */
  schemas(id: string): Readonly<Record<string, FlowSchemas>> | undefined;
  get(id: string): Promise<FlowDocument>;
  /**
   * `revision` undefined creates; else it must be the current one. Goes live by WEFT_DEPLOY when `check` has no error, else keeps
   * a draft, as always with `draftOnly`. `writer` (`Caller.owner`) is kept with a draft until it is published or discarded.
   */
  save(
    id: string,
    text: string,
    options: { revision: string | undefined; author: string; writer?: string; draftOnly?: boolean },
  ): Promise<FlowDocument>;
  /** Makes the draft the file. */
  publish(id: string, options: { revision: string; author: string; label?: string }): Promise<FlowDocument>;
  discardDraft(id: string, options: { revision: string }): Promise<FlowDocument>;
  remove(id: string, options: { revision: string }): Promise<void>;
  saveLayout(id: string, layout: Layout): Promise<void>;
  check(text: string, id?: string): { flow: Flow | undefined; problems: Problem[] };
  /** The same; a large text in a thread of its own, so that nobody else waits for it. */
  checkApart(text: string, id?: string): Promise<{ flow: Flow | undefined; problems: Problem[] }>;
  versions(id: string): Promise<FlowVersion[]>;
  versionText(id: string, version: string): Promise<string>;
  /** Makes a kept version the file again. */
  restore(id: string, version: string, options: { revision: string; author: string }): Promise<FlowDocument>;
  /** Names a kept version; an empty label takes the name away. */
  labelVersion(id: string, version: string, label: string): Promise<void>;
  /** The version that serves; of an imported flow also by the id that it had in the original. */
  live(id: string): LiveFlow | undefined;
  /** Calls `listener` when other flows or versions serve than before, until the function it gives is called. */
  watch(listener: () => void): () => void;
  /** Changes with every change of file or draft; undefined where there is no such flow. */
  revision(id: string): string | undefined;
  /**
   * Calls `listener` after files, drafts or layouts may have changed, with the id of the flow whose layout was saved, until the
   * function it gives is called.
   */
  watchFiles(listener: (layoutOf?: string) => void): () => void;
  /** The draft (or the file), compiled for a test run; throws `flow_invalid` when it has errors. */
  draft(id: string): Promise<LiveFlow>;
  /**
   * Judges flows that name secrets or variables again, after one was made or deleted: a flow that waited for it goes live. Gives
   * the ids of those that lack it now.
   */
  worldChanged(what: 'secrets' | 'variables'): Promise<string[]>;
  /** All flows were read and compiled once. */
  readonly ready: boolean;
  close(): Promise<void>;
}

export interface VariableStore {
  /** Current values, frozen; a new object after each change, so that a run keeps what it started with. */
  snapshot(): Readonly<Record<string, unknown>>;
  set(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
}

// ------------------------------------------------------------------------------------------------------- triggers

/** One path and method list of one live flow. */
export interface TriggerRoute {
  readonly flow: LiveFlow;
  /** The trigger node. */
  readonly node: string;
  /** Normalised: one leading slash, no double ones, `:name` for path params. */
  readonly path: string;
  /** Upper case, without the implied HEAD and OPTIONS. */
  readonly methods: readonly string[];
}

/** Which live trigger answers a path. Changes take effect between two requests. */
export interface TriggerTable {
  /** Replaces what `flow` serves (an empty list removes it). Throws `publish_conflict`, naming both flows, and then changes nothing. */
  replace(flow: string, routes: readonly TriggerRoute[]): void;
  /** Finds without changing: which other flow owns one of these paths and methods. */
  conflict(
    flow: string,
    routes: readonly Pick<TriggerRoute, 'path' | 'methods'>[],
  ): { flow: string; path: string; method: string } | undefined;
  find(method: string, path: string): { route: TriggerRoute; params: Record<string, string> } | undefined;
  /** Methods served at a path, for `Allow`; empty when there is nothing. */
  methodsAt(path: string): string[];
  all(): TriggerRoute[];
}

export type {
  RunRequest,
  RunPart,
  RunQuery,
  Gap,
  FeedItem,
  RunStats,
  RunHub,
} from './runs/run-types.ts';
