import type { Caller, Outcome, Run, Spent } from '#engine';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { EventLog } from '../history/event-log.ts';
import { errorLine } from '../history/recorded-event.ts';
import type { RecordMode } from '../history/sampling.ts';

/** A run that has not ended, or whose end is not written yet. */
export interface LiveRun {
  readonly id: string;
  readonly request: RunRequest;
  readonly mode: RecordMode;
  run: Run | undefined;
  /** Present from the moment the run is observed. */
  log: EventLog | undefined;
  outcome: Outcome | undefined;
}

/** The run's line, with the status running until it has an outcome. */
export function lineOf(
  { request, run, outcome }: { request: RunRequest; run: Run; outcome: Outcome | undefined },
  recorded: boolean,
  redactor: Redactor | undefined,
): RunSummary {
  const { flow, version, trigger, startedAt } = run;
  const line: RunSummary = {
    run: run.id,
    flow,
    version,
    trigger,
    source: request.source,
    startedAt,
    status: outcome?.status ?? 'running',
    recorded,
  };
  if (request.part !== undefined) nameParent(line, request.part.parent);
  if (outcome !== undefined) {
    line.ms = outcome.ms;
    if (outcome.spent !== undefined) addSpent(line, outcome.spent);
    if (outcome.error !== undefined) line.error = errorLine(outcome.error, redactor);
  }
  return line;
}

function nameParent(line: RunSummary, { id, node }: Caller): void {
  line.parent = id;
  if (node !== undefined) line.parentNode = node;
}

function addSpent(line: RunSummary, { tokens, cost }: Spent): void {
  line.tokens = { ...tokens };
  if (cost !== undefined) line.cost = cost;
}
