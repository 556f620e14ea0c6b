import type { Host, Registry } from '#engine';
import type { Catalog } from '#shared/catalog.ts';
import type { Package } from '#shared/package-api.ts';
import type { Services } from '../../integrations/services/services.ts';
import type { Loss } from '../../base/adapters/lost-data.ts';
import type { ErrorFlow } from '../../execution/after-runs/error-flow.ts';
import type { CallStores } from '../../execution/after-runs/open-calls.ts';
import type { ToolTrials } from '../../chat/agents/agents.ts';
import type { BudgetStore } from '../../chat/agents/budget-store.ts';
import type { Apps } from '../../chat/apps/apps.ts';
import type { AppPages } from '../../chat/apps/db-apps.ts';
import type { Connections } from '../../integrations/connections/connections.ts';
import type { Conversations } from '../../chat/service/conversations.ts';
import type { Config } from '../../base/config/config.ts';
import type { Lazy } from '../../base/parts/lazy.ts';
import type { DurableRuns } from '../../execution/durable/durable-runs.ts';
import type { RunLinks } from '../../execution/durable/run-links.ts';
import type { Files } from '../../storage/file-store/files.ts';
import type { ResultStore } from '../../execution/evaluations/result-store.ts';
import type { Uploads } from '../../storage/file-store/held-values.ts';
import type { FlowService } from '../../flows/service/flow-types.ts';
import type { FlowAside, TriggerTable } from '../../flows/service/trigger-table.ts';
import type { VariableStore } from '../../flows/service/variable-store.ts';
import type { IdempotencyStore } from '../../storage/idempotency/idempotency-store.ts';
import type { ModelSettingsStore } from '../../integrations/models/model-settings.ts';
import type { Knowledge } from '../../integrations/knowledge/knowledge.ts';
import type { Models } from '../../integrations/models/models.ts';
import type { ProviderStore } from '../../integrations/models/provider-store.ts';
import type { ProviderHttp } from '../../base/outbound/client.ts';
import type { OriginCounts } from '../../base/outbound/places.ts';
import type { RunLimits } from '../../execution/runs/run-limits.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { CodeStats } from '../../integrations/sandbox/stats.ts';
import type { SchedulePauses } from '../../execution/schedules/schedule-store.ts';
import type { Scheduler } from '../../execution/schedules/scheduler.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import type { Access } from '../../access/security/access.ts';
import type { AuditLog } from '../../access/security/audit-log.ts';
import type { TriggerGate } from '../../access/security/auth/gate.ts';
import type { KeyStore } from '../../access/security/key-store.ts';
import type { ServerKey } from '../../access/security/server-key.ts';
import type { NodeFlows, NodeInfo } from '#shared/node.ts';
import type { SharedBuckets } from '../../base/rates/buckets.ts';
import type { OtherServers } from '../../access/peers/other-servers.ts';
import type { FolderProcess } from '../processes/folder-process.ts';
import type { DeliveryDeps } from '../../execution/sources/deliveries.ts';
import type { Hooks } from '../../execution/sources/hooks.ts';
import type { Sources } from '../../execution/sources/sources.ts';
import type { Pins } from '../../execution/starts/partial/pins.ts';
import type { SubFlows } from '../../execution/starts/sub-flows.ts';
import type { UsageStore } from '../../execution/usage/usage-store.ts';
import type { ModelUsage } from '../../execution/usage/usage.ts';
import type { WaitLinks } from '../../execution/waits/links.ts';
import type { Waits } from '../../execution/waits/wait-store.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { FastifyBaseLogger } from 'fastify';

/** The servers that share a database with this one; without a database, this one alone. */
export interface Nodes {
  /** Those that were seen within ten minutes; with `all` those of a day. */
  list(which?: { readonly all: boolean }): Promise<NodeInfo[]>;
  /** Names of those that had not applied the last change of this server after two seconds. */
  pending(): readonly string[];
  /** Sets, once, the function that lists the live flows which this server cannot serve; it is reported to the others. */
  reportUnserved(read: () => readonly Pick<FlowAside, 'flow' | 'operators'>[]): void;
  /** Sets the function for the source of this server's flows, which is reported to the others with each sign of life. */
  reportFlows(read: () => NodeFlows): void;
  /** Names of those that live and do not read flows of this format. */
  lackingFormat(wanted: number): Promise<readonly string[]>;
  /** Announces that this server is stopping. Never rejects. */
  leave(): Promise<void>;
  /** Whether this server has lost the database for long enough that rights may have been revoked since. */
  isStale(): boolean;
  /** Whether the database has accepted this server's sign of life lately; always true without a database. */
  canWrite(): boolean;
  /** The number of notices through a shared database without proof of their server, by reason; undefined without a database. */
  doubtedNotices?(): ReadonlyMap<string, number>;
}

