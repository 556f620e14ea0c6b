/** A large value of a run, as JSON without secrets; `hash` is the SHA-256 of that text in hex. */
export interface KeptValue {
  readonly hash: string;
  readonly json: string;
}

/**
 * Texts stored by their content: each once, however many runs contain it. Synchronous, because the history's thread
 * uses it. `blob-store.contract.ts` tests every implementation; disk errors are thrown.
 */
export interface BlobStore {
  /** Returns the bytes added to the store; 0 if the value was already stored. */
  put(value: KeptValue): number;
  /** Undefined if it is missing or was altered. */
  get(hash: string): string | undefined;
  /** Returns the freed bytes. */
  remove(hash: string): number;
  hashes(): string[];
  /** The disk space of all values, in bytes. */
  readonly bytes: number;
}

/** 64 hex characters. */
export const HASH_PATTERN: RegExp = /^[0-9a-f]{64}$/;
