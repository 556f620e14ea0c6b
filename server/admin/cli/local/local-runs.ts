import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { type Logger, pino } from 'pino';
import type { Host, Services } from '#engine';
import { ID_PATTERN } from '#shared/flow.ts';
import { createHost } from '../../../base/adapters/node-host.ts';
import { createAccounts } from '../../../chat/agents/accounts.ts';
import { createAgents } from '../../../chat/agents/agents.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { RunHub } from '../../../execution/runs/run-types.ts';
import { servingOf } from '../../../flows/service/entry.ts';
import { compiledNow } from '../../../flows/service/examine.ts';
import { type FlowFile, flowFileAt, scanFlowFiles } from '../../../flows/service/flow-files.ts';
import { createModels } from '../../../integrations/models/models.ts';
import { fixedProviders } from '../../../integrations/models/provider-store.ts';
import { createOutbound, optionsOf, passwordOf } from '../../../base/outbound/outbound.ts';
import { createRateService } from '../../../base/rates/rate-service.ts';
import { createMemoryHistory } from '../../../execution/history/memory-history.ts';
import { createRunHub } from '../../../execution/runs/run-hub.ts';
import { createCode } from '../../../integrations/sandbox/create-code.ts';
import { terminalSecrets } from '../../../base/secrets/environment.ts';
import { createRedactor, type Redactor } from '../../../base/secrets/redactor.ts';
import { RunMarks } from '../../../execution/runs/run-marks.ts';
import { createSubFlows, type SubFlows } from '../../../execution/starts/sub-flows.ts';
import { createMemoryState } from '../../../execution/state/memory-state.ts';
import { createSqlState } from '../../../execution/state/sql-state.ts';
import { openWeftSql } from '../../../storage/database/weft-tables.ts';
import type { StateStore } from '../../../execution/state/state-store.ts';
import type { Io } from '../io.ts';
import { loadFlowFiles } from './load-flow-files.ts';
import type { Project } from './project.ts';

/**
 * Runs the flows of a command in its own process: they can call each other, store state, and send requests through the
 * guarded client, with secrets from WEFT_SECRET_<NAME>. Models are those of the demo provider and of WEFT_PROVIDERS;
 * agents are those defined in flows.
 */
export interface LocalRuns extends AsyncDisposable {
  readonly host: Host;
  readonly hub: RunHub;
  /** Knows the secrets of this command. */
  readonly redactor: Redactor;
  /** The marks of `hub`. */
  readonly marks: RunMarks;
  /** Lets flows call the flows of `live`, as parts of runs that `runs` starts. */
  offerFlows(
    live: (id: string) => LiveFlow | undefined,
    runs?: Pick<RunHub, 'start' | 'placeFor' | 'leavePart'>,
  ): SubFlows;
  /** Waits a moment for runs in progress, then ends them. */
  close(): Promise<void>;
}

export interface LocalRunsDeps {
  readonly project: Project;
  readonly log: FastifyBaseLogger;
  readonly variables: () => Project['variables']['values'];
}

/** Apps and their resources belong to a server. */
const noApps = { get: async (): Promise<undefined> => undefined };
const noBudgets = { answer: {}, apps: {}, keys: {} };

const RUN_LINES = 1000;
/** How long a stop waits for runs in progress, in milliseconds. */
const GRACE_MS = 1000;

