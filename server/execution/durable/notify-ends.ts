import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { DurableEnd, WaitStore } from './durable-runs.ts';
import type { DurableEngine, StoredRun } from './port.ts';
import { inputAfterEnd } from './run-input.ts';
import type { Values } from './values.ts';

interface Deps {
  readonly host: Pick<Host, 'timer'>;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  readonly waits: Pick<WaitStore, 'close'>;
  readonly view: (stored: StoredRun) => DurableEnd;
  readonly values: (run: string) => Values;
}

type Engine = Pick<DurableEngine, 'told' | 'get'>;

/** The first and the longest delay after a listener failed, in milliseconds; it doubles each time. */
const AGAIN_MS = 5000;
const MAX_AGAIN_MS = 3600 * 1000;

/** Reports the ends of runs to all listeners, until all have accepted an end or its run is deleted. */
export class EndReports {
  private readonly deps: Deps;
  private readonly listeners: ((end: DurableEnd) => void | Promise<void>)[] = [];
  private closed = false;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  onEnd(fn: (end: DurableEnd) => void | Promise<void>): void {
    this.listeners.push(fn);
  }

  async report(stored: StoredRun, engine: Engine): Promise<void> {
    const { run } = stored;
    try {
      await this.reportOnce(stored, engine);
    } catch (error) {
      if (this.closed) return;
      this.deps.log.error(
        { err: error, run },
        'the end of a durable run could not be reported; it will be retried',
      );
      this.later(stored, engine, AGAIN_MS);
    }
  }

  close(): void {
    this.closed = true;
  }

  private async reportOnce(stored: StoredRun, engine: Engine): Promise<void> {
    const { run } = stored;
    const end = this.deps.view(stored);
    await this.deps.waits.close(run);
    for (const fn of this.listeners) await fn(end);
    const values = this.deps.values(run);
    const left = inputAfterEnd(stored, values);
    await engine.told(run, left);
    if (left !== undefined) values.drop(stored.input);
  }

  private later(stored: StoredRun, engine: Engine, ms: number): void {
    this.deps.host.timer(ms, () => void this.again(stored, engine, Math.min(2 * ms, MAX_AGAIN_MS)));
  }

  private async again(stored: StoredRun, engine: Engine, next: number): Promise<void> {
    try {
      if (!this.closed && (await engine.get(stored.run)) !== undefined) await this.reportOnce(stored, engine);
    } catch {
      // Logged once, at the first failure.
      if (!this.closed) this.later(stored, engine, next);
    }
  }
}
