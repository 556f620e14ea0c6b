import type { RunRow } from '../run-store.ts';

/** A run of the list that succeeded and was recorded. */
export function row(run: string, more: Partial<RunRow> = {}): RunRow {
  const head = { run, flow: 'a', version: 'v', trigger: 't', source: 'manual' as const };
  return { ...head, startedAt: 1, ms: 1, status: 'ok', recorded: true, ...more };
}
