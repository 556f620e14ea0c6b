import type { FastifyBaseLogger } from 'fastify';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';
import type { RunEvent, RunInPart, RunSummary } from '#shared/run-event.ts';
import type {
  Caller,
  CancelReason,
  CompiledFlow,
  Host,
  Registry,
  Run,
  StartOptions,
  TriggerRequest,
} from '#engine';
import type { BudgetStore } from './agents/budget-store.ts';
import type { Apps } from './apps/apps.ts';
import type { ErrorFlow } from './calls/error-flow.ts';
import type { CallStores } from './calls/open-calls.ts';
import type { RunLinks } from './calls/run-links.ts';
import type { Conversations } from './chat/conversations.ts';
import type { DurableRuns } from './durable/durable-runs.ts';
import type { Config } from './config.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import type { Models } from './models/models.ts';
import type { ProviderStore } from './models/provider-store.ts';
import type { CodeStats } from './sandbox/stats.ts';
import type { Redactor } from './secrets/redactor.ts';
import type { SecretStore } from './secrets/store.ts';
import type { Leave, RunLimits } from './runs/run-limits.ts';
import type { Pins } from './runs/partial/pins.ts';
import type { Scheduler } from './schedules/scheduler.ts';
import type { TimeCounts } from './runs/run-counts.ts';
import type { SubFlows } from './runs/sub-flows.ts';
import type { Access } from './security/access.ts';
import type { KeyStore } from './security/key-store.ts';
import type { UsageStore } from './usage/usage-store.ts';
import type { ModelUsage } from './usage/usage.ts';
import type { TriggerGate } from './triggers/auth/gate.ts';
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
  readonly budgets: BudgetStore;
  /** What models took, over the days. */
  readonly usage: Pick<UsageStore, 'sum'>;
  /** The same of this process, for metrics. */
  readonly modelUsage: Pick<ModelUsage, 'byModel'>;
  readonly conversations: Conversations;
  /** What the code sandbox has done; undefined where code is off. */
  readonly codeStats?: (() => CodeStats) | undefined;
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
   * a draft, as always with `draftOnly`.
   */
  save(
    id: string,
    text: string,
    options: { revision: string | undefined; author: string; draftOnly?: boolean },
  ): Promise<FlowDocument>;
  /** Makes the draft the file. */
  publish(id: string, options: { revision: string; author: string; label?: string }): Promise<FlowDocument>;
  discardDraft(id: string, options: { revision: string }): Promise<FlowDocument>;
  remove(id: string, options: { revision: string }): Promise<void>;
  saveLayout(id: string, layout: Layout): Promise<void>;
  check(text: string, id?: string): { flow: Flow | undefined; problems: Problem[] };
  versions(id: string): Promise<FlowVersion[]>;
  versionText(id: string, version: string): Promise<string>;
  /** Makes a kept version the file again. */
  restore(id: string, version: string, options: { revision: string; author: string }): Promise<FlowDocument>;
  /** Names a kept version; an empty label takes the name away. */
  labelVersion(id: string, version: string, label: string): Promise<void>;
  /** The version that serves. */
  live(id: string): LiveFlow | undefined;
  /** The draft (or the file), compiled for a test run; throws `flow_invalid` when it has errors. */
  draft(id: string): Promise<LiveFlow>;
  /** Judges flows that name secrets again: one that waited for a secret goes live. */
  secretsChanged(): Promise<void>;
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

// ----------------------------------------------------------------------------------------------------------- runs

export interface RunRequest {
  readonly flow: LiveFlow;
  readonly trigger: string;
  readonly request: TriggerRequest;
  readonly output: unknown;
  readonly source: RunSummary['source'];
  /** Set when another run starts this one. */
  readonly part?: RunPart;
  /** Its place among the runs of its flow, where it has one already. */
  readonly place?: Leave | undefined;
  /** Record everything, whatever the sampling says (a draft test, a watcher). */
  readonly record?: 'full';
  /** Set where the run outlives the process: one go at carrying it out. */
  readonly pass?: RunPass;
  /** Told at the start of the run's record, which takes `record: 'full'`. */
  readonly inPart?: RunInPart | undefined;
}

/** One go at a durable run: from its start, or from where it was left. */
export interface RunPass extends Required<Pick<StartOptions, 'id' | 'startedAt' | 'vars' | 'ctx' | 'key'>> {
  /** There was one before, so that some of it has been told. */
  readonly again: boolean;
}

/** A run that is a part of another one. */
export interface RunPart {
  readonly parent: Caller;
  /** What its idempotency keys begin with: the same for each attempt of the call. */
  readonly key: string;
  /** A limit besides the one of its flow, in milliseconds. */
  readonly atMostMs?: number | undefined;
}

