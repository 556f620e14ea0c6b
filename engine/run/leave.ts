import { WeftError } from '../errors.ts';
import type { RunState } from './run.ts';

/** Lets go of a run where it stands: nothing of it fires, ends or is told any more. */
export function leave(run: RunState): void {
  // For good: a run that drains starts nothing else and does not end.
  run.draining = true;
  run.stopTimer?.();
  const left = new WeftError('run_cancelled', 'The run goes on elsewhere.');
  for (const call of run.calls ?? []) {
    call.over = true;
    call.stopTimer?.();
    call.abort(left);
  }
  run.recorder.leave();
}

/** Nothing goes on by itself: a durable context decides by the number of attempts that are awaited what comes of it. */
export function rest(run: RunState): void {
  run.ctx?.idle(() => awaited(run));
}

/** Infinitely many where something goes on that no end is awaited of. */
function awaited({ deferred, streams, calls }: RunState): number {
  const goesOn = deferred || (streams !== undefined && streams.count > 0);
  return goesOn ? Number.POSITIVE_INFINITY : (calls?.size ?? 0);
}
