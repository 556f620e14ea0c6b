import type { FastifyBaseLogger } from 'fastify';
import { type Plan, type SourceCall, WeftError } from '#engine';
import type { Source } from '#shared/package-api.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { type SourceCallDeps, sourceCall } from './source-call.ts';
import type { SourceId } from './source-store.ts';

export interface RunnerDeps extends SourceCallDeps {
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly redactor: Pick<Redactor, 'text'>;
}

/** The first pause after a failure, in milliseconds; each further pause is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
/** How long the end of a source is awaited, in milliseconds. */
const END_MS = 5000;

/**
 * One source of a live flow: calls `listen`, and again when it ends.
 * SS1. At most one call of a source is in progress, unless an earlier one ignores its signal for five seconds; items of
 *      such a call are refused.
 * SS2. A failure is followed by a pause that grows until the source works again.
 */
export class SourceRunner {
  readonly version: string;
  private readonly id: SourceId;
  private readonly plan: Plan;
  private readonly deps: RunnerDeps;
  private readonly stopping = new AbortController();
  private readonly counts = { started: 0, failures: 0 };
  private since: number | undefined;
  private lastLookAt: number | undefined;
  private lastItemAt: number | undefined;
  private nextTryAt: number | undefined;
  private problem: Source['problem'];
  private endPause: (() => void) | undefined;
  private ended: Promise<void> = Promise.resolve();

  constructor(id: SourceId, plan: Plan, deps: RunnerDeps) {
    this.id = id;
    this.plan = plan;
    this.deps = deps;
    this.version = plan.version;
  }

  get node(): string {
    return this.id.node;
  }

  /** Ends the pause after a failure. */
  again(): void {
    this.endPause?.();
  }

  /** Starts once `after` has resolved. */
  begin(after: Promise<void>): void {
    this.ended = after.then(() => this.loop());
  }

  /** Resolves when the source has ended, or after five seconds. */
  async end(): Promise<void> {
    this.stopping.abort(new WeftError('source_ended', 'The source is to end.'));
    let cancel: (() => void) | undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.deps.host.timer(END_MS, resolve);
    });
    await Promise.race([this.ended, late]);
    cancel?.();
  }

  status(): Source {
    const { id, counts, since, lastLookAt, lastItemAt, nextTryAt, problem } = this;
    return {
      ...id,
      state: nextTryAt === undefined ? 'listening' : 'failed',
      ...counts,
      ...timesOf({ since, lastLookAt, lastItemAt, nextTryAt }),
      ...(problem && { problem }),
    };
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.listen(signal);
        if (!signal.aborted) throw new WeftError('source_ended', 'It ended although the flow is live.');
      } catch (error) {
        if (signal.aborted) return;
        this.failed(error);
        await this.pause(signal);
      }
    }
  }

  private async listen(signal: AbortSignal): Promise<void> {
    const { deps, id, plan } = this;
    this.since = deps.host.now();
    this.nextTryAt = undefined;
    const listen = plan.steps[plan.triggerStep]?.operator.listen as (call: SourceCall) => Promise<void>;
    const callbacks = {
      works: () => this.works(),
      started: () => {
        this.works();
        this.counts.started++;
        this.lastItemAt = deps.host.now();
      },
    };
    // A failed call is over: later items of it are refused.
    const call = new AbortController();
    const cursor = await deps.store.cursor(id);
    try {
      await listen(
        sourceCall({ id, plan, cursor, signal: AbortSignal.any([signal, call.signal]), ...callbacks }, deps),
      );
    } finally {
      call.abort(new WeftError('source_ended', 'This call of the source is over.'));
    }
  }

  private works(): void {
    this.counts.failures = 0;
    this.problem = undefined;
    this.lastLookAt = this.deps.host.now();
  }

  private failed(error: unknown): void {
    const { log, redactor } = this.deps;
    const { code = 'internal_error' } = error as { code?: string };
    const message = error instanceof Error ? error.message : String(error);
    this.counts.failures++;
    this.problem = { code: String(code), message: redactor.text(message) };
    const { flow, node } = this.id;
    log.warn({ flow, node, code, problem: this.problem.message }, 'a source failed and is started again');
  }

  private pause(signal: AbortSignal): Promise<void> {
    const { host } = this.deps;
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** (this.counts.failures - 1), LONGEST_PAUSE_MS);
    this.nextTryAt = host.now() + ms;
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.endPause = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.endPause = done;
      const cancel = host.timer(ms, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

function timesOf(times: Readonly<Record<string, number | undefined>>): Record<string, string> {
  const known = Object.entries(times).filter((one): one is [string, number] => one[1] !== undefined);
  return Object.fromEntries(known.map(([name, at]) => [name, new Date(at).toISOString()]));
}
