import { Worker } from 'node:worker_threads';

/**
 * Threads that are closed and wait for the next setup of their program: a new thread costs some 50 ms of processor time, which
 * counts where many files are opened one after another (knowledge bases, tests).
 */

/** How long a thread waits, in milliseconds, since it costs memory. */
const SPARE_MS = 5000;
/** How many threads of a program wait at most. */
const MOST = 4;

interface Spare {
  readonly worker: Worker;
  readonly timer: NodeJS.Timeout;
}

const spares = new Map<string, Spare[]>();

/** A thread that runs `program`: one that waits, or a new one. */
export function takeThread(program: URL): Worker {
  const spare = spares.get(program.href)?.pop();
  if (spare === undefined) return new Worker(program);
  clearTimeout(spare.timer);
  unheard(spare.worker);
  return spare.worker;
}

/** `worker` has nothing open and no pending request. */
export function keepThread(program: URL, worker: Worker): void {
  const waiting = spares.get(program.href) ?? [];
  spares.set(program.href, waiting);
  unheard(worker);
  if (waiting.length >= MOST) return void worker.terminate();
  const spare = { worker, timer: setTimeout(() => forget(), SPARE_MS).unref() };
  const forget = (): void => {
    clearTimeout(spare.timer);
    const at = waiting.indexOf(spare);
    if (at !== -1) waiting.splice(at, 1);
    void worker.terminate();
  };
  worker.on('error', forget);
  worker.on('exit', forget);
  worker.unref();
  waiting.push(spare);
}

/** Node's own listeners of a worker have to stay. */
function unheard(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}
