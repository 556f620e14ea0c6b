/** A wait of an operator with `effects: 'wait'`: for a time, or for an answer. Times are Unix milliseconds. */
export type WaitFor =
  | { readonly kind: 'time'; readonly until: number }
  /** `ask`: JSON for the page that shows the question; `until`: the time when the wait is given up, absent for never. */
  | { readonly kind: 'answer'; readonly title: string; readonly ask: unknown; readonly until?: number };

/** Which part of a step, by its position or its name (`\w+`), and which attempt at it, counted from 1. */
export interface PartName {
  readonly index: number | string;
  readonly attempt: number;
}

/** A part of a step that a strand executes. */
export interface StrandPart {
  /** `\w+`: the same in each attempt that makes the same calls. */
  readonly name: string;
  /** The value that the part works on. */
  readonly input?: unknown;
  readonly signal: AbortSignal;
}

/**
 * A line of long work within a step, which may wait; a step may have several side by side. In a durable run each part is recorded
 * when it ends, so that it is not executed again, and the run is parked while all strands wait.
 */
export interface Strand {
  /** Executes a part, or returns its recorded result. */
  part(of: StrandPart, fn: () => Promise<unknown>): Promise<unknown>;
  /**
   * Waits for people as `Call.wait` does; `name` is that of a part. In a run that is only in memory the wait ends with it, and
   * after some minutes at the latest.
   */
  wait(name: string, what: WaitFor, signal: AbortSignal): Promise<unknown>;
  /** Whether parts are recorded: the run is durable. */
  readonly isRecorded: boolean;
  /** The key of a wait of a run that is only in memory. */
  keyOf(name: string): string;
  /** It awaits nothing any more. */
  end(): void;
}

/** What is recorded of a loop as a whole, by stretches of many items. */
export interface LoopStretches {
  /** What became of the items, if that is recorded. */
  kept(from: number, to: number): readonly unknown[] | undefined;
  /** Records it in place of the items; undefined if their own records stay. */
  keep(from: number, to: number, ends: readonly unknown[]): Promise<void> | undefined;
}
