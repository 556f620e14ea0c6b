import type { OutputCache, RunClaim, Services } from './services.ts';
import type { WaitFor } from './strand.ts';

export type { WaitFor } from './strand.ts';

/**
 * The engine's access to the outside. Everything that does not follow from the flow and its input goes through it, so that a run
 * can be recorded, replayed and driven by hand in tests (`testing/fake-host.ts`).
 */
export interface Host {
  /** Unix time in milliseconds. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** A fresh id (UUID). */
  id(): string;
  /** Calls `fn` once after `ms` milliseconds; the returned function cancels it. */
  timer(ms: number, fn: () => void): () => void;
  /** Calls `fn` soon, after other waiting work had its turn. */
  defer(fn: () => void): void;
  /** Stored outputs, for nodes with `cache`. */
  readonly cache?: OutputCache;
  /** For operators with effects. */
  readonly services?: Services;
}

/** A step in the durable context. */
export interface DurableStep {
  /**
   * Stable over restarts and different for each attempt, item and part: `node`, `node@2`, `node#7`, `node/7`. What runs below a step or
   * a part has keys below it: `node/7/inner`.
   */
  readonly key: string;
  /** The key of the step that this one is a part of. */
  readonly whole?: string;
  readonly idempotencyKey: string;
  /** The operator of the step, and its params. */
  readonly operator: string;
  readonly params: unknown;
  /** The value of its input, or its values by port if it has several; for a part, the value that it works on. */
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** Items of a loop that follow each other, or rounds: from `from` up to but without `to`. */
export interface Stretch {
  /** The key of the step whose items they are; their records have keys below it, `loop#7` or `loop/7`. */
  readonly loop: string;
  readonly from: number;
  readonly to: number;
}

/** Long loops have one record for each stretch that is over, in place of those of its items. */
export interface Stretches {
  /** What was recorded of the stretch; undefined if its items are to be worked on. */
  kept(of: Stretch): { readonly value: unknown } | undefined;
  /**
   * Records what became of the stretch, and removes the records of its items, both or neither. Undefined if that is not worth it,
   * or not possible: the records stay.
   */
  keep(of: Stretch, value: unknown): Promise<void> | undefined;
}

/** The key of the record of a stretch. */
export function stretchKey({ loop, from, to }: Stretch): string {
  return `${loop}#${from}-${to - 1}`;
}

/**
 * Seam for durable runs (see docs/durable-runs.md): how steps with effects are executed, and in which order their results
 * are taken. Without it, steps just run. Pure synchronous steps never touch it.
 */
export interface RunCtx {
  /** Executes a step, or returns its recorded result. */
  step(step: DurableStep, fn: () => Promise<unknown>): Promise<unknown>;
  /**
   * Which of the running steps to take next, by node; the only source of order. `first`: the step that ends first on its
   * own.
   */
  next(running: ReadonlyMap<string, Promise<unknown>>, first: () => Promise<string>): Promise<string>;
  /** Resolves with the decision, or undefined when the time has come; undefined too if `until` passed without a decision. */
  wait(key: string, node: string, what: WaitFor, signal: AbortSignal): Promise<unknown>;
  /**
   * Called whenever nothing can continue without outside events. `awaited`: number of attempts being awaited, infinite while
   * streams are open.
   */
  idle(awaited: () => number): void;
  /** Records a fact once for the whole run, under its name: all passes see the same. A failure is not recorded. */
  once(name: string, fn: () => Promise<unknown>): Promise<unknown>;
  /** The step with this key waits for parts, which have records of their own, until the returned function is called. */
  parts(key: string): () => void;
  /** Absent where loops are recorded item by item only. */
  readonly stretches?: Stretches | undefined;
  /** Absent where no other server can take the run over. */
  readonly claim?: RunClaim | undefined;
  /** The same context without a recording around it: for parts that a replay does not execute. Absent if nothing is recorded. */
  readonly unrecorded?: RunCtx | undefined;
}
