import { Worker } from 'node:worker_threads';
import { WeftError } from '#engine';
import type { DurableEngine, EngineHost, NewRun, Pass, PassEnd } from '../port.ts';
import { AskedThread, type LiveThread } from '../../../base/adapters/asked-thread.ts';
import type { EngineCalls, EngineSetup, FromEngine } from './protocol.ts';

/** Delay before a thread that died or could not start is started again, in milliseconds. */
const AGAIN_MS = 1000;

/** The port over OpenWorkflow on SQLite, in a separate thread that starts with this call. */
export function createOpenWorkflowEngine(setup: EngineSetup): DurableEngine & { kill(): Promise<void> } {
  return new OpenWorkflowEngine(setup);
}

/**
 * The server's end of the engine's thread.
 * OE1. When the thread dies, its passes are lost, and another thread starts without being asked.
 */
class OpenWorkflowEngine implements DurableEngine {
  private readonly thread: AskedThread<EngineCalls, FromEngine>;
  private host: EngineHost | undefined = undefined;
  private closed = false;
  private beginning: NodeJS.Timeout | undefined = undefined;

  constructor(setup: EngineSetup) {
    this.thread = new AskedThread<EngineCalls, FromEngine>({
      start: () => new Worker(new URL('./thread.js', import.meta.url), { workerData: setup }),
      failure: ({ message }) => failure(message),
      onMessage: (message, from) => this.take(message, from),
      ended: () => this.beginLater(),
    });
    this.thread.start();
  }

  begin(host: EngineHost): void {
    this.host = host;
    this.thread.ask('begin').catch(() => this.beginLater());
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
    return this.thread.ask('start', run);
  }

  async wake(run: string): Promise<void> {
    await this.thread.ask('wake', run);
  }

  cancel(run: string, by: string): Promise<boolean> {
    return this.thread.ask('cancel', run, by);
  }

  get(run: string): ReturnType<DurableEngine['get']> {
    return this.thread.ask('get', run);
  }

  list(query: Parameters<DurableEngine['list']>[0]): ReturnType<DurableEngine['list']> {
    return this.thread.ask('list', query);
  }

  steps(run: string): ReturnType<DurableEngine['steps']> {
    return this.thread.ask('steps', run);
  }

  async putText(name: string, text: string): Promise<void> {
    await this.thread.ask('putText', name, text);
  }

  getText(name: string): Promise<string | undefined> {
    return this.thread.ask('getText', name);
  }

  async dropTexts(except: readonly string[]): Promise<void> {
    await this.thread.ask('dropTexts', except);
  }

  async told(run: string, input?: string): Promise<void> {
    await this.thread.ask('told', run, input);
  }

  prune(time: number): Promise<string[]> {
    return this.thread.ask('prune', time);
  }

  forget(runs: readonly string[]): ReturnType<DurableEngine['forget']> {
    return this.thread.ask('forget', runs);
  }

  close(): Promise<void> {
    this.closed = true;
    return this.thread.close();
  }

  /** Stops the thread where it is, as a crash does. */
  kill(): Promise<void> {
    this.closed = true;
    return this.thread.kill();
  }

  // ------------------------------------------------------------------------------------------------------------- passes

  private take(message: FromEngine, from: LiveThread<EngineCalls>): void {
    if ('pass' in message) void this.carryOn(from, message);
    else if ('parked' in message) this.host?.parked(message.parked);
    else this.host?.ended(message.ended);
  }

  private async carryOn(
    thread: LiveThread<EngineCalls>,
    { pass, run, steps }: Extract<FromEngine, { steps: unknown }>,
  ): Promise<void> {
    const step: Pass['step'] = async (key, fn, replaces = []) => {
      const result = await fn();
      await thread.ask('record', pass, { key, result, replaces });
      return result;
    };
    const end = await this.endOf({ run, steps, step });
    const told = 'failed' in end ? thread.ask('giveUp', pass, end.failed) : thread.ask('end', pass, end);
    // The passes of a thread that has ended are lost.
    await told.catch(() => {});
  }

  private async endOf(pass: Pass): Promise<PassEnd | { failed: string }> {
    try {
      return (await this.host?.carryOn(pass)) ?? { kind: 'suspended' };
    } catch (error) {
      return { failed: (error as Error).message };
    }
  }
}

function failure(reason: string): WeftError {
  return new WeftError(
    'storage_failed',
    `Durable runs could not be stored (${reason}); free space or repair permissions of the data folder.`,
  );
}
