import { DEAD } from '../compile/plan.ts';
import type { RunCtx } from '../host.ts';
import type { NodeCall } from './call.ts';
import { isTransient, timeoutError, toRunError } from './error.ts';
import { Journaled } from './journaled.ts';
import { liftItems } from './lift.ts';
import { killOutputs, writeFallback, writeOutputs } from './outputs.ts';
import { retryDelay } from './retry.ts';
import type { RunState } from './run.ts';
import * as state from './state.ts';
import { aborted, leaveAlone } from './stop.ts';
import { type Prepared, prepareStreams, Streams } from './streams.ts';

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
  if (result instanceof Promise) wait(run, call, result, returned);
  else returned(run, call, result);
}

function carryOut(run: RunState, call: NodeCall): unknown {
  const { step } = call;
  if (step.lifted && call.readers) return liftItems(call, call.input as AsyncIterable<unknown>);
  call.params = step.makeParams === undefined ? step.params : step.makeParams(call);
  return run.ctx?.step && step.operator.effects !== 'pure' ? journal(run, call) : step.run?.(call);
}

/** Carries the step out through the durable context; its recorded value is what it returned. */
function journal(run: RunState, call: NodeCall): Promise<unknown> {
  const { idempotencyKey, signal, step } = call;
  const context = run.ctx as Required<Pick<RunCtx, 'step'>>;
  return context.step(call.node, { idempotencyKey, signal }, async () => step.run?.(call));
}

function wait(run: RunState, call: NodeCall, promise: Promise<unknown>, then: Continue): void {
  const { step } = call;
  run.open[step.index] = state.RUNNING;
  (run.calls ??= new Set()).add(call);
  if (step.timeoutMs > 0 && !step.lifted) {
    call.stopTimer ??= run.host.timer(step.timeoutMs, () => expire(run, call));
  }
  if (run.ctx?.next) {
    run.journaled ??= new Journaled(run.ctx.next);
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
  if (call.over) return;
  release(run, call);
  if (call.expired) failed(run, call, call.expired);
  else if ('error' in end) failed(run, call, end.error);
  else then(run, call, end.value);
  run.drain();
}

function release(run: RunState, call: NodeCall): void {
  run.calls?.delete(call);
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

/** Takes what an attempt gave. Streams first have to give an item or end. */
function returned(run: RunState, call: NodeCall, result: unknown): void {
  const { step } = call;
  if (run.stopping !== undefined) {
    aborted(run, call);
    return;
  }
  if (step.streams) {
    wait(run, call, prepareStreams(step, result), streamsReady as Continue);
    return;
  }
  const wrong = writeOutputs(run.values, step, result);
  if (wrong) failed(run, call, wrong);
  else {
    call.close();
    run.settle(step, state.OK);
  }
}

function streamsReady(run: RunState, call: NodeCall, prepared: Prepared): void {
  const { step } = call;
  if (run.stopping !== undefined) {
    aborted(run, call);
    return;
  }
  run.streams ??= new Streams({
    item: (c, port, count) => {
      if (run.observed) run.recorder.chunk(c.step, port, count);
    },
    end: (c, error) => streamEnded(run, c, error),
  });
  const isResult = !run.plan.hasRespond && run.plan.leaves.includes(step);
  if (step.errorSlot >= 0) run.values[step.errorSlot] = DEAD;
  run.streams.emit(call, prepared, run.values, isResult);
  run.settle(step, state.OK);
}

/** All streams of a step are through. Where no step reads them, their failure is the run's. */
function streamEnded(run: RunState, call: NodeCall, error: unknown): void {
  call.close();
  const { step } = call;
  if (run.outcome) return;
  if (error !== undefined && run.stopping === undefined && step.next.length === 0) {
    run.fail(step, toRunError(error, step, call.attempt));
  } else if (run.observed) run.recorder.nodeFinished(step);
  run.host.defer(() => run.settleEnd());
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
  const delay = retryDelay(retry, call.attempt, () => run.host.random());
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
  if (run.ctx?.sleep) void run.ctx.sleep(`${call.node}#${next.attempt}`, delay).then(go);
  else next.stopTimer = run.host.timer(delay, go);
  return true;
}
