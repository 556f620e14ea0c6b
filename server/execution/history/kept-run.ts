import type { RunExport } from '#shared/api.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { Gap } from './follower.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { loadValues, wholeEvents } from './blobs/whole-events.ts';
import type { RunReads } from './run-reads.ts';

/** A run with its stored events. */
export interface KeptRun {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
}

type Runs = Pick<RunReads, 'get' | 'events' | 'value'>;

/** An ended run whose events are stored, with its large values whole. Throws `run_not_found` or `conflict`. */
export async function keptRun(runs: Runs, id: string): Promise<KeptRun> {
  const { summary, events } = await found(runs, id);
  if (summary.status === 'running')
    throw new ServiceError('conflict', `The run ${id} is in progress; wait for its end, or cancel it.`);
  if (!summary.recorded)
    throw new ServiceError(
      'conflict',
      `The values of the run ${id} were not stored; set \`record: full\` in the settings of the flow to store those of every run.`,
    );
  const own = events.filter((event): event is RunEvent => event.kind !== 'gap');
  return { summary, events: await wholeEvents(own, (hash) => runs.value(id, hash)) };
}

/** A run as a file. Throws `run_not_found`. */
export async function exportRun(runs: Runs, id: string): Promise<RunExport> {
  const { summary, events } = await found(runs, id);
  const values = await loadValues(events, (hash) => runs.value(id, hash));
  return {
    format: 'weft.run/1',
    summary,
    events,
    ...(values.size > 0 && { values: Object.fromEntries(values) }),
  };
}

async function found(runs: Runs, id: string): Promise<{ summary: RunSummary; events: (RunEvent | Gap)[] }> {
  const [summary, events] = await Promise.all([runs.get(id), runs.events(id, 0)]);
  if (summary === undefined || events === undefined)
    throw new ServiceError(
      'run_not_found',
      `There is no run ${id}; it may have been removed because of its age.`,
    );
  return { summary, events };
}
