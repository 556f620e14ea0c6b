/**
 * How long a test waits for an expected event, in milliseconds. A missing event is a fault, so the time is long enough
 * for one busy core; it does not slow down passing tests.
 */
export declare const PATIENCE_MS = 60000;
/** Waits until `fn` no longer throws: for events that happen in their own time. */
export declare function eventually<T>(fn: () => T | Promise<T>): Promise<T>;
