/**
 * The state of a step in a run. Before it fires, `open[i]` counts the edges that have not settled (0 or more); afterwards it
 * is one of these.
 */
export const RUNNING = -1;
export const OK = -2;
export const SKIPPED = -3;
/** Failed, and the run with it. */
export const FAILED = -4;
/** Failed, handled by `onError: route`. */
export const ROUTED = -5;
/** Failed, handled by `onError: continue`. */
export const CONTINUED = -6;
/** Was running when the run was stopped, and ended. */
export const ABORTED = -7;
/** Was running when the run was stopped, and did not end in time. */
export const ABANDONED = -8;

/** How long an operator may take to end after its signal aborted, in milliseconds. */
export const ABORT_GRACE_MS = 100;
/** How many nodes fire before the synchronous path looks at the clock, and how long it may go on without a pause. */
export const CLOCK_EVERY = 64;
export const SLICE_MS = 10;
export const DEFAULT_CONCURRENCY = 64;
