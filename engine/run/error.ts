import type { RunError } from '#shared/run-event.ts';
import { transientCodes } from '#shared/transient-codes.ts';
import type { Step } from '../plan/plan.ts';
import { WeftError } from '../errors.ts';
import type { CancelReason } from './types.ts';

const MAX_TEXT = 4096;

const earlier = new WeakMap<WeftError, RunError>();

/** To be thrown where an earlier run failed: the error of the step is then that very one. */
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

/** The text of anything thrown, which may be no error at all. */
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

export function timeoutError(id: string, ms: number): WeftError {
  return new WeftError(
    'node_timeout',
    `${id} took longer than its limit of ${ms} ms; timeoutMs of the node raises it.`,
  );
}

/** What is said of a step that was in progress when the run was stopped. */
export function abortedError(call: { node: string; step: Step; attempt: number }): RunError {
  return {
    code: 'run_cancelled',
    message: `${call.node} was in progress when the run was stopped.`,
    node: call.node,
    operator: call.step.type,
    attempt: call.attempt,
  };
}

/** The error of a run that was stopped from outside. */
export function cancelError(reason: CancelReason, timeoutMs: number): RunError {
  if (reason === 'timeout') {
    const message = `The run took longer than its limit of ${timeoutMs} ms; settings.timeoutMs of the flow raises it.`;
    return { code: 'run_timeout', message };
  }
  if (reason === 'stalled') {
    const message =
      'The streamed answer stood still for a minute, or took longer than 15 minutes in all; send an item more often, or fewer.';
    return { code: 'run_timeout', message };
  }
  if (reason === 'shutdown')
    return { code: 'draining', message: 'The server stopped before the run had ended.' };
  return { code: 'run_cancelled', message: `The run was cancelled (${reason}).` };
}
