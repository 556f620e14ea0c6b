import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '#engine';
import { type Db, openDb } from './adapters/db.ts';
import { linearRegex } from './adapters/regex.ts';
import { loadCodeFlows, type LoadedCode, withInline } from './authored/code-flows.ts';
import type { Config } from './config.ts';
import type { Context, VariableStore } from './context.ts';
import { scanCodeFiles } from './flows/flow-files.ts';
import { createFlowService } from './flows/flow-service.ts';
import { createVariableStore } from './flows/variable-store.ts';
import { loadOperators } from './load-operators.ts';
import { openOutside, type Outside } from './outside.ts';
import { createMemoryHistory } from './runs/memory-history.ts';
import { createRunHub } from './runs/run-hub.ts';
import { createSubFlows } from './runs/sub-flows.ts';
import { createAccess } from './security/access.ts';
import { keptKeys, makeKey } from './security/key-store.ts';
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
  const outside = openOutside(config, overrides);
  const { redactor, log, secrets, host } = outside;
  const db = await openDb(join(config.data, 'db.json'));
  const firstKey = overrides.access === undefined ? await makeFirstKey(config, db, host.now()) : undefined;
  const access = overrides.access ?? createAccess(config, keptKeys(db), host.now);
  const [operators, codeFlows] = await Promise.all([
    overrides.registry ?? readOperators(config, log),
    overrides.flows ? [] : readCodeFlows(config, log),
  ]);
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
  const runs = overrides.runs ?? createRuns(config, outside, variables);
  const subFlows = createSubFlows({ live: (id) => flows.live(id), runs });
  outside.services.flows = subFlows;

  const { catalog } = registry;
  const close = async (): Promise<void> => {
    if (overrides.flows === undefined) await flows.close();
    await outside.close();
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
    listening: outside.listening,
    close,
  };
}

function createRuns(
  { maxRuns }: Config,
  { host, log, redactor }: Outside,
  variables: VariableStore,
): Context['runs'] {
  const history = createMemoryHistory();
  return createRunHub({ host, log, history, redactor, maxRuns, variables: () => variables.snapshot() });
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
