import { DEAD } from '../plan/plan.ts';
import { isPromise } from '../is-promise.ts';
import { carryOutCached } from './cache.ts';
import type { NodeCall } from './call.ts';
import { isTransient } from '../transient.ts';
import { carryOutDurably, isJournaled, sleepDurably } from './durable.ts';
import { timeoutError, toRunError } from './error.ts';
import { Journaled } from './journaled.ts';
import type { ItemStream } from '../item-stream.ts';
import { LiftedStream } from './lift.ts';
import { Opening } from './opening.ts';
import { killOutputs, writeFallback, writeOutputs } from './outputs.ts';
import { retryDelay } from './retry.ts';
import type { RunState } from './run.ts';
import * as state from './state.ts';
import { aborted, leaveAlone, stop } from './stop.ts';
import { type StepEnd, Streams } from './streams.ts';

/**
 * The attempts of a step: carry it out, await it, limit its time, try again, take what it gave.
 *
 * A1. Every attempt ends in exactly one of: settled, another attempt, the run's failure, aborted, left alone.
 * A2. `run.calls` holds the attempts that are awaited or wait for their turn; each of them holds a slot of `concurrency`.
 * A3. What an attempt does after `call.over` is set changes nothing.
 */
type Continue = (run: RunState, call: NodeCall, value: unknown) => void;

/** Carries out one attempt; a plain value is taken in the same turn. */
export function execute(run: RunState, call: NodeCall): void {
  if (run.observed) run.recorder.nodeStarted(call);
  if (run.times !== undefined) run.times[2 * call.step.index] ??= run.host.now();
  let result: unknown;
  try {
    result = carryOut(run, call);
  } catch (error) {
    failed(run, call, error);
    return;
  }
  if (call.step.streams) openStreams(run, call, result);
  else if (isPromise(result)) wait(run, call, result, returned);
  else returned(run, call, result);
}

function carryOut(run: RunState, call: NodeCall): unknown {
  const { step } = call;
  if (step.lifted && call.readers) return new LiftedStream(call, call.input as ItemStream);
  call.params = step.makeParams === undefined ? step.params : step.makeParams(call);
  if (run.ctx !== undefined && isJournaled(step)) {
    return carryOutDurably(run.ctx, call, () => carryOutHere(run, call));
  }
  return carryOutHere(run, call);
}

function carryOutHere(run: RunState, call: NodeCall): unknown {
  const { step } = call;
  return step.cache === undefined ? step.run?.(call) : carryOutCached(run, call, step.cache);
}

function wait(run: RunState, call: NodeCall, promise: Promise<unknown>, then: Continue): void {
  const { step } = call;
  run.open[step.index] = state.RUNNING;
  (run.calls ??= new Set()).add(call);
  if (step.timeoutMs > 0 && !step.lifted && step.operator.effects !== 'wait') {
    call.stopTimer ??= run.host.timer(step.timeoutMs, () => expire(run, call));
  }
  if (run.ctx !== undefined) {
    run.journaled ??= new Journaled(run.ctx);
    run.journaled.add(call, promise, (_, end) => arrived(run, call, end, then));
    return;
  }
  promise.then(
    (value) => arrived(run, call, { value }, then),
    (error: unknown) => arrived(run, call, { error }, then),
  );
}

function arrived(
  run: RunState,
  call: NodeCall,
  end: { value: unknown } | { error: unknown },
  then: Continue,
): void {
  if ((call.over || call.expired) && 'value' in end && end.value instanceof Opening) end.value.close();
  if (call.over) return;
  release(run, call);
  if (call.expired) failed(run, call, call.expired);
  else if ('error' in end) failed(run, call, end.error);
  else then(run, call, end.value);
  run.drain();
}

function release(run: RunState, call: NodeCall): void {
  run.calls?.delete(call);
  run.streams?.changed();
  call.stopTimer?.();
  call.stopTimer = undefined;
}

/** The attempt's time is up: it is told so and gets a moment to end before it is left alone. */
function expire(run: RunState, call: NodeCall): void {
  call.expired = timeoutError(call.node, call.step.timeoutMs);
  call.abort(call.expired);
  call.stopTimer = run.host.timer(state.ABORT_GRACE_MS, () => {
    call.over = true;
    release(run, call);
    leaveAlone(run, call.step);
    failed(run, call, call.expired);
    run.drain();
  });
}