export interface RunQuery {
  readonly flow?: string | undefined;
  readonly status?: RunSummary['status'] | undefined;
  readonly source?: RunSummary['source'] | undefined;
  /** Code of the error it failed with. */
  readonly code?: string | undefined;
  /** Started at this time or later, in Unix milliseconds. */
  readonly since?: number | undefined;
  /** Started before this time. */
  readonly until?: number | undefined;
  /** Part of its id, its flow's id or its error, in any case. */
  readonly text?: string | undefined;
  /** Those that this run started. */
  readonly parent?: string | undefined;
  /** Also those that some run started; they are left out otherwise. */
  readonly nested?: boolean | undefined;
  readonly limit: number;
  /** Run id to continue after (older ones follow). */
  readonly before?: string | undefined;
}

/** A hole in what a watcher gets, announced instead of silent. */
export interface Gap {
  readonly kind: 'gap';
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** What the stream of all runs carries: summaries and events under a cursor of its own. */
export interface FeedItem {
  readonly cursor: number;
  readonly event: RunEvent | { kind: 'run-summary'; summary: RunSummary };
}

/** Counts of this process, for metrics. */
export interface RunStats {
  /** Started and not ended. */
  readonly inFlight: number;
  readonly started: number;
  readonly ok: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Refused with `overloaded` or `draining`. */
  readonly refused: number;
  /** Runs of which the history could not keep what it should have. */
  readonly dropped: number;
  /** Large values of which only the beginning could be kept, and recordings that could not. */
  readonly lostValues: number;
  /** Went well, and have no line in the history because there were too many at the time. */
  readonly unlisted: number;
  /** Durable runs that were started by this process and wait. */
  readonly waiting: number;
  /** Times by flow. */
  readonly flows: ReadonlyMap<string, TimeCounts>;
  /** Nodes that failed, by operator. */
  readonly failures: ReadonlyMap<string, number>;
  /** Traced runs whose spans could not be sent. */
  readonly untraced: number;
}

/** Starts, stops and follows runs. */
export interface RunHub {
  /** Whether `start` would take a run of its own now. */
  accepts(): boolean;
  /** Throws `overloaded` or `draining`; a part of another run is let in also when others are not, since that one waits for it. */
  start(request: RunRequest): Run;
  readonly inFlight: number;
  /** Throws what `start` would throw now. */
  admit(): void;
  /** Starts or carries on a durable run: with `pass`, and never refused. Watchers get one sequence of events over all passes. */
  carryOn(request: RunRequest & { readonly pass: RunPass }): Promise<Run>;
  /** Lets go of a durable run where it stands; it is waiting until it is carried on. */
  leave(id: string): void;
  /** Cancels a run in progress; false when there is none with this id. */
  cancel(id: string, reason: CancelReason): boolean;
  get(id: string): Promise<RunSummary | undefined>;
  list(query: RunQuery): Promise<RunSummary[]>;
  /** What a run in progress was started with; undefined for one that is over. */
  requestOf(id: string): RunRequest | undefined;
  /** Forgets an ended run. Throws `run_not_found`, or `conflict` while it is in progress. */
  remove(id: string): Promise<void>;
  /** Events with `seq` greater than `after`, a gap where some are gone; undefined when the run is unknown. */
  events(id: string, after: number): Promise<(RunEvent | Gap)[] | undefined>;
  /** A large value that an event of the run names by its hash, as JSON; undefined when it is not kept. */
  value(id: string, hash: string): Promise<string | undefined>;
  /** What an ended run got from outside, as JSON (`StoredTape`); undefined where that was not recorded. */
  tape(id: string): Promise<string | undefined>;
  /**
   * Past events after `after`, then live ones, without holes or repeats. `json` is the same as text, written once for all
   * watchers. `fn` returning `false` ends the watch. Resolves to undefined when the run is unknown.
   */
  watch(
    id: string,
    after: number,
    fn: (event: RunEvent | Gap, json: string) => unknown,
  ): Promise<(() => void) | undefined>;
  /**
   * The feed of all runs (of one flow, if given) from a cursor on; without a cursor, from now on. `fn` as above. Parts of other
   * runs are not in it.
   */
  watchAll(
    after: number | undefined,
    flow: string | undefined,
    fn: (item: FeedItem | Gap, json: string) => unknown,
  ): () => void;
  stats(): RunStats;
  /** Stops taking runs, waits `graceMs` for those in progress, then cancels the rest. */
  drain(graceMs: number): Promise<void>;
}
