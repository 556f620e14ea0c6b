import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { createHost } from '../adapters/node-host.ts';
import type { Config } from '../config.ts';
import type { RunHub } from '../context.ts';
import { createMemoryHistory } from '../runs/memory-history.ts';
import { createRunHub } from '../runs/run-hub.ts';
import { createTriggerTable } from '../triggers/table.ts';
import { createDevAccess, keyNote } from './dev-access.ts';
import { buildDevApp } from './dev-app.ts';
import { type DevEvent, devEventText } from './dev-events.ts';
import { createDevFlows } from './dev-flows.ts';
import { listen } from './dev-listen.ts';
import { watchRequests } from './dev-requests.ts';
import { createDevSession } from './dev-session.ts';
import type { ExitCode, Io } from './io.ts';
import { findFlowFiles } from './load-flow-files.ts';
import { openProject, type Project, readVariables } from './project.ts';
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

/** How long a stop waits for runs in progress, then for answers that are being sent, in milliseconds. */
const GRACE_MS = 1000;

/**
 * `weft dev`: serves the triggers of some flow files, without the rest of the service, and reloads what is saved. Ends when
 * the user asks to stop.
 */
export async function dev(options: DevOptions, io: Io): Promise<ExitCode> {
  const stop = io.stopSignal();
  const tell = (event: DevEvent): void =>
    void io.stdout.write(options.json ? `${JSON.stringify(event)}\n` : devEventText(event));
  const files = findFlowFiles(options.paths, io.cwd);
  const project = await openProject(io, options.vars);
  const config: Config = { ...project.config, host: options.host, port: options.port };
  const log = pino({ level: 'error' }, { write: (line) => void io.stderr.write(line) });

  let { variables } = project;
  const hub = createHub(config, log, () => variables.values);
  const triggers = createTriggerTable();
  const requests = watchRequests(hub, tell);
  const access = createDevAccess(config);
  const app = await buildDevApp({ config, log, triggers, runs: requests.runs, access }, requests.addHooks);
  await using parts = new AsyncDisposableStack();
  parts.defer(() => close(app, hub));

  const flows = createDevFlows(files, triggers);
  const first = flows.load(project);
  const origin = await listen(app, config);
  const session = createDevSession({
    flows,
    triggers,
    requests,
    app,
    origin,
    keyNote: keyNote(config),
    tell,
  });
  session.opened(first);
  const reload = (): void => {
    variables = currentVariables(project, options.vars, tell) ?? variables;
    session.reload({ ...project, variables });
  };
  const watch = await watchFiles(
    files.map(({ path }) => path),
    reload,
  );
  parts.defer(() => watch.close());

  tell({ event: 'listening', url: origin });
  if (!stop.aborted) await once(stop, 'abort');
  await parts.disposeAsync();
  tell({ event: 'stopped' });
  return 0;
}

function createHub(config: Config, log: Logger, variables: () => Project['variables']['values']): RunHub {
  const history = createMemoryHistory({ summaries: 1000 });
  return createRunHub({ host: createHost(), history, log, maxRuns: config.maxRuns, variables });
}

/** The data folder's variables as they are now; undefined when they cannot be read at the moment. */
function currentVariables(
  { config }: Project,
  assignments: readonly string[],
  tell: (event: DevEvent) => void,
): Project['variables'] | undefined {
  try {
    return readVariables(config.data, assignments);
  } catch (error) {
    tell({ event: 'note', text: (error as Error).message });
    return undefined;
  }
}

/** Lets runs end while their callers can still be answered, then closes connections. */
async function close(app: FastifyInstance, hub: RunHub): Promise<void> {
  await hub.drain(GRACE_MS);
  const force = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  await app.close();
  clearTimeout(force);
}
