import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { RunSummary } from '#shared/run-event.ts';
import type { EventBatch, RunHistory } from './history.ts';

/** Limits of what waits to be written; above them lines are dropped and counted. */
export interface WriterLimits {
  /** Lines that the history has not accepted yet. */
  readonly lines: number;
  /** Characters of events that the history has not accepted yet. */
  readonly bytes: number;
}

/** The size of the data that was handed over and is not stored yet. */
interface Held {
  readonly rows: number;
  readonly bytes: number;
}

const BATCH_MS = 100;
const BATCH_LINES = 1024;
const defaultLimits: WriterLimits = { lines: 200_000, bytes: 64 * 1024 * 1024 };

/**
 * Hands ended runs to the history in batches, so that a run never waits for it.
 * HW1. A run's events are handed over before its line, and readable with it.
 * HW2. The amount of data that the history has not accepted yet is bounded; above that, runs are dropped and counted.
 * HW3. Once `flush` has resolved, everything written before it is readable or counted as dropped. Calls that come while
 *      one is under way share the next, so that many runs that end together are one batch.
 */
export class HistoryWriter {
  /** Runs whose line or events could not be stored. */
  dropped = 0;
  /** Large values and tapes that could not be stored beside their events. */
  lost = 0;
  private readonly deps: { host: Host; history: RunHistory; log: FastifyBaseLogger };
  private readonly limits: WriterLimits;
  private rows: RunSummary[] = [];
  private batches: EventBatch[] = [];
  private heldRows = 0;
  private heldBytes = 0;
  private armed = false;
  private complained = false;
  private readonly pending = new Set<Promise<void>>();
  private lastFlush: Promise<void> = Promise.resolve();
  private nextFlush: Promise<void> | undefined = undefined;

  constructor(deps: HistoryWriter['deps'], limits: WriterLimits = defaultLimits) {
    this.deps = deps;
    this.limits = limits;
  }

  line(row: RunSummary): void {
    if (this.heldRows >= this.limits.lines) {
      this.dropped++;
      return;
    }
    this.heldRows++;
    this.rows.push(row);
    if (this.rows.length >= BATCH_LINES) this.handOver();
    else if (!this.armed) this.arm();
  }

  /**
   * False if there is no room: the events are dropped, and the line must show that. Data beside them is dropped first.
   */
  events(batch: EventBatch): boolean {
    const { values, tape, ...bare } = batch;
    if (this.hold(batch)) return true;
    if (this.hold(bare)) {
      this.lost += (values?.length ?? 0) + (tape === undefined ? 0 : 1);
      return true;
    }
    this.dropped++;
    return false;
  }

  private hold(batch: EventBatch): boolean {
    const bytes = sizeOf([batch]);
    if (this.heldBytes + bytes > this.limits.bytes) return false;
    this.heldBytes += bytes;
    if (!this.armed) this.arm();
    this.batches.push(batch);
    return true;
  }

  flush(): Promise<void> {
    this.nextFlush ??= this.lastFlush.then(async () => {
      this.nextFlush = undefined;
      this.handOver();
      await Promise.all(this.pending);
    });
    this.lastFlush = this.nextFlush.catch(() => {});
    return this.nextFlush;
  }

  private arm(): void {
    this.armed = true;
    this.deps.host.timer(BATCH_MS, () => {
      this.armed = false;
      this.handOver();
    });
  }

  private handOver(): void {
    const { rows, batches } = this;
    if (rows.length === 0 && batches.length === 0) return;
    this.rows = [];
    this.batches = [];
    const size = { rows: rows.length, bytes: sizeOf(batches) };
    const { history } = this.deps;
    // Both are called in the same turn, so that HW1 holds without waiting.
    const stored = [
      batches.length > 0 ? history.appendEvents(batches) : Promise.resolve(0),
      history.appendSummaries(rows),
    ] as const;
    const write = this.settle(stored, size);
    this.pending.add(write);
    void write.then(() => this.pending.delete(write));
  }

  /**
   * Gets only the size of the data: a reference to the data would keep several MB beyond the young generation under
   * load.
   */
  private async settle(stored: readonly [Promise<number>, Promise<void>], size: Held): Promise<void> {
    const [events, lines] = await Promise.allSettled(stored);
    if (events.status === 'fulfilled') this.lost += events.value;
    const failed = [events, lines].find((result) => result.status === 'rejected');
    if (failed !== undefined) {
      this.dropped += size.rows;
      if (!this.complained)
        this.deps.log.error(
          { err: failed.reason, runs: size.rows },
          'runs could not be stored in the history',
        );
    }
    this.complained = failed !== undefined;
    this.heldRows -= size.rows;
    this.heldBytes -= size.bytes;
  }
}

function sizeOf(batches: readonly EventBatch[]): number {
  let size = 0;
  for (const { events, values = [], tape = '' } of batches) {
    size += tape.length;
    for (const { json } of events) size += json.length;
    for (const { json } of values) size += json.length;
  }
  return size;
}
