import type { FlowNode } from '#shared/flow.ts';
import type { RunSummary } from '#shared/run-event.ts';

/** What can start a run whose answer goes back over HTTP: a call, a form, and a try of either by hand. */
const OVER_HTTP: ReadonlySet<RunSummary['source']> = new Set(['http', 'form', 'test', 'manual']);

/**
 * Whether the answer of a run has a status of HTTP: somebody waits for it at its trigger. All others, such as a schedule, a mail or
 * a flow that calls it, get the value alone.
 */
export function answersOverHttp(
  source: RunSummary['source'] | undefined,
  trigger: Pick<FlowNode, 'operator' | 'params'> | undefined,
): boolean {
  if (source === undefined || !OVER_HTTP.has(source) || !trigger) return false;
  const { operator, params } = trigger;
  if (operator === 'trigger.http') return params?.['answer'] !== 'immediately';
  return operator === 'trigger.form' && params?.['after'] === 'result';
}
