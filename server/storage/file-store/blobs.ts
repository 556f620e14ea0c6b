/** The bytes of something that was stored. */
export interface StoredBlob {
  /** Random; reveals nothing about the content. */
  readonly id: string;
  readonly bytes: number;
  /** SHA-256 of the content, in hexadecimal. */
  readonly sha256: string;
}

/** From one byte to another, both included and counted from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Bytes by id. `blobs.contract.ts` tests every implementation.
 * BB1. A blob exists as a whole or not at all, even if the process is killed at any moment.
 * BB2. Content passes through piece by piece: no call holds more than a few pieces in memory.
 */
export interface Blobs {
  /**
   * Stores `content`. Rejects with `storage_failed` or `disk_low` if there is no room, or with the error of `content`;
   * then nothing of it is left.
   */
  put(content: AsyncIterable<Uint8Array>): Promise<StoredBlob>;
  /** The content, or a part of it. Rejects with `file_gone` if there is no such blob. */
  open(id: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Does nothing if there is no such blob. A read under way continues to the end. */
  remove(id: string): Promise<void>;
  /** All blobs, with the time of storing in Unix milliseconds. */
  ids(): AsyncIterable<{ readonly id: string; readonly at: number }>;
}
