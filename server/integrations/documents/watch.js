import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** The interval of the checks, in milliseconds: a library unpacks about 25 MB in that time. */
const LOOK_MS = 15;
/** The last output of a process that used too much memory, on its standard error. */
export const TOO_MUCH = 'weft: too much memory';

/**
 * Ends this process as soon as it uses more memory than allowed, buffers included, or when its server has ended. A thread checks
 * this, because a document may keep the main thread busy.
 *
 * @type {(mostMb: number) => void}
 */
export function watchMemory(mostMb) {
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
  const workerData = { mostMb, server: process.ppid };
  new Worker(new URL(import.meta.url), { workerData, resourceLimits }).unref();
}

if (!isMainThread) {
  const { mostMb, server } = workerData;
  const most = mostMb * 1024 ** 2;
  setInterval(() => {
    const isFull = process.memoryUsage.rss() > most;
    if (!isFull && process.ppid === server) return;
    if (isFull) writeSync(2, TOO_MUCH);
    process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}
