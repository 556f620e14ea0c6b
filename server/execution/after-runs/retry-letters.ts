import type { Retried, WhichLetters } from '#shared/calls-api.ts';
import { WeftError } from '#engine';
import type { DurableRuns } from '../durable/durable-runs.ts';
import type { CallStores } from './open-calls.ts';
import { ServiceError } from '../../base/errors/errors.ts';

interface LetterDeps {
  readonly calls: Pick<CallStores, 'deadLetters'>;
}

type Deps = LetterDeps & { readonly durable: DurableRuns };

/** The most dead letters of a flow that one request retries, oldest first. */
const MOST = 500;

/**
 * Retries a run from where it failed; returns the new run. Throws `run_not_found`, `run_not_retryable`,
 * `storage_failed`.
 */
export async function retryRun(
  { durable, calls }: Deps,
  id: string,
  version: 'same' | 'live',
): Promise<string> {
  const { run } = await durable.retry(id, { version });
  // If the process fails between the two, a run may be retried twice but is never lost.
  await calls.deadLetters.drop(id);
  return run;
}

/** Retries each of them; those that cannot be retried stay and are reported as failed. */
export async function retryLetters(
  deps: Deps,
  which: WhichLetters,
  version: 'same' | 'live',
): Promise<Retried> {
  const report: Retried = { retried: [], failed: [] };
  for (const run of await runsOf(deps, which)) {
    try {
      report.retried.push({ run, as: await retryRun(deps, run, version) });
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof WeftError)) throw error;
      report.failed.push({ run, code: error.code, message: error.message });
    }
  }
  return report;
}

/** Returns how many there were. */
export async function dropLetters({ calls }: LetterDeps, which: WhichLetters): Promise<number> {
  const runs = await runsOf({ calls }, which);
  const dropped = await Promise.all(runs.map((run) => calls.deadLetters.drop(run)));
  return dropped.filter(Boolean).length;
}

async function runsOf({ calls }: LetterDeps, { runs, flow }: WhichLetters): Promise<readonly string[]> {
  return runs ?? (await calls.deadLetters.oldest(flow as string, MOST));
}