export function openLocalRuns({ project, log, variables }: LocalRunsDeps): LocalRuns {
  const { data, maxRuns, secrets, providers, model, modelAliases, proxyCredentials } = project.config;
  const state = openState(data);
  const http = createOutbound(optionsOf(project.config));
  const redactor = createRedactor();
  for (const value of Object.values(secrets)) redactor.add(value);
  if (proxyCredentials !== undefined) redactor.add(passwordOf(proxyCredentials));
  const terminal = terminalSecrets(secrets);
  const offered = { providers: fixedProviders(providers), preferred: model, aliases: modelAliases };
  const models = createModels({ ...offered, http, secrets: terminal });
  const services: { -readonly [K in keyof Services]: Services[K] } = {
    state,
    http,
    secrets: terminal,
    models,
    rates: createRateService(Date.now),
  };
  const sandbox = createCode(project.config, {
    services: () => services,
    warn: (message) => log.warn(message),
  });
  if (sandbox) services.code = sandbox;
  const mcp = async () => (await import('../../../chat/agents/tools/mcp-ask.ts')).createMcpService({ http });
  services.mcp = { ask: async (...asked) => (await mcp()).ask(...asked) };
  const host = createHost(services);
  const accounts = createAccounts({ budgets: () => noBudgets, state, now: host.now, warn: () => {} });
  const history = createMemoryHistory({ summaries: RUN_LINES });
  const marks = new RunMarks();
  const hub = createRunHub({ host, log, redactor, history, maxRuns, variables, marks, onEnded: http.forget });
  const close = async (): Promise<void> => {
    await hub.drain(GRACE_MS);
    sandbox?.close();
    await http.close();
    await state.close();
  };
  return {
    host,
    hub,
    redactor,
    marks,
    offerFlows(live, runs = hub) {
      const subFlows = createSubFlows({ live, runs });
      services.flows = subFlows;
      services.agents = createAgents({
        apps: noApps,
        models,
        live,
        flows: subFlows,
        http,
        secrets: terminal,
        accounts,
        // There are no callers with a key here.
        keyOf: () => undefined,
        host,
      });
      return subFlows;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function errorLog(io: Io): Logger {
  return pino({ level: 'error' }, { write: (line) => void io.stderr.write(line) });
}

/** The state in the data folder, opened on first use; without a data folder it lasts as long as the command. */
function openState(data: string): StateStore & { close(): Promise<void> } {
  let opened: OpenState | undefined;
  const store = (): StateStore => (opened ??= existsSync(data) ? kept(data) : forgotten()).store;
  return {
    get: async (...about) => store().get(...about),
    set: async (...about) => store().set(...about),
    add: async (...about) => store().add(...about),
    close: async () => await opened?.close(),
  };
}

interface OpenState {
  readonly store: StateStore;
  close(): Promise<void>;
}

function kept(data: string): OpenState {
  const sql = openWeftSql(data);
  return { store: createSqlState(sql, Date.now), close: () => sql.close() };
}

function forgotten(): OpenState {
  return { store: createMemoryState(Date.now), close: async () => {} };
}

/** Finds called flows among `files`, in the flows folders, and next to `files`. Each is read on its first call. */
export function createFlowFinder(
  files: readonly FlowFile[],
  project: Project,
): (id: string) => LiveFlow | undefined {
  const found = new Map<string, LiveFlow | undefined>();
  const isReadable = ({ code, path }: FlowFile): boolean => !code || project.code.has(path);

  function fileOf(id: string): FlowFile | undefined {
    const near = (known: readonly FlowFile[]) => known.find((file) => file.id === id && isReadable(file));
    return near(files) ?? near(scanFlowFiles(project.config.flows)) ?? fileBeside(files, id);
  }

  function read(id: string): LiveFlow | undefined {
    const file = fileOf(id);
    const [loaded] = file ? loadFlowFiles([file], project) : [];
    if (!loaded) return undefined;
    const examined = compiledNow(loaded.examined);
    return examined.runnable ? servingOf(id, examined)?.live : undefined;
  }

  return (id) => {
    if (!found.has(id)) found.set(id, read(id));
    return found.get(id);
  };
}

/** A file outside of the flows folders may call flows next to it. */
function fileBeside(files: readonly FlowFile[], id: string): FlowFile | undefined {
  if (!ID_PATTERN.test(id)) return undefined;
  const folders = new Set(files.map(({ path }) => dirname(path)));
  for (const folder of folders) {
    const path = join(folder, `${id}.json`);
    if (existsSync(path)) return flowFileAt([folder], path);
  }
  return undefined;
}
