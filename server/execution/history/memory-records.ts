import type { RunSummary } from '#shared/run-event.ts';
import type { EventBatch } from './history.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** A complete run in memory. */
export interface MemoryRecord {
  readonly flow: string;
  readonly events: RecordedEvent[];
  /** Large values by their hash, as JSON. */
  readonly values: Map<string, string>;
  tape: string | undefined;
  summary: RunSummary | undefined;
  bytes: number;
}

/** Limits of complete runs in memory. */
export interface RecordLimits {
  /** Complete runs stored per flow. */
  readonly recordsPerFlow: number;
  /** Size of the complete runs stored per flow, in characters. */
  readonly bytesPerFlow: number;
  /** The same over all flows, so that many flows together cannot fill the memory. */
  readonly bytes: number;
}

/** The size of the string and of the object around an event's text. */
const EVENT_OVERHEAD = 64;

/** Complete runs in memory. The oldest are removed first: of a flow that is over its share, then of all flows. */
export class MemoryRecords {
  // Maps and sets keep the order of insertion: the first one is the oldest.
  private readonly records = new Map<string, MemoryRecord>();
  private readonly flows = new Map<string, { runs: Set<string>; bytes: number }>();
  private readonly limits: RecordLimits;
  private total = 0;

  constructor(limits: RecordLimits) {
    this.limits = limits;
  }

  get(run: string): MemoryRecord | undefined {
    return this.records.get(run);
  }

  all(): Iterable<MemoryRecord> {
    return this.records.values();
  }

  append(batch: EventBatch): void {
    const record = this.records.get(batch.run) ?? this.make(batch);
    let bytes = 0;
    for (const event of batch.events) {
      record.events.push(event);
      bytes += event.json.length + EVENT_OVERHEAD;
    }
    bytes += addBeside(record, batch);
    record.bytes += bytes;
    this.total += bytes;
    const share = this.flows.get(batch.flow);
    if (share) share.bytes += bytes;
    this.trim(batch.flow);
  }

  /** Stores the run's line with its events. */
  describe(row: RunSummary): void {
    const record = this.records.get(row.run);
    if (record) record.summary = row;
  }

  remove(run: string): void {
    const record = this.records.get(run);
    if (!record) return;
    this.records.delete(run);
    this.total -= record.bytes;
    const share = this.flows.get(record.flow);
    if (!share) return;
    share.runs.delete(run);
    share.bytes -= record.bytes;
    if (share.runs.size === 0) this.flows.delete(record.flow);
  }

  clear(): void {
    this.records.clear();
    this.flows.clear();
    this.total = 0;
  }

  private make(batch: EventBatch): MemoryRecord {
    const record: MemoryRecord = {
      flow: batch.flow,
      events: [],
      values: new Map(),
      tape: undefined,
      summary: undefined,
      bytes: 0,
    };
    this.records.set(batch.run, record);
    const share = this.flows.get(batch.flow) ?? { runs: new Set(), bytes: 0 };
    this.flows.set(batch.flow, share);
    share.runs.add(batch.run);
    return record;
  }

  private trim(flow: string): void {
    const { recordsPerFlow, bytesPerFlow, bytes } = this.limits;
    for (let share = this.flows.get(flow); share; share = this.flows.get(flow)) {
      if (share.runs.size <= recordsPerFlow && share.bytes <= bytesPerFlow) break;
      this.removeFirst(share.runs);
    }
    while (this.total > bytes) this.removeFirst(this.records.keys());
  }

  private removeFirst(runs: Iterable<string>): void {
    for (const run of runs) return this.remove(run);
  }
}

/** Returns the added characters. */
function addBeside(record: MemoryRecord, { values = [], tape }: EventBatch): number {
  let bytes = 0;
  for (const { hash, json } of values) {
    if (!record.values.has(hash)) bytes += json.length;
    record.values.set(hash, json);
  }
  if (tape !== undefined) {
    bytes += tape.length;
    record.tape = tape;
  }
  return bytes;
}
