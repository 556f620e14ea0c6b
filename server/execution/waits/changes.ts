import { decisionsOf, WaitAsk, type WaitDecision, waitId } from '#shared/wait.ts';
import { WeftError } from '#engine';
import type { OpenWait } from '../durable/durable-runs.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { validatorFor } from '../../base/requests/ajv.ts';
import { createRequestModel } from '../../base/requests/request-model.ts';
import { toJson } from '../../access/answers/serialise.ts';
import { signalOf, type WaitRow } from './wait-row.ts';
import { type Decided, partsOf } from './wait-store.ts';

/** The changes of a wait, as functions of its state. */

/** Largest question, in characters of JSON. */
const MAX_ASK = 256 * 1024;

/** A value of a run as people may see it. */
export type Redact = (value: unknown, run: string) => unknown;

/** A question of a run to people; other waits are for a time. */
export type Question = Extract<OpenWait['what'], { readonly kind: 'answer' }>;

/** The wait once its run has asked; `before` is present if the decision came early. */
export function asked(
  { run, key, node, flow, at }: Omit<OpenWait, 'what'>,
  what: Question,
  { before, redact }: { readonly before: WaitRow | undefined; readonly redact: Redact },
): WaitRow {
  const shown = readAsk(what, (value) => redact(value, run));
  const decision = before && takenEarly(shown.ask, before);
  return {
    id: waitId(run, key),
    run,
    flow,
    node,
    openedAt: at,
    until: what.until,
    overAt: undefined,
    signal: shown.signal,
    status: decision ? 'decided' : 'open',
    notify: shown.ask.notify === undefined || decision ? undefined : 'due',
    shown: { title: shown.title, ask: shown.ask, ...(decision && { decision }) },
  };
}

/** The question, with secrets masked in everything that people see. */
function readAsk(
  { title, ask }: Question,
  redact: (value: unknown) => unknown,
): Pick<WaitRow['shown'], 'title' | 'ask'> & Pick<WaitRow, 'signal'> {
  const json = toJson({ title, ask });
  if (json.length > MAX_ASK) {
    throw new WeftError(
      'value_too_large',
      `The question has ${json.length} characters of JSON, of at most ${MAX_ASK}; show less \`data\`.`,
      { field: 'params.data' },
    );
  }
  const { notify, ...shown } = WaitAsk.parse((JSON.parse(json) as { ask: unknown }).ask);
  checkAsk(shown);
  const masked = redact({ title, ask: shown }) as { title: string; ask: WaitAsk };
  const ask_ = { ...masked.ask, ...(notify !== undefined && { notify }) };
  return { title: masked.title, ask: ask_, signal: signalOf(shown) };
}

/** The early decision, if it fits the question. */
function takenEarly(ask: WaitAsk, { shown: { decision } }: WaitRow): WaitDecision | undefined {
  if (!decision) return undefined;
  try {
    return { ...fitting(ask, decision), at: decision.at };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'wait_answer_invalid') return undefined;
    throw error;
  }
}

/** A wait that is decided before its run has asked. `at` is in Unix milliseconds. */
export function unasked(id: string, flow: string, at: number): WaitRow {
  const { run, node } = partsOf(id) as { run: string; node: string };
  const shown = { title: '', ask: { kind: 'approval' as const } };
  const none = { until: undefined, notify: undefined, overAt: undefined, signal: undefined };
  return { id, run, flow, node, status: 'early', openedAt: at, ...none, shown };
}

/**
 * The wait with the decision; the same row for a repeat of the call that decided it. Throws `wait_decided`, `wait_expired`,
 * `wait_void`, `wait_answer_invalid`. `at` is in Unix milliseconds.
 */
export function decided(row: WaitRow, given: Decided, at: number): WaitRow {
  const { decision: before } = row.shown;
  if (before?.once !== undefined && before.once === given.once) return row;
  refuseClosed(row);
  const isAsked = row.status === 'open';
  const fit = isAsked ? fitting(row.shown.ask, given) : given;
  const decision: WaitDecision = { ...fit, at: new Date(at).toISOString() };
  return { ...row, status: isAsked ? 'decided' : 'early', shown: { ...row.shown, decision } };
}

function refuseClosed({ status, until, shown: { decision } }: WaitRow): void {
  if (decision) {
    const { decision: what, by, at } = decision;
    throw new ServiceError('wait_decided', `${by} decided it at ${at}: ${what}.`);
  }
  if (status === 'expired') {
    const ended = new Date(until ?? 0).toISOString();
    throw new ServiceError('wait_expired', `The time to decide ended at ${ended}.`);
  }
  if (status === 'void') throw new ServiceError('wait_void');
}

/** The wait at a time: an open one past its time is expired. `at` is in Unix milliseconds. */
export function asOf(row: WaitRow, at: number): WaitRow {
  const isLate = row.status === 'open' && row.until !== undefined && row.until <= at;
  return isLate ? { ...row, status: 'expired' } : row;
}

/** The wait of a run that is over. `at` is in Unix milliseconds. */
export function over(row: WaitRow, at: number): WaitRow {
  const isOpen = row.status === 'open' || row.status === 'early';
  return { ...row, overAt: row.overAt ?? at, ...(isOpen && { status: 'void', notify: undefined }) };
}

/** The wait after its address was notified, or could not be. */
export function notified(row: WaitRow, problem: string | undefined): WaitRow {
  if (problem === undefined) return { ...row, notify: 'sent' };
  return { ...row, notify: 'failed', shown: { ...row.shown, problem } };
}

/** Throws `bad_params` for an unusable schema, which nothing could ever match. */
function checkAsk({ schema }: WaitAsk): void {
  if (!schema) return;
  try {
    validatorFor(schema);
  } catch (error) {
    const { message } = error as Error;
    throw new WeftError('bad_params', `The schema cannot be used: ${message}.`, {
      field: 'params.schema',
    });
  }
}

/** The decision for the run, with the defaults of the form filled in. Throws `wait_answer_invalid`. */
function fitting(ask: WaitAsk, decided: Decided): Decided {
  const choices: readonly string[] = decisionsOf[ask.kind];
  if (!choices.includes(decided.decision)) {
    const wanted = choices.map((choice) => `\`${choice}\``).join(' or ');
    throw new ServiceError('wait_answer_invalid', `This asks for ${wanted}, not \`${decided.decision}\`.`, {
      param: 'decision',
    });
  }
  const hasData =
    ask.kind === 'tool'
      ? decided.decision === 'approved' && decided.data !== undefined
      : ask.kind !== 'approval';
  if (hasData) return { ...decided, data: filledIn(ask, decided.data ?? {}) };
  const { data: _, ...approval } = decided;
  return approval;
}

function filledIn({ schema }: WaitAsk, data: unknown): unknown {
  if (!schema) return data;
  try {
    return createRequestModel(schema, []).fromJson(data, {}, JSON.stringify(data).length);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
    throw new ServiceError('wait_answer_invalid', error.message, {
      param: 'data',
      ...(error.detail && { detail: error.detail }),
    });
  }
}
