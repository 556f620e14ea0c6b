import type { WaitStore } from './durable-runs.ts';
import type { OpenOne } from './pass-context.ts';
import type { DurableEngine } from './port.ts';

/** The number of waiting runs that are checked together. */
const PAGE = 200;

/**
 * Checks every wait once: decisions and requests to end a run that were stored when the process died have woken no run.
 */
export async function wakeAnswered(
  engine: Pick<DurableEngine, 'list' | 'wake'>,
  waits: Pick<WaitStore, 'answer'>,
): Promise<void> {
  let before: string | undefined;
  do {
    const waiting = await engine.list({ status: ['waiting'], before, limit: PAGE });
    for (const { run, waitingFor = '[]', cancelledBy } of waiting) {
      const open = JSON.parse(waitingFor) as OpenOne[];
      if (cancelledBy !== undefined || (await isAnswered(run, open, waits))) await engine.wake(run);
    }
    before = waiting.length < PAGE ? undefined : waiting.at(-1)?.run;
  } while (before !== undefined);
}

/** The same for runs with a known decision, about one of their open waits or another wait. */
export async function wakeThoseAnswered(
  waiting: readonly { readonly run: string; readonly waitingFor: string }[],
  engine: Pick<DurableEngine, 'wake'>,
  waits: Pick<WaitStore, 'answer'>,
): Promise<void> {
  for (const { run, waitingFor } of waiting)
    if (await isAnswered(run, JSON.parse(waitingFor) as OpenOne[], waits)) await engine.wake(run);
}

async function isAnswered(
  run: string,
  open: readonly OpenOne[],
  waits: Pick<WaitStore, 'answer'>,
): Promise<boolean> {
  for (const { key, what } of open)
    if (what.kind === 'answer' && (await waits.answer(run, key)) !== undefined) return true;
  return false;
}
