import type { Services, StateService } from '#engine';
import { createHost } from './adapters/node-host.ts';
import { type CallStores, openCallStores } from './after-runs/open-calls.ts';
import { createRunLinks, type RunLinks } from './durable/run-links.ts';
import type { Conversations } from './chat/conversations.ts';
import { createSqlConversations } from './chat/sql-conversations.ts';
import type { Config } from './config/config.ts';
import type { Context } from './routes/context.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { createSqlIdempotency } from './idempotency/sql-idempotency.ts';
import { createLog } from './log/log.ts';
import { findLosses } from './adapters/lost-data.ts';
import { createOutbound, type ProviderHttp } from './outbound/outbound.ts';
import type { OriginCounts } from './outbound/places.ts';
import { createCode } from './sandbox/code-service.ts';
import { RunMarks } from './runs/run-marks.ts';
import { createRedactor } from './secrets/redactor.ts';
import { openSecrets } from './secrets/store.ts';
import { createServerKey } from './security/server-key.ts';
import { createScheduleStore, type ScheduleStore } from './schedules/schedule-store.ts';
import { createTracing, tracedHttp, type Tracing } from './telemetry/tracing.ts';
import { createUsageStore, type UsageStore } from './usage/usage-store.ts';
import { type AuditLog, createAuditLog } from './security/audit-log.ts';
import { createSqlState } from './state/sql-state.ts';
import { openWeftSql } from './storage/weft-tables.ts';
import { openWaits } from './waits/open-waits.ts';

/** The parts that connect the engine to the outside, and the services that operators get from them. */
export interface Adapters
  extends Pick<Context, 'redactor' | 'log' | 'losses' | 'secrets' | 'host' | 'waits' | 'waitLinks'> {
  /** The services of `host`; those that need other parts are added later. */
  readonly services: { -readonly [K in keyof Omit<Services, 'http'>]: Services[K] } & {
    readonly http: ProviderHttp;
  };
  readonly conversations: Conversations;
  readonly state: StateService;
  /** The time up to which schedules were handled. */
  readonly scheduleStore: ScheduleStore;
  /** What models used. */
  readonly usageStore: UsageStore;
  readonly idempotency: IdempotencyStore;
  readonly auditLog: AuditLog;
  readonly links: RunLinks;
  readonly calls: CallStores;
  readonly marks: RunMarks;
  /** Undefined if traces are not sent. */
  readonly tracing: Tracing | undefined;
  /** Counts of the code sandbox; undefined if code is off. */
  readonly codeStats: Context['codeStats'];
  readonly outboundCounts: () => OriginCounts[];
  /** Tells the guard of outbound requests the server's own port. */
  listening(port: number): void;
  close(): Promise<void>;
}

/**
 * Opens the adapters; `overrides` replace parts. The data folder must exist. Throws a `StartError` if the secrets
 * cannot be decrypted.
 */
export function openAdapters(config: Config, overrides: Partial<Context>): Adapters {
  const redactor = overrides.redactor ?? createRedactor();
  const log = overrides.log ?? createLog(config, process.stdout, redactor);
  const losses = toldLosses(config, log);
  const marks = new RunMarks();
  const { untrusted, hidden } = marks;
  const secrets =
    overrides.secrets ?? openSecrets({ ...secretSettings(config), redactor, untrusted, now: Date.now });
  let ownPort = config.port;
  const { outboundAllow: allow, outboundLimits: limits } = config;
  const outbound = createOutbound({ allow, limits, ownPort: () => ownPort });
  const tracing = openTracing(config, log);
  const http = tracing === undefined ? outbound : tracedHttp(outbound, tracing);
  const services: Adapters['services'] = { http, secrets };
  const host = overrides.host ?? createHost(services);
  const sandbox = createCode(config.code, { services, warn: (message) => log.warn(message) });
  if (sandbox) services.code = sandbox;
  const sql = openWeftSql(config.data);
  const state = createSqlState(sql, host.now);
  services.state = state;
  const waiting = openWaits(
    { sql, config, redactor, hidden, log, host, http, secrets, port: () => ownPort },
    overrides,
  );
  services.waits = waiting.service;
  const calls = openCallStores(sql, { http, secrets, host, log });
  return {
    redactor,
    log,
    losses,
    secrets,
    host,
    services,
    state,
    waits: waiting.waits,
    waitLinks: waiting.waitLinks,
    scheduleStore: createScheduleStore(sql),
    usageStore: createUsageStore(sql),
    auditLog: overrides.auditLog ?? createAuditLog(sql, { now: host.now }),
    idempotency: overrides.idempotency ?? createSqlIdempotency(sql, host.now, secrets),
    links: overrides.links ?? createRunLinks(createServerKey(sql, 'run-links')),
    calls,
    marks,
    tracing,
    codeStats: sandbox && (() => sandbox.stats()),
    outboundCounts: () => outbound.counts(),
    conversations: createSqlConversations(sql, host.now),
    listening: (port) => void (ownPort = port),
    async close() {
      sandbox?.close();
      waiting.close();
      calls.deliveries.close();
      await tracing?.close();
      await outbound.close();
      await sql.close();
    },
  };
}

function toldLosses({ data, secrets }: Config, log: Context['log']): Context['losses'] {
  const losses = findLosses(data, { environment: Object.keys(secrets).length > 0 });
  for (const { store, message } of losses) log.error({ store }, message);
  return losses;
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

function secretSettings({ data, secretsKey: key, secrets: environment, grants }: Config) {
  return { data, key, environment, grants };
}
