/** One row of the error table. */
export interface ErrorEntry {
  /** HTTP status when the error is the answer to a request. */
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
  /** May succeed when tried again unchanged; `retry` on a node tries only these. */
  readonly transient?: boolean;
}
