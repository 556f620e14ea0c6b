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

/** What an operator with `effects: 'wait'` waits for. Times are Unix milliseconds. */
export type WaitFor =
  | { readonly kind: 'time'; readonly until: number }
  /** `ask`: JSON for whoever shows the question; `until`: when it is given up, never where it is absent. */
  | { readonly kind: 'answer'; readonly title: string; readonly ask: unknown; readonly until?: number };

/** A step as the durable context knows it. */
export interface DurableStep {
  /** Stable over restarts and different for each attempt, item and part: `node`, `node@2`, `node#7`, `node/7`. */
  readonly key: string;
  /** The key of the step that it is a part of. */
  readonly whole?: string;
  readonly idempotencyKey: string;
  /** What it does, and with what: an operator's id and its params. */
  readonly operator: string;
  readonly params: unknown;
  readonly signal: AbortSignal;
}

/**
 * Seam for durable runs (see docs/durable-runs.md): how the steps that have effects are carried out and in which order their
 * ends are taken. Without it steps just run. Pure synchronous steps never touch it.
 */
export interface RunCtx {
  /** Carries out a step, or gives its recorded result. */
  step(step: DurableStep, fn: () => Promise<unknown>): Promise<unknown>;
  /** Which of the running steps to take next, by node; the only source of order. `first`: the one that ends first by itself. */
  next(running: ReadonlyMap<string, Promise<unknown>>, first: () => Promise<string>): Promise<string>;
  /** Resolves undefined when the time has come, or with the decision; undefined too when `until` passed without one. */
  wait(key: string, node: string, what: WaitFor, signal: AbortSignal): Promise<unknown>;
  /** Told whenever nothing goes on by itself. `awaited`: how many attempts are awaited now, infinitely many where streams are open. */
  idle(awaited: () => number): void;
}
