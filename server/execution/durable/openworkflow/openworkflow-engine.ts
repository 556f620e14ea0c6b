import { Worker } from 'node:worker_threads';
import { WeftError } from '#engine';
import type { DurableEngine, EngineHost, NewRun, Pass, PassEnd } from '../port.ts';
import type { EngineCalls, EngineOp, EngineSetup, FromEngine, ToEngine } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Delay before a thread that died or could not start is started again, in milliseconds. */
const AGAIN_MS = 1000;

/** The port over OpenWorkflow on SQLite, in a separate thread that starts with this call. */
export function createOpenWorkflowEngine(setup: EngineSetup): DurableEngine & { kill(): Promise<void> } {
  return new OpenWorkflowEngine(setup);
}

/**
 * The server's end of the engine's thread.
 * OE1. Nothing waits for ever: when the thread dies, its pending calls are rejected, its passes are lost, and
 *      another thread starts.
 */
class OpenWorkflowEngine implements DurableEngine {
  private readonly setup: EngineSetup;
  private worker: Worker | undefined = undefined;
  private host: EngineHost | undefined = undefined;
  private lastId = 0;
  private closed = false;
  private beginning: NodeJS.Timeout | undefined = undefined;
  private readonly waiting = new Map<number, Waiting>();
  /** Steps that are being recorded, by pass and key. */
  private readonly recording = new Map<string, Waiting>();

  constructor(setup: EngineSetup) {
    this.setup = setup;
    this.running();
  }

  begin(host: EngineHost): void {
    this.host = host;
    this.call('begin', null).catch(() => this.beginLater());
  }

  /** Logged once, however many reasons there are: a full disk, a thread that died. */
  private beginLater(): void {
    const { host } = this;
    if (host === undefined || this.closed || this.beginning !== undefined) return;
    this.beginning = setTimeout(() => {
      this.beginning = undefined;
      if (!this.closed) this.begin(host);
    }, AGAIN_MS);
  }

  start(run: NewRun): Promise<{ run: string; created: boolean }> {
    return this.call('start', run);
  }

  async wake(run: string): Promise<void> {
    await this.call('wake', run);
  }

  cancel(run: string, by: string): Promise<boolean> {
    return this.call('cancel', { run, by });
  }

  get(run: string): ReturnType<DurableEngine['get']> {
    return this.call('get', run);
  }

  list(query: Parameters<DurableEngine['list']>[0]): ReturnType<DurableEngine['list']> {
    return this.call('list', query);
  }

  steps(run: string): ReturnType<DurableEngine['steps']> {
    return this.call('steps', run);
  }

  async putText(name: string, text: string): Promise<void> {
    await this.call('putText', { name, text });
  }

  getText(name: string): Promise<string | undefined> {
    return this.call('getText', name);
  }

  async dropTexts(except: readonly string[]): Promise<void> {
    await this.call('dropTexts', except);
  }

  async told(run: string, input?: string): Promise<void> {
    await this.call('told', { run, input });
  }

  prune(time: number): Promise<string[]> {
    return this.call('prune', time);
  }

  forget(runs: readonly string[]): ReturnType<DurableEngine['forget']> {
    return this.call('forget', runs);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    const ending = this.worker && this.call('close', null).catch(() => {});
    this.closed = true;
    await ending;
    await this.worker?.terminate();
  }

  /** Stops the thread where it is, as a crash does. */
  async kill(): Promise<void> {
    this.closed = true;
    await this.worker?.terminate();
  }

  // --------------------------------------------------------------------------------------------------------- the thread

  private call<Op extends EngineOp>(op: Op, input: EngineCalls[Op]['in']): Promise<EngineCalls[Op]['out']> {
    if (this.closed) return Promise.reject(failure('it is closed'));
    const worker = this.running();
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      worker.postMessage({ id, op, input } satisfies ToEngine);
    });
  }

  private running(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: this.setup });
    worker.on('message', (message: FromEngine) => this.take(worker, message));
    worker.on('error', (error) => this.lose(worker, error.message));
    worker.on('exit', () => this.lose(worker, 'its thread ended'));
    this.worker = worker;
    return worker;
  }

  private take(worker: Worker, message: FromEngine): void {
    if (worker !== this.worker) return;
    if ('id' in message) settle(this.waiting, message.id, message);
    else if ('recorded' in message) settle(this.recording, nameOf(message.pass, message.recorded), message);
    else if ('pass' in message) void this.carryOn(worker, message);
    else if ('parked' in message) this.host?.parked(message.parked);
    else this.host?.ended(message.ended);
  }

  private async carryOn(
    worker: Worker,
    { pass, run, steps }: Extract<FromEngine, { steps: unknown }>,
  ): Promise<void> {
    const told = (message: ToEngine): void => {
      if (worker === this.worker) worker.postMessage(message);
    };
    const step: Pass['step'] = async (key, fn) => {
      const result = await fn();
      await new Promise((resolve, reject) => {
        if (worker !== this.worker) reject(failure('its thread ended'));
        else this.recording.set(nameOf(pass, key), { resolve, reject });
        told({ pass, key, result });
      });
      return result;
    };
    const end = await this.endOf({ run, steps, step });
    told('failed' in end ? { pass, failed: end.failed } : { pass, end });
  }

  private async endOf(pass: Pass): Promise<PassEnd | { failed: string }> {
    try {
      return (await this.host?.carryOn(pass)) ?? { kind: 'suspended' };
    } catch (error) {
      return { failed: (error as Error).message };
    }
  }

  private lose(which: Worker, reason: string): void {
    if (this.worker !== which) return;
    this.worker = undefined;
    for (const calls of [this.waiting, this.recording]) {
      for (const call of calls.values()) call.reject(failure(reason));
      calls.clear();
    }
    this.beginLater();
  }
}

function settle<K>(
  calls: Map<K, Waiting>,
  key: K,
  answer: { readonly error?: string; readonly value?: unknown },
): void {
  const call = calls.get(key);
  calls.delete(key);
  if (answer.error !== undefined) call?.reject(failure(answer.error));
  else call?.resolve(answer.value);
}

function nameOf(pass: number, key: string): string {
  return `${pass} ${key}`;
}

function failure(reason: string): WeftError {
  return new WeftError(
    'storage_failed',
    `Durable runs could not be stored (${reason}); free space or repair permissions of the data folder.`,
  );
}
