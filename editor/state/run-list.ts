import type { RunEvent } from '#shared/run-event.ts';
import { isOver } from './run-status.ts';
import { MAX_RECENT_RUNS, type RunRow } from './run-store.ts';

/** The list of a flow's runs, updated by the feed. Newest first; ids sort by start. */

/** Rows of the same run replace each other; an ended run never becomes running again. */
export function mergeRows(
  rows: readonly RunRow[],
  news: readonly RunRow[],
  limit = MAX_RECENT_RUNS,
): readonly RunRow[] {
  if (news.length === 0) return rows;
  const byId = new Map(rows.map((row) => [row.run, row]));
  for (const row of news) {
    const known = byId.get(row.run);
    const isStale = known && isOver(known.status) && !isOver(row.status);
    if (!isStale) byId.set(row.run, { ...row, source: row.source ?? known?.source });
  }
  return [...byId.values()].sort(newestFirst).slice(0, Math.max(limit, rows.length));
}

export function newestFirst(a: Pick<RunRow, 'run'>, b: Pick<RunRow, 'run'>): number {
  return a.run < b.run ? 1 : a.run > b.run ? -1 : 0;
}

const ROW_EVENTS: ReadonlySet<string> = new Set(['run-started', 'node-started', 'run-finished']);

/** The rows for the starts and ends among these events; a waiting run is running again when one of its nodes starts. */
export function rowsOf(events: readonly RunEvent[], recent: readonly RunRow[]): RunRow[] {
  const rows = new Map<string, RunRow>();
  for (const event of events) {
    if (!ROW_EVENTS.has(event.kind)) continue;
    const known = rows.get(event.run) ?? recent.find(({ run }) => run === event.run);
    if (event.kind === 'node-started' && known?.status === 'waiting')
      rows.set(event.run, { ...known, status: 'running' });
    if (event.kind !== 'run-started' && event.kind !== 'run-finished') continue;
    const row = event.kind === 'run-started' ? startedRow(event, known) : endedRow(event, known);
    if (row) rows.set(event.run, row);
  }
  return [...rows.values()];
}

function startedRow(event: Extract<RunEvent, { kind: 'run-started' }>, known: RunRow | undefined): RunRow {
  const { run, flow, version, trigger, at } = event;
  return (
    known ?? {
      run,
      flow,
      version,
      trigger,
      startedAt: at,
      status: 'running',
      recorded: true,
      source: undefined,
    }
  );
}

function endedRow(
  event: Extract<RunEvent, { kind: 'run-finished' }>,
  known: RunRow | undefined,
): RunRow | undefined {
  const { status, ms, error } = event;
  return known && { ...known, status, ms, ...(error && { error }) };
}
