import type { Services } from './services.ts';

/**
 * What the engine may ask of the outside. Everything that is not a function of the flow and its input comes through here,
 * so that a run can be recorded, replayed and driven by hand in tests (`testing/fake-host.ts`).
 */
export interface Host {
  /** Unix time in milliseconds. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** A fresh id (UUID). */
  id(): string;
  /** Calls `fn` once after `ms` milliseconds; the returned function calls it off. */
  timer(ms: number, fn: () => void): () => void;
  /** Calls `fn` soon, after other work that waits had its turn. */
  defer(fn: () => void): void;
  /** Outputs to use again, for nodes with `cache`. */
  readonly cache?: OutputCache;
  /** For operators with effects. */
  readonly services?: Services;
}

/** Keeps outputs of nodes in memory; what is kept is never changed. */
export interface OutputCache {
  /** `at`: when it was made, Unix milliseconds. */
  get(key: string): { readonly value: unknown; readonly at: number } | undefined;
  /** False when it is too large to keep. */
  set(key: string, entry: { readonly value: unknown; readonly at: number }, bytes: number): boolean;
}

/**
 * Seam for durable runs (see docs/architecture.md): how the steps that have effects are carried out and in which order their
 * ends are taken. Without it steps just run. Pure synchronous steps never touch it.
 */
export interface RunCtx {
  /** Carries out a step, or gives its recorded result. `key` is stable over restarts. */
  step?(
    key: string,
    call: { idempotencyKey: string; signal: AbortSignal },
    fn: () => Promise<unknown>,
  ): Promise<unknown>;
  /** Which of the running steps to take next; the only source of order. */
  next?(running: ReadonlyMap<string, Promise<unknown>>): Promise<string>;
  /** A wait that survives a restart. */
  sleep?(key: string, ms: number): Promise<void>;
}
