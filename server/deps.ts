import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, type Services } from '#engine';
import { type Db, openDb } from './adapters/db.ts';
import { createHost } from './adapters/node-host.ts';
import { linearRegex } from './adapters/regex.ts';
import { openWeftDb } from './adapters/weft-db.ts';
import { loadCodeFlows, type LoadedCode, withInline } from './authored/code-flows.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { scanCodeFiles } from './flows/flow-files.ts';
import { createFlowService } from './flows/flow-service.ts';
import { createVariableStore } from './flows/variable-store.ts';
import { loadOperators } from './load-operators.ts';
import { createLog } from './log.ts';
import { createOutbound } from './outbound/outbound.ts';
import { createMemoryHistory } from './runs/memory-history.ts';
import { createRunHub } from './runs/run-hub.ts';
import { createCode } from './sandbox/code-service.ts';
import { createSubFlows } from './runs/sub-flows.ts';
import { createRedactor, type Redactor } from './secrets/redactor.ts';
import { openSecrets, type SecretParts } from './secrets/store.ts';
import { createAccess } from './security/access.ts';
import { keptKeys, makeKey } from './security/key-store.ts';
import { createSqliteState } from './state/sqlite-state.ts';
import { createTriggerTable } from './triggers/table.ts';

const builtEditor = fileURLToPath(new URL('../dist/editor', import.meta.url));

/** A context with what belongs to its own life. */
export interface OwnedContext extends Context {
  /** The API key that was made because there was none; it exists nowhere else. */
  readonly firstKey: string | undefined;
  /** Tells the guard of requests to the outside which port is the server's own. */
  listening(port: number): void;
  /** Ends what the parts hold: watched files, timers. Parts that were handed in stay as they are. */
  close(): Promise<void>;
}

/** Builds all parts of the server, each once, from its settings; `overrides` replace parts. The data folder must exist. */
export async function createContext(config: Config, overrides: Partial<Context> = {}): Promise<OwnedContext> {
  const redactor = overrides.redactor ?? createRedactor();
  const log = overrides.log ?? createLog(config, process.stdout, redactor);
  const secrets = overrides.secrets ?? openSecrets(secretParts(config, redactor));
  let ownPort = config.port;
  const outbound = createOutbound({ allow: config.outboundAllow, ownPort: () => ownPort });
  const services: Offered = { http: outbound, secrets };
  const host = overrides.host ?? createHost(services);
  const sandbox = createCode(config.code, { services, warn: (message) => log.warn(message) });
  if (sandbox) services.code = sandbox;
  const weftDb = openWeftDb(config.data);
  services.state = createSqliteState(weftDb, host.now);
  const db = await openDb(join(config.data, 'db.json'));
  const firstKey = overrides.access === undefined ? await makeFirstKey(config, db, host.now()) : undefined;
  const access = overrides.access ?? createAccess(config, keptKeys(db), host.now);
  const operators = overrides.registry ?? (await readOperators(config, log));
  const codeFlows = overrides.flows ? [] : await readCodeFlows(config, log);
  const registry = withInline(operators, codeFlows);
  const variables = overrides.variables ?? createVariableStore(db);
  const triggers = overrides.triggers ?? createTriggerTable(host.defer);
  const tools = { regex: linearRegex };
  const flows =
    overrides.flows ??
    (await createFlowService({
      config,
      log,
      registry,
      triggers,
      variables,
      compile,
      tools,
      host,
      secrets: () => secrets.list(),
      codeFlows,
    }));
  const runs =
    overrides.runs ??
    createRunHub({
      host,
      log,
      history: createMemoryHistory(),
      redactor,
      maxRuns: config.maxRuns,
      variables: () => variables.snapshot(),
    });
  const subFlows = createSubFlows({ live: (id) => flows.live(id), runs });
  services.flows = subFlows;

  const { catalog } = registry;
  const close = async (): Promise<void> => {
    if (overrides.flows === undefined) await flows.close();
    sandbox?.close();
    await outbound.close();
    weftDb.close();
  };
  const editorFiles = overrides.editorFiles ?? builtEditor;
  return {
    config,
    editorFiles,
    log,
    host,
    registry,
    catalog,
    flows,
    variables,
    triggers,
    runs,
    subFlows,
    access,
    secrets,
    redactor,
    firstKey,
    listening(port) {
      ownPort = port;
    },
    close,
  };
}

/** What operators are offered; some of it is made from parts that need the host themselves. */
type Offered = { -readonly [K in keyof Services]: Services[K] };

function secretParts(config: Config, redactor: Redactor): SecretParts {
  const { data, secretsKey: key, secrets: environment, grants } = config;
  return { data, key, environment, grants, redactor, now: Date.now };
}

/** A server without any key would be closed to the first `curl`, and an open one is no choice. */
async function makeFirstKey(config: Config, db: Db, now: number): Promise<string | undefined> {
  return config.apiKeys.length > 0 || keptKeys(db).length > 0 ? undefined : makeKey(db, 'first', now);
}

/** Flows written in code; a broken one is listed with its problem. */
async function readCodeFlows(config: Config, log: Context['log']): Promise<LoadedCode[]> {
  if (!config.codeFlows) return [];
  const loaded = await loadCodeFlows(scanCodeFiles(config.flows));
  for (const { file, problem } of loaded)
    if (problem) log.warn({ file: file.shown, problem }, 'a flow written in code cannot go live');
  return loaded;
}

/** Built-in operators and the user's own; a broken file of the user's costs its operator only. */
async function readOperators(config: Config, log: Context['log']): Promise<Context['registry']> {
  const { registry, problems } = await loadOperators({ builtIn: true, folder: config.operators });
  for (const { file, message } of problems) log.warn({ file, problem: message }, 'an operator was left out');
  return registry;
}
