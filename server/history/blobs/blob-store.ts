/** A large value of a run, as JSON without secrets; `hash` is the SHA-256 of that text in hex. */
export interface KeptValue {
  readonly hash: string;
  readonly json: string;
}

/**
 * Texts by what they say: each is kept once, however many runs hold it. Used by the history's thread, so everything is
 * synchronous. `blob-store.contract.ts` says what every implementation does; what the disk refuses is thrown.
 */
export interface BlobStore {
  /** Gives the bytes that it took; 0 when it was there already. */
  put(value: KeptValue): number;
  /** Undefined when it is not there, or is not any more what it was. */
  get(hash: string): string | undefined;
  /** Gives the bytes that became free. */
  remove(hash: string): number;
  hashes(): string[];
  /** What all of them take on the disk. */
  readonly bytes: number;
}

/** 64 hex characters. */
export const HASH_PATTERN: RegExp = /^[0-9a-f]{64}$/;