/** Takes what an attempt gave. */
function returned(run: RunState, call: NodeCall, result: unknown): void {
  const { step } = call;
  if (run.stopping !== undefined) {
    aborted(run, call);
    return;
  }
  const wrong = writeOutputs(run.values, step, result);
  if (wrong) failed(run, call, wrong);
  else {
    call.close();
    run.settle(step, state.OK);
  }
}

/** Takes the streams that an attempt gave; each first has to give an item or end. */
function openStreams(run: RunState, call: NodeCall, result: unknown): void {
  if (isPromise(result)) {
    const opened = result.then((value) => new Opening(call.step, value).ready(call.signal));
    wait(run, call, opened, streamsReady);
    return;
  }
  let opening: Opening | undefined;
  try {
    opening = new Opening(call.step, result);
    if (!opening.isReady()) {
      wait(run, call, opening.ready(call.signal), streamsReady);
      return;
    }
  } catch (error) {
    opening?.close();
    failed(run, call, error);
    return;
  }
  streamsReady(run, call, opening);
}

function streamsReady(run: RunState, call: NodeCall, opened: unknown): void {
  const { step } = call;
  const opening = opened as Opening;
  if (run.stopping !== undefined) {
    opening.close();
    aborted(run, call);
    return;
  }
  run.streams ??= new Streams(run, (c, end) => streamEnded(run, c, end));
  if (step.errorSlot >= 0) run.values[step.errorSlot] = DEAD;
  const start = run.streams.emit(call, opening);
  run.settle(step, state.OK);
  start();
}

function streamEnded(run: RunState, call: NodeCall, end: StepEnd): void {
  if (end.last) call.close();
  if (run.outcome) return;
  const isKnown = run.errors?.has(call.step.index) === true;
  if (run.stopping !== undefined) {
    if (end.last && !isKnown) aborted(run, call);
  } else if (end.error !== undefined) streamFailed(run, call, end);
  else if (end.last && !isKnown && run.observed) run.recorder.nodeFinished(call.step);
  run.host.defer(() => run.settleEnd());
}

/** The failure travels on to the steps that read the stream; where there are none it is the run's. */
function streamFailed(run: RunState, call: NodeCall, { error, unread }: StepEnd): void {
  const { step } = call;
  const runError = toRunError(error, step, call.attempt);
  (run.errors ??= new Map()).set(step.index, runError);
  run.open[step.index] = unread ? state.FAILED : state.CONTINUED;
  if (run.observed) run.recorder.nodeFailed(step, runError, unread ? 'no' : 'continue');
  if (unread) stop(run, 'failed', runError);
}

function failed(run: RunState, call: NodeCall, thrown: unknown): void {
  const { step } = call;
  call.close();
  if (run.stopping !== undefined) {
    aborted(run, call);
    return;
  }
  if (tryAgain(run, call, thrown)) return;
  const error = toRunError(thrown, step, call.attempt);
  (run.errors ??= new Map()).set(step.index, error);
  if (step.onError === 'fail') {
    killOutputs(run.values, step);
    run.fail(step, error);
    return;
  }
  const routed = step.onError === 'route';
  if (run.observed) run.recorder.nodeFailed(step, error, routed ? 'route' : 'continue');
  killOutputs(run.values, step);
  if (routed) run.values[step.errorSlot] = error;
  else writeFallback(run.values, step);
  run.settle(step, routed ? state.ROUTED : state.CONTINUED);
}

function tryAgain(run: RunState, call: NodeCall, thrown: unknown): boolean {
  const { retry } = call.step;
  // A stream can be read once, so a step that has taken one is not tried again.
  if (retry === undefined || call.attempt >= retry.attempts || call.readers) return false;
  if (!isTransient(thrown)) return false;
  const delay = retryDelay(call.step, { attempt: call.attempt, error: thrown }, run.host);
  if (run.observed) run.recorder.nodeRetrying(call, delay, toRunError(thrown, call.step, call.attempt));
  const next = call.again();
  const go = (): void => {
    if (next.over) return;
    release(run, next);
    next.paused = false;
    execute(run, next);
    run.drain();
  };
  run.open[call.step.index] = state.RUNNING;
  next.paused = true;
  (run.calls ??= new Set()).add(next);
  if (run.ctx === undefined) next.stopTimer = run.host.timer(delay, go);
  else sleepDurably(run.ctx, next, run.host.now() + delay).then(go, () => {});
  return true;
}
