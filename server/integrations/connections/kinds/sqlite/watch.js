import { workerData } from 'node:worker_threads';

/** How often it checks, in milliseconds. */
const EVERY_MS = 20;

/**
 * Ends the process when it uses too much memory: SQLite limits each value but not their sum, and its thread cannot be
 * interrupted.
 */
/** Whether a statement runs, and how many megabytes it may use. */
const watched = /** @type {Int32Array} */ (workerData);
for (;;) {
  Atomics.wait(watched, 0, 0);
  if (process.memoryUsage.rss() > (watched[1] ?? 0) * 1e6) process.kill(process.pid, 'SIGKILL');
  Atomics.wait(watched, 0, 1, EVERY_MS);
}
