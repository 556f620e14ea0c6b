import { type BlobStore, HASH_PATTERN, type KeptValue } from '../blobs/blob-store.ts';
import type { EventBatch } from '../history.ts';
import type { SegmentValues } from './segment-values.ts';

/**
 * The large values of all files of runs.
 * HV1. A value exists as long as a run of some file refers to it, and is removed with the last one.
 * HV2. A value that the disk refuses is lost and counted; the run's events are stored anyway.
 */
export class HeldValues {
  private readonly blobs: BlobStore;
  private readonly segments: () => readonly SegmentValues[];

  constructor(blobs: BlobStore, segments: () => readonly SegmentValues[]) {
    this.blobs = blobs;
    this.segments = segments;
  }

  get bytes(): number {
    return this.blobs.bytes;
  }

  /** Returns the batches with the values that could be stored; `fresh` are those that are new in the store. */
  store(batches: readonly EventBatch[]): Stored {
    const fresh: KeptValue[] = [];
    let lost = 0;
    const keep = (value: KeptValue): boolean => {
      try {
        if (this.blobs.put(value) > 0) fresh.push(value);
        return true;
      } catch {
        lost++;
        return false;
      }
    };
    const kept = batches.map((batch) =>
      batch.values === undefined ? batch : { ...batch, values: batch.values.filter(keep) },
    );
    return { batches: kept, fresh: fresh.map(({ hash }) => hash), lost };
  }

  /** A value, if the run refers to it. */
  get(run: string, hash: string): string | undefined {
    const held = HASH_PATTERN.test(hash) && this.segments().some((segment) => segment.holds(hash, run));
    return held ? this.blobs.get(hash) : undefined;
  }

  /** Removes those of the values that no run refers to any more. */
  free(hashes: Iterable<string>): void {
    for (const hash of hashes)
      if (!this.segments().some((segment) => segment.holds(hash))) this.blobs.remove(hash);
  }

  /** Removes values whose run was never stored, because the process crashed in between. */
  sweep(): void {
    this.free(this.blobs.hashes());
  }
}

interface Stored {
  readonly batches: readonly EventBatch[];
  readonly fresh: readonly string[];
  readonly lost: number;
}
