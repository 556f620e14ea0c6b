import type { RunError, RunEvent, RunEventKind, RunSummary } from '#shared/run-event.ts';
import { boundValue } from './bound-value.ts';

/** An event as it is kept: bounded, and written once for history and all sockets. */
export interface RecordedEvent {
  readonly seq: number;
  readonly json: string;
}

const TEXT_LIMIT = 16 * 1024;
const MESSAGE_LIMIT = 2000;

/** Where events carry values of any size. */
const valueFields: Readonly<Partial<Record<RunEventKind, string>>> = {
  'run-started': 'input',
  'node-output': 'value',
  'node-chunk': 'value',
  log: 'data',
};

/** The event with all values bounded (see `bound-value.ts`); the same object where nothing had to change. */
export function boundEvent(event: RunEvent): RunEvent {
  if ('error' in event && event.error !== undefined) return { ...event, error: boundError(event.error) };
  const field = valueFields[event.kind];
  if (field === undefined) return event;
  const value = (event as Record<string, unknown>)[field];
  const kept = boundValue(value);
  const bounded = kept === value ? event : { ...event, [field]: kept };
  if (bounded.kind !== 'log' || bounded.text.length <= TEXT_LIMIT) return bounded;
  return { ...bounded, text: cut(bounded.text, TEXT_LIMIT) };
}

function boundError(error: RunError): RunError {
  return { ...errorLine(error), ...(error.data !== undefined && { data: boundValue(error.data) }) };
}

/** An error for the run list: without its data. */
export function errorLine({ data: _, ...error }: RunError): NonNullable<RunSummary['error']> {
  return error.message.length > MESSAGE_LIMIT
    ? { ...error, message: cut(error.message, MESSAGE_LIMIT) }
    : error;
}

function cut(text: string, length: number): string {
  return `${text.slice(0, length)}…`;
}
