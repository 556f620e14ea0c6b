/** A large value of a run, as JSON without secrets; `hash` is the SHA-256 of that text in hex. */
export interface KeptValue {
  readonly hash: string;
  readonly json: string;
}

/**
 * Texts by their content: each is stored once, however many runs contain it. Used by the history's thread, so
 * everything is synchronous. `blob-store.contract.ts` tests every implementation; errors of the disk are thrown.
 */
export interface BlobStore {
  /** Returns the bytes that it took; 0 if it was already stored. */
  put(value: KeptValue): number;
  /** Undefined if it is missing, or was altered. */
  get(hash: string): string | undefined;
  /** Returns the bytes that became free. */
  remove(hash: string): number;
  hashes(): string[];
  /** The disk space of all of them. */
  readonly bytes: number;
}

/** 64 hex characters. */
export const HASH_PATTERN: RegExp = /^[0-9a-f]{64}$/;
