import type { WaitInfo } from '#shared/wait.ts';
import type { DurableRuns } from '../durable/durable-runs.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { partsOf } from './wait-store.ts';

/** The flow of a wait whose run has not asked yet, but is in progress; undefined if it never will. */
export async function earlyFlow(
  { durable }: { readonly durable: DurableRuns },
  id: string,
): Promise<{ flow: string } | undefined> {
  const run = partsOf(id)?.run;
  const view = run === undefined ? undefined : await durable.get(run);
  return view && view.endedAt === undefined ? { flow: view.flow } : undefined;
}

/** Throws `wait_run_lost` for an open wait whose run is no longer stored, `storage_failed` if that cannot be read. */
export async function refuseLost(
  { durable }: { readonly durable: DurableRuns },
  { run, status }: Pick<WaitInfo, 'run' | 'status'>,
): Promise<void> {
  if (status === 'open' && (await durable.get(run)) === undefined)
    throw new ServiceError('wait_run_lost', `The run ${run} is not in durable.db any more.`);
}
