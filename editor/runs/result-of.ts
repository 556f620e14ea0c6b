import type { CallerAnswer } from '#shared/api.ts';
import type { HandRun, RunState, ShownRun } from '../state/run-store.ts';

/** The result of a run for its caller, as far as it is known. */
export interface Result {
  readonly status: number | undefined;
  readonly headers?: Extract<CallerAnswer, { kind: 'value' }>['headers'];
  readonly value?: unknown;
  readonly isStream: boolean;
  /** The stream had more items than are here. */
  readonly truncated: boolean;
  /** There is an answer, and it has no body. */
  readonly isEmpty: boolean;
}

/** The run by hand whose result is wanted: the newest, unless another run was opened. */
export function handRunOf({ byHand, shown, follow }: RunState): HandRun | undefined {
  if (!byHand || !shown) return byHand;
  if (byHand.run === undefined) return follow || byHand.state === 'refused' ? byHand : undefined;
  if (byHand.run === shown.id) return byHand;
  // Its first event may not have arrived yet.
  return follow && byHand.run > shown.id ? byHand : undefined;
}

/** The answer of a run that was started here by hand; undefined until there is one, and for a run that failed before. */
export function givenResult({ answer, items, truncated }: HandRun): Result | undefined {
  if (!answer || answer.kind === 'error') return undefined;
  if (answer.kind === 'empty') return { status: 204, isStream: false, truncated: false, isEmpty: true };
  const { status, headers, body } = answer;
  const value = items ?? body;
  return {
    status,
    ...(headers && { headers }),
    value,
    isStream: items !== undefined,
    truncated: truncated || answer.truncated === true,
    isEmpty: value === undefined && items === undefined,
  };
}

/** The answer of any recorded run; undefined if the record does not have it: of a stream, or of an older run. */
export function recordedResult({ answered }: Pick<ShownRun, 'answered'>): Result | undefined {
  if (!answered) return undefined;
  const { status, body } = answered;
  const known = { status, isStream: false, truncated: false };
  if (body !== undefined) return { ...known, value: body, isEmpty: false };
  return status === 204 ? { ...known, isEmpty: true } : undefined;
}
