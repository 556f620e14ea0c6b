import type { RunError } from '#shared/run-event.ts';
import { transientCodes } from '#shared/transient-codes.ts';
import { isTransient, WeftError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import type { Step } from '../plan/plan.ts';
import { askedWait, MAX_ASKED_WAIT_MS } from '../base/retry-after.ts';
import { ABORT_GRACE_MS, type Attempt } from './state.ts';

/**
 * What happens when an attempt fails or takes too long, for a step (`attempt.ts`) or for one item (`items.ts`, `item-streams.ts`): its
 * time limit, whether and when there is another attempt, and the reported error.
 */

/** How long to wait before the next attempt, in milliseconds; undefined if there is none. */
export function retryAfter(attempt: Attempt, thrown: unknown): number | undefined {
  const { step } = attempt;
  const { retry } = step;
  // A stream can be read only once, so a step that has taken one is not retried.
  if (retry === undefined || attempt.attempt >= retry.attempts || attempt.readers) return undefined;
  if (!isTransient(thrown)) return undefined;
  return retryDelay(step, { attempt: attempt.attempt, error: thrown }, attempt.run.host);
}

/**
 * The wait after failed attempt number `attempt` (1 for the first), in milliseconds: the back-off of the step's `retry`, or
 * the wait that the other side asked for if that is longer, limited to the step's own time limit.
 */
function retryDelay(
  { retry, timeoutMs }: Step,
  { attempt, error }: { readonly attempt: number; readonly error: unknown },
  host: Pick<Host, 'now' | 'random'>,
): number {
  const asked = Math.min(
    askedWait(error, () => host.now()),
    timeoutMs > 0 ? timeoutMs : MAX_ASKED_WAIT_MS,
  );
  if (retry === undefined) return asked;
  const full = retry.backoffMs * retry.factor ** (attempt - 1);
  const delay = retry.jitter === 0 ? full : full * (1 - retry.jitter) + full * retry.jitter * host.random();
  return Math.max(delay, asked);
}

/**
 * Sets the attempt's time limit. When it has passed, the attempt is aborted and gets a moment to end before it is abandoned.
 * `stopTimer` cancels the limit; `onLeft` is called if the attempt did not end.
 */
export function limitTime(attempt: Attempt, onLeft: () => void): void {
  const { host } = attempt.run;
  const { title, timeoutMs } = attempt.step;
  attempt.stopTimer = host.timer(timeoutMs, () => {
    attempt.expired = timeoutError(title, timeoutMs);
    attempt.abort(attempt.expired);
    attempt.stopTimer = host.timer(ABORT_GRACE_MS, () => {
      attempt.over = true;
      onLeft();
    });
  });
}

// ---------------------------------------------------------------------------------------------------- errors

const MAX_TEXT = 4096;

const earlier = new WeakMap<WeftError, RunError>();

/** Thrown where an earlier run failed: the step's error is then exactly that one. */
export function earlierError(error: RunError): WeftError {
  const thrown = new WeftError(error.code, error.message, { data: error.data, transient: error.transient });
  earlier.set(thrown, error);
  return thrown;
}

/** Anything thrown, as the error of a step: with a code, without a stack. */
export function toRunError(thrown: unknown, step: Step, attempt: number): RunError {
  const place = { node: step.id, operator: step.type, attempt };
  if (thrown instanceof WeftError) {
    const known = earlier.get(thrown);
    if (known !== undefined) return known;
    return {
      code: thrown.code,
      message: clip(thrown.message),
      ...place,
      ...(thrown.field !== undefined && { field: thrown.field }),
      ...(thrown.via !== undefined && { via: thrown.via }),
      ...(thrown.data !== undefined && { data: thrown.data }),
      ...(thrown.transient !== transientCodes.has(thrown.code) && { transient: thrown.transient }),
    };
  }
  return { code: 'node_failed', message: clip(messageOf(thrown)), ...place };
}

/** The text of anything thrown, which may not be an error at all. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message) || thrown.name;
    return typeof thrown === 'string' ? thrown : `The operator threw a value of type ${typeof thrown}.`;
  } catch {
    return 'The operator threw a value that cannot be read.';
  }
}

function clip(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function timeoutError(title: string, ms: number): WeftError {
  return new WeftError(
    'node_timeout',
    `The node “${title}” took longer than its limit of ${ms} ms; timeoutMs of the node raises it.`,
  );
}

/** The error of a step that was in progress when the run was stopped. */
export function abortedError(call: Attempt): RunError {
  return {
    code: 'run_cancelled',
    message: `The node “${call.step.title}” was in progress when the run was stopped.`,
    node: call.node,
    operator: call.step.type,
    attempt: call.attempt,
  };
}
