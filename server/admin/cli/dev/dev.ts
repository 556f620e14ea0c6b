import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../../base/config/config.ts';
import { ownAddress } from '../../../base/config/own-address.ts';
import type { FlowFile } from '../../../flows/service/flow-files.ts';
import { createTriggerTable } from '../../../api/triggers/table.ts';
import { authNote, createDevGate } from './dev-access.ts';
import { listen } from '../../../access/http/http-server.ts';
import { createMemoryIdempotency } from '../../../storage/idempotency/memory-idempotency.ts';
import { buildDevApp } from './dev-app.ts';
import { type DevEvent, devEventText } from './dev-events.ts';
import { createDevFlows } from './dev-flows.ts';
import { watchRequests } from './dev-requests.ts';
import { createDevSession } from './dev-session.ts';
import type { ExitCode, Io } from '../io.ts';
import { findFlowFiles } from '../local/load-flow-files.ts';
import { createFlowFinder, errorLog, type LocalRuns, openLocalRuns } from '../local/local-runs.ts';
import { openProject, type Project, readVariables, withCode } from '../local/project.ts';
import { watchFiles } from './watch-files.ts';

export interface DevOptions {
  readonly paths: readonly string[];
  /** 0 picks a free one. */
  readonly port: number;
  readonly host: string;
  /** `name=json`, over the variables of the data folder. */
  readonly vars: readonly string[];
  readonly json: boolean;
}

/** Milliseconds that a stop waits for answers in progress. */
const GRACE_MS = 1000;

/**
 * `weft dev`: serves the triggers of some flow files, without the rest of the server, and reloads saved files. Ends
 * when the user asks to stop.
 */
export async function dev(options: DevOptions, io: Io): Promise<ExitCode> {
  const files = findFlowFiles(options.paths, io.cwd);
  const read = (project: Project): Promise<Project> => withCode(project, files);
  return await serveFlows({ ...options, files, read, watch: true }, io);
}

export interface ServeFlows extends Omit<DevOptions, 'paths'> {
  readonly files: readonly FlowFile[];
  /** Adds the flows in code, in their current state. */
  readonly read: (project: Project) => Promise<Project>;
  /** Reload saved files. */
  readonly watch: boolean;
}

/** Serves the triggers of these flows until the user asks to stop. */
export async function serveFlows(options: ServeFlows, io: Io): Promise<ExitCode> {
  const { files, read } = options;
  const stop = io.stopSignal();
  const report = (event: DevEvent): void =>
    void io.stdout.write(options.json ? `${JSON.stringify(event)}\n` : devEventText(event));
  const project = await openProject(io, options.vars);
  const config: Config = { ...project.config, host: options.host, port: options.port };
  const log = errorLog(io);

  let { variables } = project;
  const local = openLocalRuns({ project, log, variables: () => variables.values });
  const { hub } = local;
  const triggers = createTriggerTable();
  const requests = watchRequests(hub, report, { redactor: local.redactor, marks: local.marks, triggers });
  const gate = createDevGate(config);
  const own = {
    runs: requests.runs,
    redactor: local.redactor,
    idempotency: createMemoryIdempotency(Date.now),
  };
  const app = await buildDevApp({ config, log, host: local.host, triggers, gate, ...own }, requests.addHooks);
  await using parts = new AsyncDisposableStack();
  parts.defer(() => close(app, local));

  const flows = createDevFlows(files, triggers);
  const whole = await read(project);
  const first = flows.load(whole);
  let find = createFlowFinder(files, whole);
  local.offerFlows((id) => flows.live(id) ?? find(id), requests.runs);
  const bound = await listen(app.server, config, { host: '--host', port: '--port' });
  const origin = ownAddress({ host: options.host, publicUrl: undefined }, bound);
  const session = createDevSession({
    flows,
    triggers,
    requests,
    app,
    origin,
    authNote: authNote(config),
    report,
  });
  session.opened(first);
  const reload = inTurn(async () => {
    variables = currentVariables(project, options.vars, report) ?? variables;
    const current = await read({ ...project, variables });
    find = createFlowFinder(files, current);
    session.reload(current);
  }, report);
  if (options.watch) {
    const watch = await watchFiles(
      files.map(({ path }) => path),
      reload,
    );
    parts.defer(() => watch.close());
  }

  report({ event: 'listening', url: origin });
  if (!stop.aborted) await once(stop, 'abort');
  await parts.disposeAsync();
  report({ event: 'stopped' });
  return 0;
}

/** Runs one call of the work at a time: loading code is slow, and files may be saved again meanwhile. */
function inTurn(work: () => Promise<void>, report: (event: DevEvent) => void): () => void {
  let last = Promise.resolve();
  return () => {
    last = last.then(work).catch((error: unknown) => report({ event: 'note', text: String(error) }));
  };
}

/** The current variables of the data folder; undefined if they cannot be read at the moment. */
function currentVariables(
  { config }: Project,
  assignments: readonly string[],
  report: (event: DevEvent) => void,
): Project['variables'] | undefined {
  try {
    return readVariables(config.data, assignments);
  } catch (error) {
    report({ event: 'note', text: (error as Error).message });
    return undefined;
  }
}

/** Lets runs end while their callers can still be answered, then closes connections. */
async function close(app: FastifyInstance, local: LocalRuns): Promise<void> {
  await local.close();
  const force = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  await app.close();
  clearTimeout(force);
}
