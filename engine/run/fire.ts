import type { SkipReason } from '#shared/run-event.ts';
import { DEAD, type Step } from '../plan/plan.ts';
import { execute } from './attempt.ts';
import { bind, leaveStreams } from './bind.ts';
import { NodeCall } from './call.ts';
import { killOutputs } from './outputs.ts';
import type { RunState } from './run.ts';
import { OK, SKIPPED } from './state.ts';
import { StreamSource } from './stream.ts';

/** A step whose edges have all settled: carries it out, or skips it. */
export function fire(run: RunState, step: Step): void {
  if (step.disabled !== 'no') {
    bypass(run, step);
    return;
  }
  const value = step.source >= 0 ? run.values[step.source] : DEAD;
  if (value !== DEAD && !StreamSource.is(value)) {
    execute(run, new NodeCall(run, step, value));
    return;
  }
  const bound = bind(run.values, step);
  if (typeof bound === 'string') {
    skip(run, step, bound);
    return;
  }
  const first = step.inputs[0];
  const call = new NodeCall(run, step, first && bound.values[first.name]);
  call.bound = bound.values;
  call.readers = bound.readers;
  execute(run, call);
}

function skip(run: RunState, step: Step, reason: SkipReason): void {
  killOutputs(run.values, step);
  leaveStreams(run.values, step);
  if (run.observed) run.recorder.nodeSkipped(step, reason);
  run.settle(step, SKIPPED);
}

/** A disabled step hands its value on where it can, else counts as skipped. */
function bypass(run: RunState, step: Step): void {
  const value = step.disabled === 'pass' ? run.values[step.source] : DEAD;
  if (value === undefined || value === DEAD) {
    skip(run, step, step.disabled === 'left-out' ? 'left-out' : 'disabled');
    return;
  }
  killOutputs(run.values, step);
  if (run.observed) run.recorder.nodeStarted(new NodeCall(run, step, value));
  run.values[step.out] = value;
  if (StreamSource.is(value)) passOn(run, step, value);
  run.settle(step, OK);
}

function passOn(run: RunState, step: Step, source: StreamSource): void {
  const edges = step.fanOut[0] ?? 0;
  if (edges > 0) source.fork(edges);
  else run.streams?.handOut(source, step, step.out);
}
