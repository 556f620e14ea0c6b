import type { RunEvent } from '#shared/run-event.ts';
import { MAX_RECENT_RUNS, type RunRow } from './run-store.ts';

/** The list of a flow's runs, kept current by what the feed tells. Newest first; ids sort by start. */

/** Rows of the same run replace each other; one that has ended is never made running again. */
export function mergeRows(
  rows: readonly RunRow[],
  news: readonly RunRow[],
  limit = MAX_RECENT_RUNS,
): readonly RunRow[] {
  if (news.length === 0) return rows;
  const byId = new Map(rows.map((row) => [row.run, row]));
  for (const row of news) {
    const known = byId.get(row.run);
    const isStale = known && known.status !== 'running' && row.status === 'running';
    if (!isStale) byId.set(row.run, { ...row, source: row.source ?? known?.source });
  }
  return [...byId.values()].sort(newestFirst).slice(0, Math.max(limit, rows.length));
}

export function newestFirst(a: Pick<RunRow, 'run'>, b: Pick<RunRow, 'run'>): number {
  return a.run < b.run ? 1 : a.run > b.run ? -1 : 0;
}

/** The row that an event of a run's start or end makes. */
export function rowOf(event: RunEvent, known: RunRow | undefined): RunRow | undefined {
  if (event.kind === 'run-started') {
    const { run, flow, version, trigger, at } = event;
    return { run, flow, version, trigger, startedAt: at, status: 'running', recorded: true, source: undefined };
  }
  if (event.kind !== 'run-finished' || !known) return undefined;
  const { status, ms, error } = event;
  return { ...known, status, ms, ...(error && { error }) };
}
