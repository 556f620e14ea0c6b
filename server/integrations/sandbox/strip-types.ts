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
    const started = this.worker ?? this.start();
    started?.port.postMessage(source);
    const stripped = started && messageOf(started, MAX_CPU_MS);
    if (stripped === undefined) return this.replace('The code takes too long to be read');
    return 'isSyntax' in stripped && !stripped.isSyntax
      ? this.replace('The code is nested too deeply to be read')
      : stripped;
  }

  /** Undefined if it did not get ready: what it says later may not be taken for an answer. */
  private start(): StripWorker | undefined {
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
    const started = { worker, port: port1, signal };
    worker.on('error', () => {
      if (this.worker === started) this.end();
    });
    this.worker = started;
    port1.unref();
    // Only a busy machine keeps it from getting ready, so other threads may use as much processor time as they like.
    return messageOf(started, Number.POSITIVE_INFINITY) && started;
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
  /** The worker counts its messages there, and notifies who waits. */
  readonly signal: Int32Array;
}

/**
 * Waits for the next message of the worker; undefined if it takes too long. This thread stands still meanwhile, so the processor time
 * of the process is that of the worker and of other threads.
 */
function messageOf({ port, signal }: StripWorker, maxCpuMs: number): Stripped | undefined {
  const began = performance.now();
  const cpu = process.cpuUsage();
  for (;;) {
    const count = Atomics.load(signal, 0);
    const received = receiveMessageOnPort(port) as { message: Stripped } | undefined;
    if (received !== undefined) return received.message;
    const { user, system } = process.cpuUsage(cpu);
    if ((user + system) / 1000 > maxCpuMs || performance.now() - began > MAX_MS) return undefined;
    Atomics.wait(signal, 0, count, LOOK_MS);
  }
}

const shared = new TypeStripper();

/** Removes the types from TypeScript, by the worker that all share. */
export function stripTypes(source: string): Stripped {
  return shared.strip(source);
}
