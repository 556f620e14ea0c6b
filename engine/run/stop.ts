import type { RunError, RunStatus } from '#shared/run-event.ts';
import type { Step } from '../plan/plan.ts';
import { WeftError } from '../errors.ts';
import type { NodeCall } from './call.ts';
import { abortedError } from './error.ts';
import { killOutputs } from './outputs.ts';
import type { RunState } from './run.ts';
import * as state from './state.ts';

/** No step fires any more; what is in progress is told to end, and abandoned when it does not. */
export function stop(run: RunState, status: RunStatus, error: RunError): void {
  if (run.stopping !== undefined) return;
  run.stopping = status;
  run.failure = error;
  run.stopTimer?.();
  const reason = new WeftError(error.code, error.message);
  run.streams?.cancel(reason);
  for (const call of run.calls ?? []) {
    call.stopTimer?.();
    if (call.paused) {
      call.over = true;
      run.calls?.delete(call);
      aborted(run, call);
    } else call.abort(reason);
  }
  if (run.calls?.size) run.stopTimer = run.host.timer(state.ABORT_GRACE_MS, () => abandon(run));
}

function abandon(run: RunState): void {
  for (const call of run.calls ?? []) {
    call.over = true;
    run.open[call.step.index] = state.ABANDONED;
    killOutputs(run.values, call.step);
    leaveAlone(run, call.step);
  }
  run.calls?.clear();
  run.settleEnd();
}

export function leaveAlone(run: RunState, step: Step): void {
  (run.abandoned ??= new Set()).add(step);
  if (run.observed) run.recorder.nodeAbandoned(step);
}

export function aborted(run: RunState, call: NodeCall): void {
  run.open[call.step.index] = state.ABORTED;
  killOutputs(run.values, call.step);
  const error = abortedError(call);
  (run.errors ??= new Map()).set(call.step.index, error);
  if (run.observed) run.recorder.nodeFailed(call.step, error, 'no');
}
