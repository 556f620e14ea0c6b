import { WeftError } from '#engine';

/** Statistics of the sandbox since the server started. */
export interface CodeStats {
  /** Calls of functions, and readings of generators. */
  readonly calls: number;
  /** Calls that failed, by code, without cancelled ones. */
  readonly errors: ReadonlyMap<string, number>;
  /** Calls that wait or are in progress. */
  readonly open: number;
  /** Current sandbox processes. */
  readonly hosts: number;
  /** Those that ended unexpectedly or had to be killed. */
  readonly lostHosts: number;
}

/** Counts calls in progress. */
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
