import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** Milliseconds that a text may take; the largest takes about 100. */
const MAX_MS = 2000;
/** Milliseconds that the worker may take to get ready. */
const START_MS = 20_000;

export type Stripped =
  | { readonly source: string }
  | { readonly message: string; readonly stack: string; readonly isSyntax: boolean };

/**
 * Removes the types from TypeScript, keeping every other character at its place.
 *
 * TS1. A text nested some thousand levels deep breaks the stripper for the rest of its thread, and Node loads
 *      its own files with it. So it runs in a worker, which is replaced when that happens or when it takes too long.
 * TS2. The caller waits synchronously, because a check of a flow returns its problems at once.
 */
export function stripTypes(source: string): Stripped {
  worker ??= startWorker();
  const { port, signal } = worker;
  Atomics.store(signal, 0, 0);
  port.postMessage(source);
  Atomics.wait(signal, 0, 0, MAX_MS);
  const answer = receiveMessageOnPort(port) as { message: Stripped } | undefined;
  const stripped = answer?.message ?? tooComplex;
  if ('isSyntax' in stripped && !stripped.isSyntax) {
    endWorker();
    return tooComplex;
  }
  return stripped;
}

const tooComplex: Stripped = {
  message: 'The code is nested too deeply to be read',
  stack: '',
  isSyntax: false,
};

interface StripWorker {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly signal: Int32Array;
}

let worker: StripWorker | undefined;

function startWorker(): StripWorker {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const started = new Worker(new URL('strip-worker.js', import.meta.url), {
    workerData: { port: port2, signal },
    transferList: [port2],
    env: {},
    execArgv: ['--no-warnings'],
    stdout: true,
    stderr: true,
  });
  started.unref();
  Atomics.wait(signal, 0, 0, START_MS);
  started.on('error', () => endWorker());
  port1.unref();
  return { worker: started, port: port1, signal };
}

function endWorker(): void {
  void worker?.worker.terminate();
  worker?.port.close();
  worker = undefined;
}
