/**
 * How long a test waits for what must come, in milliseconds. What does not come is a fault, so it is long enough for one busy
 * core; no test is slower for it while all is well.
 */
export declare const PATIENCE_MS = 60000;
/** Waits until `fn` no longer throws: for what happens by itself, in its own time. */
export declare function eventually<T>(fn: () => T | Promise<T>): Promise<T>;
