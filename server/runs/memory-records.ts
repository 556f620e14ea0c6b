import type { RunSummary } from '#shared/run-event.ts';
import type { EventBatch } from './history.ts';
import type { MemoryHistoryLimits } from './memory-history.ts';
import type { RecordedEvent } from './recorded-event.ts';

export interface MemoryRecord {
  readonly run: string;
  readonly flow: string;
  readonly events: RecordedEvent[];
  summary: RunSummary | undefined;
  bytes: number;
}

/** Whole runs in memory. The oldest go first: of a flow that is over its share, then of all. */
export interface MemoryRecords {
  get(run: string): MemoryRecord | undefined;
  all(): Iterable<MemoryRecord>;
  append(batch: EventBatch): void;
  /** Keeps the run's line with its events. */
  describe(row: RunSummary): void;
  remove(run: string): void;
  clear(): void;
}

/** What the string and the object around an event's text take besides the text. */
const EVENT_OVERHEAD = 64;

export function createMemoryRecords(limits: Omit<MemoryHistoryLimits, 'summaries'>): MemoryRecords {
  // Maps and sets keep the order of insertion: the first one is the oldest.
  const records = new Map<string, MemoryRecord>();
  const flows = new Map<string, { runs: Set<string>; bytes: number }>();
  let total = 0;

  function make(batch: EventBatch): MemoryRecord {
    const record: MemoryRecord = { run: batch.run, flow: batch.flow, events: [], summary: undefined, bytes: 0 };
    records.set(batch.run, record);
    const share = flows.get(batch.flow) ?? { runs: new Set(), bytes: 0 };
    flows.set(batch.flow, share);
    share.runs.add(batch.run);
    return record;
  }

  function remove(run: string): void {
    const record = records.get(run);
    if (!record) return;
    records.delete(run);
    total -= record.bytes;
    const share = flows.get(record.flow);
    if (!share) return;
    share.runs.delete(run);
    share.bytes -= record.bytes;
    if (share.runs.size === 0) flows.delete(record.flow);
  }

  function removeFirst(runs: Iterable<string>): void {
    for (const run of runs) return remove(run);
  }

  function trim(flow: string): void {
    for (let share = flows.get(flow); share; share = flows.get(flow)) {
      if (share.runs.size <= limits.recordsPerFlow && share.bytes <= limits.bytesPerFlow) break;
      removeFirst(share.runs);
    }
    while (total > limits.bytes) removeFirst(records.keys());
  }

  return {
    get: (run) => records.get(run),
    all: () => records.values(),
    append(batch) {
      const record = records.get(batch.run) ?? make(batch);
      const bytes = batch.events.reduce((sum, event) => sum + event.json.length + EVENT_OVERHEAD, 0);
      for (const event of batch.events) record.events.push(event);
      record.bytes += bytes;
      total += bytes;
      const share = flows.get(batch.flow);
      if (share) share.bytes += bytes;
      trim(batch.flow);
    },
    describe(row) {
      const record = records.get(row.run);
      if (record) record.summary = row;
    },
    remove,
    clear() {
      records.clear();
      flows.clear();
      total = 0;
    },
  };
}
