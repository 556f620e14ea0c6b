import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Milliseconds between two looks. */
const LOOK_MS = 25;
/** The last words of a process that used too much memory, on its standard error. */
export const TOO_MUCH = 'weft-python: too much memory';

/**
 * Ends this process as soon as it uses more memory than it may, or when its server has ended. A thread looks, because the code
 * may keep the main thread for good.
 *
 * @type {(mostMb: number) => void}
 */
export function watch(mostMb) {
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
  new Worker(new URL(import.meta.url), {
    workerData: { mostMb, server: process.ppid },
    resourceLimits,
  }).unref();
}

if (!isMainThread) {
  const { mostMb, server } = workerData;
  const { kill, memoryUsage, pid } = process;
  setInterval(() => {
    const isFull = memoryUsage.rss() > mostMb * 1024 ** 2;
    if (!isFull && process.ppid === server) return;
    if (isFull) writeSync(2, TOO_MUCH);
    kill(pid, 'SIGKILL');
  }, LOOK_MS);
}
