import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** Milliseconds of processor time that a text may take; the largest takes about 100. */
const MAX_CPU_MS = 2000;
/** Milliseconds after which a text is given up even where the machine had no time for it. */
const MAX_MS = 20_000;
/** How often the processor time is looked at, in milliseconds. */
const LOOK_MS = 100;

export type Stripped =
  | { readonly source: string }
  | { readonly message: string; readonly stack: string; readonly isSyntax: boolean };

/**
 * Removes the types from TypeScript, keeping every other character at its place.
 *
 * TS1. A text nested some thousand levels deep breaks the stripper for the rest of its thread, and Node loads
 *      its own files with it. So it runs in a worker, which is replaced when that happens or when it takes too long.
 * TS2. The caller waits synchronously, because a check of a flow returns its problems at once.
 * TS3. A busy machine breaks no flow: the limit is on processor time.
 */
export class TypeStripper {
  private readonly program: URL;
  private worker: StripWorker | undefined = undefined;

  constructor(program = new URL('strip-worker.js', import.meta.url)) {
    this.program = program;
  }

  strip(source: string): Stripped {
    this.worker ??= this.start();
    const { port, signal } = this.worker;
    Atomics.store(signal, 0, 0);
    port.postMessage(source);
    if (!isSignalled(signal)) return this.replace('The code takes too long to be read');
    const { message } = receiveMessageOnPort(port) as { message: Stripped };
    return 'isSyntax' in message && !message.isSyntax
      ? this.replace('The code is nested too deeply to be read')
      : message;
  }

  private start(): StripWorker {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(this.program, {
      workerData: { port: port2, signal },
      transferList: [port2],
      env: {},
      execArgv: ['--no-warnings'],
      stdout: true,
      stderr: true,
    });
    worker.unref();
    worker.on('error', () => this.end());
    isSignalled(signal);
    port1.unref();
    return { worker, port: port1, signal };
  }

  private replace(message: string): Stripped {
    this.end();
    return { message, stack: '', isSyntax: false };
  }

  private end(): void {
    void this.worker?.worker.terminate();
    this.worker?.port.close();
    this.worker = undefined;
  }
}

interface StripWorker {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly signal: Int32Array;
}

/** Waits until the worker has signalled; false if it takes too long. The time of other threads counts, too: this one stands still. */
function isSignalled(signal: Int32Array): boolean {
  const began = performance.now();
  const cpu = process.cpuUsage();
  while (Atomics.wait(signal, 0, 0, LOOK_MS) === 'timed-out') {
    const { user, system } = process.cpuUsage(cpu);
    if ((user + system) / 1000 > MAX_CPU_MS || performance.now() - began > MAX_MS) return false;
  }
  return true;
}

const shared = new TypeStripper();

/** Removes the types from TypeScript, by the worker that all share. */
export function stripTypes(source: string): Stripped {
  return shared.strip(source);
}
