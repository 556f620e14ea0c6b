import { WeftError } from '#engine';

/** What the sandbox has done since the server started. */
export interface CodeStats {
  /** Calls of functions, and readings of generators. */
  readonly calls: number;
  /** Calls that failed, by code; those that were called off do not count. */
  readonly errors: ReadonlyMap<string, number>;
  /** Calls that wait or are in progress. */
  readonly open: number;
  /** Sandbox processes that are there now. */
  readonly hosts: number;
  /** Those that ended by themselves or had to be killed. */
  readonly lostHosts: number;
}

/** Counts calls on their way. */
export class CallCounts {
  calls = 0;
  readonly errors = new Map<string, number>();

  begun(): void {
    this.calls++;
  }

  failed(error: unknown): void {
    const code = error instanceof WeftError ? error.code : 'node_failed';
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
  }
}
