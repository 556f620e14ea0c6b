import type { RunSummary } from '#shared/run-event.ts';
import type { RunSearch } from '../api/history.ts';
import { SOURCE_LABELS } from '../runs/run-labels.ts';

/** The search filter in the address of the screen; absent fields are not filtered. */
export type RunFilter = Partial<
  Readonly<Record<'flow' | 'status' | 'source' | 'time' | 'until' | 'code' | 'text' | 'value', string>>
>;

const HOUR = 3_600_000;

/** Time range, in hours. */
export const TIMES: Readonly<Record<string, { readonly label: string; readonly hours: number }>> = {
  hour: { label: 'Last hour', hours: 1 },
  day: { label: 'Last 24 hours', hours: 24 },
  week: { label: 'Last 7 days', hours: 24 * 7 },
};

export const STATUSES: readonly RunSummary['status'][] = ['running', 'waiting', 'ok', 'failed', 'cancelled'];

/** The query for the server; `now` in Unix milliseconds. Unknown values in the address are left out. */
export function searchOf(
  { flow, status, source, time, until, code, text, value }: RunFilter,
  now: number,
): RunSearch {
  const isStatus = STATUSES.find((one) => one === status);
  const hours = time === undefined ? undefined : TIMES[time]?.hours;
  return {
    ...(flow && { flow }),
    ...(isStatus && { status: isStatus }),
    ...(isSource(source) && { source }),
    ...(hours !== undefined && { since: now - hours * HOUR }),
    ...(isTime(until) && { until: Date.parse(until) }),
    ...(code && { code }),
    ...(text && { text }),
    ...(value && { value }),
  };
}

/** A time of the browser's zone, as fields for times give it, or with a zone of its own. */
function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}

function isSource(text: string | undefined): text is RunSummary['source'] {
  return text !== undefined && Object.hasOwn(SOURCE_LABELS, text);
}

/** Whether the filter matches all runs, even if the address has unknown values. */
export function isEmptyFilter(filter: RunFilter): boolean {
  return Object.keys(searchOf(filter, 0)).length === 0;
}
