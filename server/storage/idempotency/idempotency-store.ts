/**
 * The executed requests with an `Idempotency-Key`, and their answers. `idempotency.contract.ts` tests every
 * implementation.
 * IS1. Only one request claims a key, however many arrive at once; the claim is on disk when `claim` resolves.
 * IS2. A key is known for 24 hours from its claim, then free again, whether or not it has been deleted.
 * IS3. No key is deleted early to make room: if there is none, new keys are refused and answers are not stored.
 */
export interface IdempotencyStore {
  /**
   * Claims the key for a request if it is free; returns the facts about the request that has it. Throws
   * `idempotency_full`, `storage_failed`, and `run_cancelled` if the sender `isGone` while the request that has it is executed
   * by another server.
   */
  claim(id: KeyId, fingerprint: string, isGone?: () => boolean): Promise<Claim>;
  /** Stores the id of the run that executes it. */
  started(id: KeyId, run: string): Promise<void>;
  /** Stores its answer; without an answer, or if it is too large, only the fact that it was answered. */
  answered(id: KeyId, run: string, answer: KeptAnswer | undefined): Promise<void>;
  /** Nothing was done for it after all: the key is free again. */
  release(id: KeyId): Promise<void>;
}

/** The owner and purpose of a key. */
export interface KeyId {
  /** Flow and trigger node. */
  readonly trigger: string;
  readonly caller: string;
  readonly key: string;
}

/** Facts about the request that has a key. */
export interface Claim extends KnownRequest {
  /** This request claimed the key just now. */
  readonly isNew: boolean;
}

/** A request that has claimed a key. */
export interface KnownRequest {
  /** When it claimed the key, in Unix milliseconds. */
  readonly at: number;
  readonly fingerprint: string;
  /** `started`: no answer yet. `not-kept`: answered, but the answer is not stored. */
  readonly state: 'started' | 'answered' | 'not-kept';
  readonly run: string | undefined;
  /** Present once it was answered. */
  readonly answer: KeptAnswer | undefined;
}

/** Facts about a request that has just claimed its key. */
export function newRequest(fingerprint: string, at: number): KnownRequest {
  return { at, fingerprint, state: 'started', run: undefined, answer: undefined };
}

/** A sent answer. */
export interface KeptAnswer {
  /** Whether it may contain values that must not be on a disk in clear text. */
  readonly hidden?: boolean | undefined;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** How long a key is known, in milliseconds. */
export const KEPT_MS = 86_400_000;
/** Number of claims after which expired keys are deleted. */
export const SWEEP_EVERY = 500;

/** Limits of the store. */
export interface IdempotencyLimits {
  /** Keys of one trigger. */
  readonly keys: number;
  /** Bytes of one answer's body. */
  readonly answer: number;
  /** Bytes of all answers of one trigger. */
  readonly answers: number;
}

export const idempotencyLimits: IdempotencyLimits = {
  keys: 100_000,
  answer: 1024 * 1024,
  answers: 64 * 1024 * 1024,
};
