/** The bytes of something that was stored. */
export interface StoredBlob {
  /** Random; says nothing about the content. */
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
 * BB1. A blob is there as a whole or not at all, even if the process is killed at any moment.
 * BB2. Content passes through piece by piece: no call holds more than a few pieces in memory.
 */
export interface Blobs {
  /**
   * Stores what `content` gives. Rejects with `storage_failed` if the disk refuses it, or with the error of `content`;
   * then nothing of it is left.
   */
  put(content: AsyncIterable<Uint8Array>): Promise<StoredBlob>;
  /** The content, or a part of it. Rejects with `file_gone` if there is no such blob. */
  open(id: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Does nothing if there is no such blob. Who reads it already reads it to its end. */
  remove(id: string): Promise<void>;
  /** All blobs, with the time in Unix milliseconds when each was stored. */
  ids(): AsyncIterable<{ readonly id: string; readonly at: number }>;
}
