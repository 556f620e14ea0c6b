/** One row of the error table. */
export interface ErrorEntry {
  /** HTTP status if the error is the answer to a request. */
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
  /** May succeed on an unchanged new attempt; `retry` of a node retries only these. */
  readonly transient?: boolean;
}
