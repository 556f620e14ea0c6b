import { pino } from 'pino';
import { lazy } from '../base/parts/lazy.ts';
import type { Config } from '../base/config/config.ts';
import { readConfig } from '../base/config/read-config.ts';
import type { Context } from '../api/routes/context.ts';
import { createHost } from '../base/adapters/node-host.ts';
import { createMemoryIdempotency } from '../storage/idempotency/memory-idempotency.ts';
import { RunLimits } from '../execution/runs/run-limits.ts';
import { createRedactor } from '../base/secrets/redactor.ts';
import { createAccess } from '../access/security/access.ts';

/** A configuration for tests: everything at its default, on a free port, silent. */
export function testConfig(changes: Partial<Config> = {}): Config {
  return {
    ...readConfig({ env: {}, cwd: '/nonexistent', terminal: false }).config,
    port: 0,
    flows: [],
    operators: '/nonexistent',
    data: '/nonexistent',
    logLevel: 'silent',
    graceMs: 1000,
    ...changes,
  };
}

/** A context whose platform parts are real; a test must provide the flows, triggers and runs that it needs. */
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
    ownPort: () => 0,
    registry: absent('registry'),
    catalog: absent('catalog'),
    packages: [],
    services: absent('services'),
    flows: absent('flows'),
    files: absent('files'),
    uploads: absent('uploads'),
    variables: absent('variables'),
    triggers: absent('triggers'),
    runs: absent('runs'),
    durable: absent('durable'),
    apps: absent('apps'),
    pages: absent('pages'),
    pins: absent('pins'),
    evaluationResults: absent('evaluationResults'),
    waits: absent('waits'),
    waitLinks: absent('waitLinks'),
    formKey: absent('formKey'),
    schedules: { list: async () => [] },
    schedulePauses: absent('schedulePauses'),
    sources: { list: async () => [], again: () => undefined },
    hooks: lazy(() => Promise.reject(new Error('There are no hooks here.'))),
    deliveries: absent('deliveries'),
    schedulesElsewhere: () => undefined,
    subFlows: { hold: (_, start) => start() },
    nodes: {
      list: async () => [],
      pending: () => [],
      reportUnserved: () => {},
      reportFlows: () => {},
      lackingFormat: async () => [],
      leave: async () => {},
      isStale: () => false,
      canWrite: () => true,
    },
    access: createAccess(config, []),
    keys: absent('keys'),
    auditLog: { add: async () => {}, list: async () => ({ entries: [] }) },
    gate: absent('gate'),
    links: absent('links'),
    limits: new RunLimits(),
    calls: absent('calls'),
    idempotency: createMemoryIdempotency(Date.now),
    secrets: absent('secrets'),
    connections: absent('connections'),
    providers: absent('providers'),
    models: absent('models'),
    budgets: absent('budgets'),
    toolTrials: absent('toolTrials'),
    knowledge: absent('knowledge'),
    modelSettings: absent('modelSettings'),
    providerHttp: absent('providerHttp'),
    usage: absent('usage'),
    modelUsage: absent('modelUsage'),
    conversations: absent('conversations'),
    redactor: createRedactor(),
    ...parts,
  };
}
