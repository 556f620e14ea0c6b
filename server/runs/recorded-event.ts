import type { RunError, RunEvent, RunSummary } from '#shared/run-event.ts';
import { boundValue } from './bound-value.ts';

/** An event as it is kept: bounded, and written once for history and all sockets. */
export interface RecordedEvent {
  readonly seq: number;
  readonly json: string;
}

const TEXT_LIMIT = 16 * 1024;
const MESSAGE_LIMIT = 2000;

/** The event with all values bounded (see `bound-value.ts`); the same object where nothing had to change. */
export function boundEvent(event: RunEvent): RunEvent {
  switch (event.kind) {
    case 'node-output':
    case 'node-chunk':
      return withValue(event, 'value');
    case 'run-started':
      return withValue(event, 'input');
    case 'log':
      return withValue(
        event.text.length > TEXT_LIMIT ? { ...event, text: cut(event.text, TEXT_LIMIT) } : event,
        'data',
      );
    case 'node-failed':
    case 'node-retrying':
      return { ...event, error: boundError(event.error) };
    case 'run-finished':
      return event.error === undefined ? event : { ...event, error: boundError(event.error) };
    case 'node-started':
    case 'node-skipped':
    case 'node-finished':
    case 'node-waiting':
    case 'node-abandoned':
    case 'run-answered':
      return event;
  }
}

function withValue<E extends RunEvent>(event: E, field: keyof E): E {
  const value = event[field];
  const kept = boundValue(value);
  return kept === value ? event : { ...event, [field]: kept };
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
