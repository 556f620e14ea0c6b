import type { StartedRun } from '#shared/api.ts';
import { boundValue } from '../history/bound-value.ts';
import { boundError } from '../history/recorded-event.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { DurableView } from './durable-runs.ts';

/** The longest answer that is shown whole, in characters of JSON. */
const MAX_LENGTH = 10 * 1024 * 1024;

/** The response to the person who started a durable run by hand: at its end, or where it waits. */
export function startedRun(
  { run, status, startedAt, endedAt, answer, error }: DurableView,
  redactor: Redactor,
): StartedRun {
  const begun = { run, status: status === 'pending' ? 'running' : status } as const;
  if (endedAt === undefined) return begun;
  const ended = { ...begun, ms: endedAt - startedAt };
  if (error !== undefined) {
    const masked = boundError(error, redactor);
    return { ...ended, error: masked, answer: { kind: 'error', error: masked } };
  }
  if (answer === undefined || answer.status === 204) return { ...ended, answer: { kind: 'empty' } };
  const { status: code, headers, body } = answer;
  const value = { kind: 'value', status: code, body: boundValue(body, MAX_LENGTH, redactor) } as const;
  return { ...ended, answer: { ...value, ...(headers && { headers: { ...headers } }) } };
}
