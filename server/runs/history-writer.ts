import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { RunSummary } from '#shared/run-event.ts';
import type { EventBatch, RunHistory } from './history.ts';

/**
 * Hands ended runs to the history in batches, so that a run never waits for it.
 * W1. A run's events are handed over before its line.
 * W2. What the history has not taken yet is bounded; above that, runs are dropped and counted.
 * W3. After `flush` resolved, everything that was written before it is readable, or counted as dropped.
 */
export interface HistoryWriter {
  line(row: RunSummary): void;
  /** False when there is no room: the events are dropped, and the line must say so. */
  events(batch: EventBatch): boolean;
  flush(): Promise<void>;
  /** Runs of which the line or the events could not be kept. */
  readonly dropped: number;
}

export interface WriterLimits {
  /** Lines that the history has not taken yet. */
  readonly lines: number;
  /** Characters of events that the history has not taken yet. */
  readonly bytes: number;
}

const BATCH_MS = 100;
const BATCH_LINES = 1024;
const defaultLimits: WriterLimits = { lines: 200_000, bytes: 64 * 1024 * 1024 };

export function createHistoryWriter(
  { host, history, log }: { host: Host; history: RunHistory; log: FastifyBaseLogger },
  limits: WriterLimits = defaultLimits,
): HistoryWriter {
  let lines: RunSummary[] = [];
  let batches: EventBatch[] = [];
  let heldLines = 0;
  let heldBytes = 0;
  let dropped = 0;
  let armed = false;
  let complained = false;
  const pending = new Set<Promise<void>>();

  function arm(): void {
    armed = true;
    host.timer(BATCH_MS, () => {
      armed = false;
      hand();
    });
  }

  function hand(): void {
    if (lines.length === 0 && batches.length === 0) return;
    const given = { lines, batches, bytes: sizeOf(batches) };
    lines = [];
    batches = [];
    const write: Promise<void> = store(given.lines, given.batches).then(() => {
      heldLines -= given.lines.length;
      heldBytes -= given.bytes;
      pending.delete(write);
    });
    pending.add(write);
  }

  async function store(rows: RunSummary[], events: EventBatch[]): Promise<void> {
    // Both are called in this turn, so that W1 holds without waiting.
    const kept = await Promise.allSettled([
      events.length > 0 ? history.appendEvents(events) : undefined,
      history.appendSummaries(rows),
    ]);
    const failed = kept.find((result) => result.status === 'rejected');
    if (failed === undefined) {
      complained = false;
      return;
    }
    dropped += rows.length;
    if (!complained) log.error({ err: failed.reason, runs: rows.length }, 'runs could not be kept in the history');
    complained = true;
  }

  return {
    line(row) {
      if (heldLines >= limits.lines) {
        dropped++;
        return;
      }
      heldLines++;
      lines.push(row);
      if (lines.length >= BATCH_LINES) hand();
      else if (!armed) arm();
    },
    events(batch) {
      const bytes = sizeOf([batch]);
      if (heldBytes + bytes > limits.bytes) {
        dropped++;
        return false;
      }
      heldBytes += bytes;
      batches.push(batch);
      return true;
    },
    async flush() {
      hand();
      while (pending.size > 0) await Promise.all(pending);
    },
    get dropped() {
      return dropped;
    },
  };
}

function sizeOf(batches: readonly EventBatch[]): number {
  let size = 0;
  for (const batch of batches) for (const event of batch.events) size += event.json.length;
  return size;
}
