import { pino } from 'pino';
import type { Config } from '../config/config.ts';
import type { Context } from '../routes/context.ts';
import { createHost } from '../adapters/node-host.ts';
import { createMemoryIdempotency } from '../idempotency/memory-idempotency.ts';
import { RunLimits } from '../runs/run-limits.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { createAccess } from '../security/access.ts';

/** A configuration for tests: everything at its default, on a free port, silent. */
export function testConfig(changes: Partial<Config> = {}): Config {
  return {
    port: 0,
    host: '127.0.0.1',
    flows: [],
    operators: '/nonexistent',
    codeFlows: true,
    data: '/nonexistent',
    apiKeys: [],
    adminPassword: undefined,
    editor: 'on',
    deploy: 'on-save',
    publicUrl: undefined,
    triggerOrigin: undefined,
    allowedHosts: [],
    trustProxy: false,
    corsOrigins: [],
    logLevel: 'silent',
    logFormat: 'json',
    bodyLimit: 10 * 1024 ** 2,
    bodyBudget: 64 * 1024 ** 2,
    maxConnections: 256,
    maxRuns: 1000,
    runsDays: 30,
    runsSize: 1024 ** 3,
    durableSync: 'normal',
    graceMs: 1000,
    outboundAllow: [],
    outboundLimits: {},
    code: 'on',
    secretsKey: undefined,
    secrets: {},
    grants: {},
    providers: {},
    model: undefined,
    modelAliases: {},
    otlpEndpoint: undefined,
    otelServiceName: 'weft',
    tracesSampler: 'parentbased_always_on',
    tracesSamplerArg: 1,
    ...changes,
  };
}

/** A context whose platform parts are real and whose flows, triggers and runs must be given by the test that needs them. */
export function testContext(parts: Partial<Context> = {}): Context {
  const config = parts.config ?? testConfig();
  const absent = <T extends object>(name: string): T =>
    new Proxy({} as T, {
      get: (_target, key) => {
        throw new Error(`The test gives no ${name} (${String(key)} was read).`);
      },
    });
  return {
    config,
    editorFiles: '/nonexistent',
    log: pino({ level: 'silent' }),
    losses: [],
    host: createHost(),
    registry: absent('registry'),
    catalog: absent('catalog'),
    flows: absent('flows'),
    variables: absent('variables'),
    triggers: absent('triggers'),
    runs: absent('runs'),
    durable: absent('durable'),
    apps: absent('apps'),
    pins: absent('pins'),
    waits: absent('waits'),
    waitLinks: absent('waitLinks'),
    schedules: { list: () => [] },
    subFlows: { hold: (_, start) => start() },
    access: createAccess(config, []),
    keys: absent('keys'),
    gate: absent('gate'),
    links: absent('links'),
    limits: new RunLimits(),
    calls: absent('calls'),
    idempotency: createMemoryIdempotency(Date.now),
    secrets: absent('secrets'),
    providers: absent('providers'),
    models: absent('models'),
    budgets: absent('budgets'),
    modelSettings: absent('modelSettings'),
    providerHttp: absent('providerHttp'),
    usage: absent('usage'),
    modelUsage: absent('modelUsage'),
    conversations: absent('conversations'),
    redactor: createRedactor(),
    ...parts,
  };
}
