import type { RunError, RunEvent, RunEventKind, RunSummary } from '#shared/run-event.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { RunValues } from './blobs/run-values.ts';
import { boundValue, VALUE_LIMIT } from './bound-value.ts';

/** An event as it is stored: bounded, and serialized once for the history and all sockets. */
export interface RecordedEvent {
  readonly seq: number;
  readonly json: string;
}

const TEXT_LIMIT = 16 * 1024;
const MESSAGE_LIMIT = 2000;

/** The fields of events with values of any size. */
const valueFields: Readonly<Partial<Record<RunEventKind, string>>> = {
  'run-started': 'input',
  'node-output': 'value',
  'node-chunk': 'value',
  log: 'data',
  'run-answered': 'body',
};

/**
 * The event with all values bounded and secrets masked (see `bound-value.ts`); the same object if nothing had to
 * change. `values` stores large ones whole.
 */
export function boundEvent(event: RunEvent, redactor?: Redactor, values?: RunValues): RunEvent {
  if ('error' in event && event.error !== undefined)
    return { ...event, error: boundError(event.error, redactor) };
  if (event.kind === 'node-waiting') {
    const text = boundText(event.for, TEXT_LIMIT, redactor);
    return text === event.for ? event : { ...event, for: text };
  }
  if (event.kind === 'node-rounds' && event.rows && redactor) {
    const rows = event.rows.map((row) =>
      row.key === undefined ? row : { ...row, key: redactor.text(row.key) },
    );
    return { ...event, rows };
  }
  const field = valueFields[event.kind];
  if (field === undefined) return event;
  const value = (event as Record<string, unknown>)[field];
  const kept = boundValue(value, VALUE_LIMIT, redactor, values);
  const bounded = kept === value ? event : { ...event, [field]: kept };
  if (bounded.kind !== 'log') return bounded;
  const text = boundText(bounded.text, TEXT_LIMIT, redactor);
  return text === bounded.text ? bounded : { ...bounded, text };
}

/** The error with its data bounded and secrets masked. */
export function boundError(error: RunError, redactor?: Redactor): RunError {
  const line = errorLine(error, redactor);
  return error.data === undefined ? line : { ...line, data: boundValue(error.data, VALUE_LIMIT, redactor) };
}

/** An error for the run list: without its data. */
export function errorLine(
  { data: _, ...error }: RunError,
  redactor?: Redactor,
): NonNullable<RunSummary['error']> {
  const message = boundText(error.message, MESSAGE_LIMIT, redactor);
  return message === error.message ? error : { ...error, message };
}

function boundText(text: string, length: number, redactor: Redactor | undefined): string {
  if (text.length <= length) return redactor === undefined ? text : redactor.text(text);
  const kept = text.slice(0, length);
  return `${redactor === undefined ? kept : redactor.beginning(kept)}…`;
}
