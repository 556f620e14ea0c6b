import type { RunSummary } from '#shared/run-event.ts';
import type { RunHistory, RunQuery } from './history.ts';
import { MemoryRecords, type RecordLimits } from './memory-records.ts';

/** Limits of a history in memory. */
export interface MemoryHistoryLimits extends RecordLimits {
  /** Stored run lines, over all flows. */
  readonly summaries: number;
}

export const memoryLimits: MemoryHistoryLimits = {
  summaries: 10_000,
  recordsPerFlow: 200,
  bytesPerFlow: 64 * 1024 * 1024,
  bytes: 256 * 1024 * 1024,
};

/** Keeps the latest runs in memory: summaries in a ring, and complete runs with their summaries beside it. */
export function createMemoryHistory(limits: Partial<MemoryHistoryLimits> = {}): RunHistory {
  const { summaries, ...recordLimits } = { ...memoryLimits, ...limits };
  const records = new MemoryRecords(recordLimits);
  const outer = new Ring(summaries);
  // Separate, because one loop starts thousands of parts, which must not push out runs of their own.
  const inner = new Ring(summaries);

  function* lines(): Generator<RunSummary> {
    yield* outer.rows();
    yield* inner.rows();
  }

  const find = (run: string): RunSummary | undefined =>
    records.get(run)?.summary ?? outer.find(run) ?? inner.find(run);

  /** Every stored row once. A burst of other runs may push a row out of the ring while its events stay. */
  function* rows(): Generator<RunSummary> {
    for (const row of lines()) if (!records.get(row.run)?.summary) yield row;
    for (const record of records.all()) if (record.summary) yield record.summary;
  }

  function shown(row: RunSummary): RunSummary {
    const recorded = records.get(row.run) !== undefined;
    return row.recorded === recorded ? row : { ...row, recorded };
  }

  return {
    async appendSummaries(batch) {
      for (const row of batch) {
        (row.parent === undefined ? outer : inner).push(row);
        if (row.recorded) records.describe(row);
      }
    },
    async appendEvents(batches) {
      for (const batch of batches) records.append(batch);
      return 0;
    },
    async get(run) {
      const row = find(run);
      return row && shown(row);
    },
    async list(query) {
      const found = [...rows()].filter((row) => matches(row, query));
      return found.sort(newestFirst).slice(0, query.limit).map(shown);
    },
    events: async (run, after) => records.get(run)?.events.filter((event) => event.seq > after) ?? [],
    value: async (run, hash) => records.get(run)?.values.get(hash),
    tape: async (run) => records.get(run)?.tape,
    async remove(run) {
      const known = find(run) !== undefined;
      for (const ring of [outer, inner]) ring.remove(new Set([run]));
      records.remove(run);
      return known;
    },
    async prune(time) {
      const old = new Set([...rows()].filter((row) => row.startedAt < time).map((row) => row.run));
      for (const ring of [outer, inner]) ring.remove(old);
      for (const run of old) records.remove(run);
      return old.size;
    },
    async close() {
      for (const ring of [outer, inner]) ring.clear();
      records.clear();
    },
  };
}

/** The latest lines, up to this number. */
class Ring {
  private lines: (RunSummary | undefined)[];
  private next = 0;

  constructor(length: number) {
    this.lines = Array.from({ length });
  }

  push(row: RunSummary): void {
    this.lines[this.next++ % this.lines.length] = row;
  }

  find(run: string): RunSummary | undefined {
    return this.lines.find((row) => row?.run === run);
  }

  *rows(): Generator<RunSummary> {
    for (const row of this.lines) if (row !== undefined) yield row;
  }

  remove(runs: ReadonlySet<string>): void {
    this.lines = this.lines.map((row) => (row && runs.has(row.run) ? undefined : row));
  }

  clear(): void {
    this.lines.fill(undefined);
  }
}

/** Whether a row matches a query. */
export function matches(row: RunSummary, query: RunQuery): boolean {
  return (
    (query.flow === undefined || row.flow === query.flow) &&
    (query.status === undefined || row.status === query.status) &&
    (query.source === undefined || row.source === query.source) &&
    isAtLevel(row, query) &&
    (query.before === undefined || row.run < query.before) &&
    isInTime(row, query) &&
    isFound(row, query)
  );
}

function isInTime({ startedAt }: RunSummary, { since, until }: RunQuery): boolean {
  return (since === undefined || startedAt >= since) && (until === undefined || startedAt < until);
}

function isFound({ run, flow, error }: RunSummary, { code, text }: RunQuery): boolean {
  if (code !== undefined && error?.code !== code) return false;
  if (text === undefined) return true;
  const words = `${run} ${flow} ${error === undefined ? '' : JSON.stringify(error)}`;
  return words.toLowerCase().includes(text.toLowerCase());
}

function isAtLevel({ parent }: RunSummary, query: RunQuery): boolean {
  if (query.parent !== undefined) return parent === query.parent;
  return parent === undefined || query.nested === true;
}

/** Compares runs by their ids, which sort by start. */
export function newestFirst(a: RunSummary, b: RunSummary): number {
  if (a.run === b.run) return 0;
  return a.run < b.run ? 1 : -1;
}