/**
 * Everything a route may use, built once in `start/context.ts`; tests replace any part. A part is disposable if it holds
 * something (watched files, timers, sockets).
 */
export interface Context {
  readonly config: Config;
  /** Folder of the built editor; absent or empty if the editor was not built. */
  readonly editorFiles: string;
  readonly log: FastifyBaseLogger;
  /** Stores of the data folder that were missing or damaged when the server started. */
  readonly losses: readonly Loss[];
  readonly host: Host;
  /** The port on which the server listens. */
  readonly ownPort: () => number;
  readonly nodes: Nodes;
  /** The other servers of the database; undefined without one. */
  readonly servers?: OtherServers | undefined;
  /** This process among those of one data folder; undefined if it is alone. */
  readonly processes?: FolderProcess | undefined;
  /** Limits on calls that servers on one database count together; undefined without one. */
  readonly buckets?: SharedBuckets | undefined;
  readonly registry: Registry;
  readonly catalog: Catalog;
  /** The npm packages of the settings, and their problems. */
  readonly packages: readonly Package[];
  readonly services: Services;
  readonly flows: FlowService;
  /** Files as values, and who holds them. */
  readonly files: Files;
  /** Files that were uploaded before the run that will get them. */
  readonly uploads: Uploads;
  readonly variables: VariableStore;
  readonly triggers: TriggerTable;
  readonly runs: RunHub;
  /** Runs that outlive the process. */
  readonly durable: DurableRuns;
  readonly subFlows: Pick<SubFlows, 'hold'>;
  readonly apps: Apps;
  /** The public chat pages of apps. */
  readonly pages: AppPages;
  /** Starts flows on their schedules. */
  readonly schedules: Pick<Scheduler, 'list'>;
  readonly schedulePauses: SchedulePauses;
  /** Triggers that start runs by themselves. */
  readonly sources: Pick<Sources, 'list' | 'again'>;
  /** The registrations of triggers at services. */
  readonly hooks: Lazy<Hooks>;
  /** For what services send. */
  readonly deliveries: Omit<DeliveryDeps, 'hooks'>;
  /** Why this server starts no schedules although it should, as a sentence; undefined if it starts them. */
  readonly schedulesElsewhere: () => string | undefined;
  /** Outputs that replace running a node, in runs by hand. */
  readonly pins: Pins;
  /** Questions of runs to people, and the decisions. */
  readonly waits: Waits;
  /** Links by which a person without a login may decide. */
  readonly waitLinks: WaitLinks;
  /** Proves that a page of a form is ours. */
  readonly formKey: ServerKey;
  readonly access: Access;
  readonly keys: KeyStore;
  /** The log of changes. */
  readonly auditLog: AuditLog;
  readonly gate: TriggerGate;
  /** The requests with an `Idempotency-Key` that were executed. */
  readonly idempotency: IdempotencyStore;
  /** Addresses where callers see the status of their runs. */
  readonly links: RunLinks;
  /** Limits of flows on how many of their runs are in progress. */
  readonly limits: RunLimits;
  /** Everything that follows a run: notices to its caller, dead letters, error flows. */
  readonly calls: CallStores & { readonly errorFlow: Pick<ErrorFlow, 'stats'> };
  readonly secrets: SecretStore;
  readonly connections: Connections;
  readonly providers: ProviderStore;
  readonly models: Models;
  readonly modelSettings: ModelSettingsStore;
  /** Sends the server's own requests to providers of models. */
  readonly providerHttp: ProviderHttp;
  readonly budgets: BudgetStore;
  readonly toolTrials: ToolTrials;
  readonly knowledge: Knowledge;
  /** The database that servers share; undefined without one: tests and evaluation sets are then files. */
  readonly database?: Sql | undefined;
  /** The results of evaluations. */
  readonly evaluationResults: () => Promise<ResultStore>;
  /** Usage of models by day. */
  readonly usage: Pick<UsageStore, 'sum'>;
  /** Usage of models in this process, for metrics. */
  readonly modelUsage: Pick<ModelUsage, 'byModel'>;
  readonly conversations: Conversations;
  /** Counts of the code sandbox; undefined if code is off. */
  readonly codeStats?: (() => CodeStats) | undefined;
  /** Outbound requests that are in progress or waiting, by origin. */
  readonly outboundCounts?: () => OriginCounts[];
  /** Masks secrets in everything that is stored or shown. */
  readonly redactor: Redactor;
}
