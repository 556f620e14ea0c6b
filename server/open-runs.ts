import { join } from 'node:path';
import { type ErrorFlow } from './after-runs/error-flow.ts';
import { type CallStores, followRuns } from './after-runs/open-calls.ts';
import type { Config } from './config/config.ts';
import type { Context } from './routes/context.ts';
import type { Durable } from './durable/create-durable-runs.ts';
import { openDurable } from './durable/open-durable.ts';
import type { Adapters } from './open-adapters.ts';
import type { RunHistory } from './history/history.ts';
import { createJournal } from './history/journal/journal.ts';
import { createRunHub, type RunHubDeps } from './runs/run-hub.ts';
import { RunLimits } from './runs/run-limits.ts';
import { createSubFlows, type SubFlows } from './starts/sub-flows.ts';

/** What runs are started, kept and followed by. */
interface RunDeps {
  readonly context: {
    readonly runs: Context['runs'];
    readonly durable: Durable;
    readonly limits: RunLimits;
    readonly subFlows: SubFlows;
    readonly calls: CallStores & { readonly errorFlow: ErrorFlow };
  };
  readonly history: RunHistory;
}

/** Opens all of it; `runs` replaces the hub. */
export function openRuns(
  config: Config,
  outside: Adapters,
  parts: Pick<Context, 'flows' | 'registry' | 'variables'> & { readonly runs: Context['runs'] | undefined },
): RunDeps {
  const { host, log, redactor } = outside;
  const { flows, registry } = parts;
  const history = openHistory(config, log);
  const limits = new RunLimits();
  const variables = () => parts.variables.snapshot();
  const onFailed: RunHubDeps['onFailed'] = (...failed) => followed.afterRuns.failed(...failed);
  const runs = parts.runs ?? createHub(config, outside, { variables, history, limits, onFailed });
  const live = flows.live.bind(flows);
  const subFlows = createSubFlows({ live, runs, untrusted: outside.marks.untrusted });
  outside.services.flows = subFlows;
  const durable = openDurable({
    ...outside,
    data: config.data,
    sync: config.durableSync,
    live,
    runs,
    limits,
    registry,
    variables,
  });
  const followed = followRuns({ ...outside.calls, live, runs, durable, redactor, host, log });
  const calls = { ...outside.calls, errorFlow: followed.errorFlow };
  return { context: { runs, durable, limits, subFlows, calls }, history };
}

/** Nothing is opened before the first run has ended. */
function openHistory({ data, runsDays: days, runsSize: bytes }: Config, log: Context['log']): RunHistory {
  const warn = (message: string): void => log.warn(message);
  return createJournal({
    folder: join(data, 'runs'),
    blobs: join(data, 'blobs'),
    limits: { days, bytes },
    warn,
  });
}

function createHub(
  { maxRuns }: Config,
  { host, log, redactor, tracing, marks }: Adapters,
  more: Pick<RunHubDeps, 'variables' | 'history' | 'limits' | 'onFailed'>,
): Context['runs'] {
  return createRunHub({ host, log, redactor, maxRuns, tracing, marks, ...more });
}
