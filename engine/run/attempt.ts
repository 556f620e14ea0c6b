import type { SkipReason } from '#shared/run-event.ts';
import { WeftError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import type { ItemStream } from '../base/item-stream.ts';
import { type Binding, DEAD, type Earlier, type Picked, type Step } from '../plan/plan.ts';
import { NodeCall } from './call.ts';
import { RecordedOrder, sleepDurably } from './durable.ts';
import { ItemEnds, PortStream } from './item-streams.ts';
import { executeItems } from './items.ts';
import { writeFallback, writeOutputs } from './outputs.ts';
import { carried, pickedFrom, pickFault } from './picked.ts';
import { limitTime, retryAfter, toRunError } from './retry.ts';
import * as state from './state.ts';
import { type Attempt, killOutputs, type RunCore, type Settled } from './state.ts';
import { Opening, type StepEnd, Streams } from './streams.ts';
import { type Reader, StreamSource } from './stream.ts';

/**
 * The attempts of a step: execute it, await it, limit its time, try again, take its result.
 *
 * A1. Every attempt ends in exactly one of: settled, another attempt, the run's failure, aborted, abandoned.
 * A2. `run.calls` holds the attempts that are awaited or wait for their turn; each of them takes a slot of `concurrency`.
 * A3. An attempt changes nothing after `call.over` is set.
 */

/** Executes or skips a step whose edges have all settled. */
export function fire(run: RunCore, step: Step): void {
  if (step.after !== undefined && !isNeeded(run.values, step.after)) {
    skip(run, step, 'not-needed');
    return;
  }
  if (step.picks && failsByPick(run, step)) return;
  if (step.disabled !== 'no') {
    bypass(run, step);
    return;
  }
  const value = step.source >= 0 ? run.values[step.source] : DEAD;
  if (value !== DEAD) {
    startAttempt(run, new NodeCall(run, step, value));
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
  startAttempt(run, call);
}

/** Whether none of the edges brings a value: such a step is a branch of a lazy input. */
function isNeeded(slots: readonly unknown[], after: readonly Earlier[]): boolean {
  return after.every(({ slot, pick }) => isNothing(pick ? soughtIn(slots[slot], pick) : slots[slot]));
}

function isNothing(value: unknown): boolean {
  return value === DEAD || value === null || value === undefined;
}

/** A value that lacks the field makes the node with the lazy input fail, so nothing else is needed. */
function soughtIn(value: unknown, pick: Picked): unknown {
  if (value === DEAD) return DEAD;
  const found = pickedFrom(value, pick);
  return found instanceof WeftError ? true : found;
}

/** Whether the step would run, but an edge should carry a field that its value lacks; then the step has failed. */
function failsByPick(run: RunCore, step: Step): boolean {
  const runs = step.disabled === 'no' || step.disabled === 'pass';
  const error = runs && skipReason(run.values, step) === undefined ? pickFault(run.values, step) : undefined;
  if (error === undefined) return false;
  skipStreams(run.values, step);
  if (run.observed) run.recorder.nodeStarted(step, 1);
  failed(run, new NodeCall(run, step, undefined), error);
  return true;
}

function skip(run: RunCore, step: Step, reason: SkipReason): void {
  killOutputs(run.values, step);
  skipStreams(run.values, step);
  if (run.observed) run.recorder.nodeSkipped(step, reason);
  run.settle(step, state.SKIPPED);
}

/** A disabled step passes its value on if it can, otherwise it counts as skipped. */
function bypass(run: RunCore, step: Step): void {
  const value = step.disabled === 'pass' ? passedValue(run, step) : DEAD;
  if (value === undefined || value === DEAD) {
    skip(run, step, step.disabled === 'left-out' ? 'left-out' : 'disabled');
    return;
  }
  killOutputs(run.values, step);
  if (run.observed) run.recorder.nodeStarted(step, 1);
  run.values[step.out] = value;
  if (StreamSource.is(value)) passOn(run, step, value);
  run.settle(step, state.OK);
}

function passedValue({ values }: RunCore, step: Step): unknown {
  const [input] = step.inputs;
  if (input === undefined) return DEAD;
  return step.picks ? carried(values, input, 0) : values[input.sources[0] ?? -1];
}

function passOn(run: RunCore, step: Step, source: StreamSource): void {
  const edges = step.fanOut[0] ?? 0;
  if (edges > 0) source.fork(edges);
  else if (run.streams instanceof Streams) run.streams.handOut(source, step, step.out);
}

// --------------------------------------------------------------------------------------------------- inputs

/** The inputs of a step, or why it is skipped (rule 2 of “How a run behaves” in docs/architecture.md). */
type Bound = { readonly values: Record<string, unknown>; readonly readers: Reader[] | undefined };

/**
 * The step's inputs from the slots: a record by port without the absent optional ones, a reader for each stream. A step with
 * edges is skipped if a required input has no live edge, or if none of its edges is live.
 */
function bind(slots: readonly unknown[], step: Step): Bound | SkipReason {
  const reason = skipReason(slots, step);
  if (reason !== undefined) return reason;
  const values: Record<string, unknown> = {};
  let readers: Reader[] | undefined;
  const read = (port: string, value: unknown): unknown => {
    if (!StreamSource.is(value)) return value;
    const reader = value.take(`${step.id}.${port}`);
    (readers ??= []).push(reader);
    return reader;
  };
  for (const port of step.inputs) bindPort(slots, port, values, read);
  return { values, readers };
}

/** Why the step cannot run, or undefined. */
function skipReason(slots: readonly unknown[], step: Step): SkipReason | undefined {
  let edges = 0;
  let live = 0;
  for (const port of step.inputs) {
    if (port.sources.length === 0) continue;
    const alive = countLive(slots, port);
    if (isMissing(port, alive)) return 'missing-input';
    edges += port.sources.length;
    live += alive;
  }
  return edges > 0 && live === 0 ? 'no-live-input' : undefined;
}

/** Why a step was skipped. */
export function skipReasonOf(slots: readonly unknown[], step: Step): SkipReason {
  if (step.after !== undefined && !isNeeded(slots, step.after)) return 'not-needed';
  if (step.disabled === 'left-out') return 'left-out';
  if (step.disabled !== 'no') return 'disabled';
  return skipReason(slots, step) ?? 'no-live-input';
}

function bindPort(
  slots: readonly unknown[],
  port: Binding,
  values: Record<string, unknown>,
  read: (port: string, value: unknown) => unknown,
): void {
  const { name, many } = port;
  const arrived = port.sources
    .map((slot, edge) => (port.picks === undefined ? slots[slot] : carried(slots, port, edge)))
    .filter((value) => value !== DEAD);
  if (many !== undefined) values[name] = arrived.map((value) => read(name, value));
  else if (arrived.length > 0) values[name] = read(name, arrived[0]);
}

function countLive(slots: readonly unknown[], port: Binding): number {
  let live = 0;
  for (const slot of port.sources) if (slots[slot] !== DEAD) live++;
  return live;
}

function isMissing(port: Binding, live: number): boolean {
  if (port.many === 'all') return live < port.sources.length;
  return port.required && live === 0;
}

/** Tells the streams into a step that will not run that it will never read them. */
function skipStreams(slots: readonly unknown[], step: Step): void {
  for (const port of step.inputs) {
    for (const slot of port.sources) {
      const value = slots[slot];
      if (StreamSource.is(value)) value.skipReader();
    }
  }
}

// ------------------------------------------------------------------------------------------------- attempts

type Continue = (run: RunCore, call: Attempt, value: unknown) => void;

/** Executes one attempt; a plain value is taken in the same turn. */
function startAttempt(run: RunCore, call: Attempt): void {
  if (run.observed) run.recorder.nodeStarted(call.step, call.attempt);
  if (run.times !== undefined) run.times[2 * call.step.index] ??= run.host.now();
  let result: unknown;
  try {
    result = execute(run, call);
  } catch (error) {
    failed(run, call, error);
    return;
  }
  if (call.step.streams) openStreams(run, call, result);
  else if (isPromise(result)) wait(run, call, result, returned);
  else returned(run, call, result);
}

function execute(run: RunCore, call: Attempt): unknown {
  const { step } = call;
  if (step.lifted && call.readers !== undefined) {
    const ends = new ItemEnds(call, call.input as ItemStream);
    return step.single ? ends : parted(run, call, ends);
  }
  return step.each === undefined ? call.execute() : executeItems(call, step.each);
}

/** A stream for each output, with the items for which it was live. */
function parted(run: RunCore, call: Attempt, ends: ItemEnds): Record<string, PortStream> {
  const { ports, id } = call.step;
  const source = streamsOf(run).part(call, ends);
  return Object.fromEntries(ports.map((port) => [port, new PortStream(source.take(`${id}.${port}`), port)]));
}

function streamsOf(run: RunCore): Streams {
  return Streams.of(run, (call, end) => streamEnded(run, call, end));
}

function wait(run: RunCore, call: Attempt, promise: Promise<unknown>, then: Continue): void {
  const { step } = call;
  run.open[step.index] = state.RUNNING;
  (run.calls ??= new Set()).add(call);
  if (step.timeoutMs > 0 && !step.lifted && step.each === undefined && step.operator.effects !== 'wait') {
    if (call.stopTimer === undefined) limitTime(call, () => leftAlone(run, call));
  }
  if (run.ctx !== undefined) {
    run.recordedOrder ??= new RecordedOrder(run.ctx);
    run.recordedOrder.add(call, promise, (_, end) => arrived(run, call, end, then));
    return;
  }
  promise.then(
    (value) => arrived(run, call, { value }, then),
    (error: unknown) => arrived(run, call, { error }, then),
  );
}

function arrived(run: RunCore, call: Attempt, end: Settled, then: Continue): void {
  if ((call.over || call.expired) && 'value' in end && end.value instanceof Opening) end.value.close();
  if (call.over) return;
  release(run, call);
  if (call.expired) failed(run, call, call.expired);
  else if ('error' in end) failed(run, call, end.error);
  else then(run, call, end.value);
  run.drain();
}

function release(run: RunCore, call: Attempt): void {
  run.calls?.delete(call);
  run.streams?.changed();
  call.stopTimer?.();
  call.stopTimer = undefined;
}

/** The attempt has not ended at its time limit. */
function leftAlone(run: RunCore, call: Attempt): void {
  release(run, call);
  run.noteAbandoned(call.step);
  failed(run, call, call.expired);
  run.drain();
}

/** Takes the result of an attempt. */
function returned(run: RunCore, call: Attempt, result: unknown): void {
  const { step } = call;
  if (run.stopping !== undefined) {
    run.aborted(call);
    return;
  }
  const wrong = writeOutputs(run.values, step, result);
  if (wrong) failed(run, call, wrong);
  else {
    call.close();
    run.settle(step, state.OK);
  }
}

/** Takes the streams that an attempt returned; each must first give an item or end. */
function openStreams(run: RunCore, call: Attempt, result: unknown): void {
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

function streamsReady(run: RunCore, call: Attempt, opened: unknown): void {
  const { step } = call;
  const opening = opened as Opening;
  if (run.stopping !== undefined) {
    opening.close();
    run.aborted(call);
    return;
  }
  const streams = streamsOf(run);
  if (step.errorSlot >= 0) run.values[step.errorSlot] = DEAD;
  const start = streams.emit(call, opening);
  run.settle(step, state.OK);
  start();
}

function streamEnded(run: RunCore, call: Attempt, end: StepEnd): void {
  if (end.last) call.close();
  if (run.outcome) return;
  const isKnown = run.errors?.has(call.step.index) === true;
  if (run.stopping !== undefined) {
    if (end.last && !isKnown) run.aborted(call);
  } else if (end.error !== undefined) streamFailed(run, call, end);
  else if (end.last && !isKnown && run.observed) run.recorder.nodeFinished(call.step);
  run.host.defer(() => run.settleEnd());
}

/** The failure passes on to the steps that read the stream; if there are none, it is the run's failure. */
function streamFailed(run: RunCore, call: Attempt, { error, unread }: StepEnd): void {
  const { step } = call;
  // Several outputs fail for the same reason.
  if (!unread && run.errors?.has(step.index) === true) return;
  const runError = toRunError(error, step, call.attempt);
  (run.errors ??= new Map()).set(step.index, runError);
  run.open[step.index] = unread ? state.FAILED : state.CONTINUED;
  if (run.observed) run.recorder.nodeFailed(step, runError, unread ? 'no' : 'continue');
  if (unread) run.stop('failed', runError);
}

function failed(run: RunCore, call: Attempt, thrown: unknown): void {
  const { step } = call;
  call.close();
  if (run.stopping !== undefined) {
    run.aborted(call);
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

function tryAgain(run: RunCore, call: Attempt, thrown: unknown): boolean {
  // Items have attempts of their own.
  const delay = call.step.each === undefined ? retryAfter(call, thrown) : undefined;
  if (delay === undefined) return false;
  if (run.root.observed) run.recorder.nodeRetrying(call, delay, toRunError(thrown, call.step, call.attempt));
  const next = call.again();
  const go = (): void => {
    if (next.over) return;
    release(run, next);
    next.paused = false;
    startAttempt(run, next);
    run.drain();
  };
  run.open[call.step.index] = state.RUNNING;
  next.paused = true;
  (run.calls ??= new Set()).add(next);
  if (run.ctx === undefined) next.stopTimer = run.host.timer(delay, go);
  else sleepDurably(run.ctx, next, run.host.now() + delay).then(go, () => {});
  return true;
}
