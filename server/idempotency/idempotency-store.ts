/**
 * Which requests with an `Idempotency-Key` were carried out, and how they were answered. `idempotency.contract.ts` says what
 * every implementation does.
 * IS1. A key is claimed by one request only, however many come at once; it is on disk when `claim` resolves.
 * IS2. A key is known for 24 hours from its claim, then free again, whether or not it has been cleared away.
 * IS3. No key is forgotten before its time to make room: where there is none, new keys are refused and answers are not kept.
 */
export interface IdempotencyStore {
  /** Takes the key for a request, if it is free; gives what is known of the one that has it. Throws `idempotency_full`, `storage_failed`. */
  claim(id: KeyId, fingerprint: string): Promise<Claim>;
  /** Notes the run that carries it out. */
  started(id: KeyId, run: string): Promise<void>;
  /** Keeps how it was answered; without an answer, and where that is too large, only that it was. */
  answered(id: KeyId, run: string, answer: KeptAnswer | undefined): Promise<void>;
  /** Nothing was done for it after all: the key is free again. */
  release(id: KeyId): Promise<void>;
}

/** Whose key for what. */
export interface KeyId {
  /** Flow and trigger node. */
  readonly trigger: string;
  readonly caller: string;
  readonly key: string;
}

/** What is known of the request that has a key. */
export interface Claim extends KnownRequest {
  /** It is the one that asked just now. */
  readonly isNew: boolean;
}

export interface KnownRequest {
  /** When it took the key, in Unix milliseconds. */
  readonly at: number;
  readonly fingerprint: string;
  /** `started`: no answer yet. `not-kept`: answered, and the answer is gone. */
  readonly state: 'started' | 'answered' | 'not-kept';
  readonly run: string | undefined;
  /** There when it was answered. */
  readonly answer: KeptAnswer | undefined;
}

/** What is known of a request that has just taken its key. */
export function newRequest(fingerprint: string, at: number): KnownRequest {
  return { at, fingerprint, state: 'started', run: undefined, answer: undefined };
}

/** An answer as it was sent. */
export interface KeptAnswer {
  /** It may hold values that are on no disk in clear. */
  readonly hidden?: boolean | undefined;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** How long a key is known, in milliseconds. */
export const KEPT_MS = 86_400_000;
/** Claims after which what is over is cleared away. */
export const SWEEP_EVERY = 500;

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
