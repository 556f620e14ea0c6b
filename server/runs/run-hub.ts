import type { FastifyBaseLogger } from 'fastify';
import {
  type CancelReason,
  type Host,
  type Outcome,
  type Plan,
  type Run,
  type StartOptions,
  start as startRun,
} from '#engine';
import type { RunHub, RunRequest, RunStats } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { RunHistory } from './history.ts';
import type { LiveRun } from './live-run.ts';
import { type LoopLoad, watchLoop } from './loop-load.ts';
import { makeRunIds } from './run-ids.ts';
import { RunReader } from './run-reader.ts';
import { RunRecorder } from './run-recorder.ts';
import { createBudget, type RecordMode, recordMode } from './sampling.ts';

export interface RunHubDeps {
  readonly host: Host;
  readonly history: RunHistory;
  readonly log: FastifyBaseLogger;
  readonly redactor?: Redactor | undefined;
  /** Runs at once before new ones are refused. */
  readonly maxRuns: number;
  /** Current variables; a run keeps what it started with. */
  readonly variables: () => Readonly<Record<string, unknown>>;
  readonly start?: typeof startRun;
  /** Limit of a run whose flow sets none, in milliseconds. */
  readonly timeouts?: { readonly runMs: number };
  readonly load?: LoopLoad;
}

const RUN_TIMEOUT_MS = 30_000;
/** The same where a model or an agent takes part. */
const MODEL_RUN_TIMEOUT_MS = 300_000;
/** Runs within runs at once, as a multiple of `maxRuns`: a bound for memory, not for sharing the server. */
const PARTS_PER_RUN = 10;
/** Time that cancelled runs get at shutdown, beyond what operators may take to stop. */
const STOP_MS = 2000;
/** Runs in flight from which on a late event loop means overload. */
const CROWDED = 32;
/** Watched runs a second that get an observer; the others are sampled as if nobody watched. */
const OBSERVED_PER_SECOND = 1000;

export function createRunHub(deps: RunHubDeps): RunHub {
  return new Hub(deps);
}

/**
 * R1. A run that nobody watches costs one line: no observer, no event, no entry among the live runs unless it waits.
 * R2. Each run that was started ends in exactly one of the counts; those in flight are the difference.
 */
class Hub extends RunReader implements RunHub {
  private readonly deps: RunHubDeps;
  private readonly start_: typeof startRun;
  private readonly nextId: () => string;
  private readonly load: LoopLoad;
  private readonly mayObserve: () => boolean;
  private draining: Promise<void> | undefined;
  private onIdle: (() => void) | undefined;
  /** Runs in flight that are parts of others. */
  private parts = 0;
  private readonly counts = { started: 0, ok: 0, failed: 0, cancelled: 0, refused: 0 };

  constructor(deps: RunHubDeps) {
    const { host } = deps;
    super(deps, new RunRecorder(deps));
    this.deps = deps;
    this.start_ = deps.start ?? startRun;
    this.nextId = makeRunIds(() => host.now());
    this.load = deps.load ?? watchLoop();
    this.mayObserve = createBudget(OBSERVED_PER_SECOND, () => host.now());
  }

  get inFlight(): number {
    const { started, ok, failed, cancelled } = this.counts;
    return started - ok - failed - cancelled;
  }

  stats(): RunStats {
    return {
      inFlight: this.inFlight,
      ...this.counts,
      dropped: this.recorder.dropped,
      unlisted: this.recorder.unlisted,
    };
  }

  // ------------------------------------------------------------------------------------------------- starting, ending

  start(request: RunRequest): Run {
    if (request.part === undefined) this.admit();
    else this.admitPart();
    const plan = request.flow.compiled.plans.get(request.trigger);
    if (plan === undefined) {
      throw new ServiceError(
        'trigger_not_found',
        `The flow ${request.flow.id} has no trigger ${request.trigger}.`,
      );
    }
    const mode = recordMode(request.flow.flow, request.record);
    if (this.isObserved(plan, request, mode)) return this.startObserved(plan, request, mode);
    const run = this.start_(plan, this.options(plan, request, mode === 'full'), this.deps.host);
    this.counts.started++;
    if (run.outcome !== undefined) {
      this.counts[run.outcome.status]++;
      this.recorder.endedUnobserved(request, mode, run, run.outcome);
    } else this.track({ id: run.id, request, mode, run, log: undefined, outcome: undefined }, run);
    return run;
  }

  accepts(): boolean {
    const inFlight = this.inFlight - this.parts;
    // A loop that is late with nothing to run is busy with something else, like a huge flow being saved.
    const swamped = this.load.late && inFlight >= CROWDED;
    return this.draining === undefined && inFlight < this.deps.maxRuns && !swamped;
  }

  private admit(): void {
    if (!this.accepts()) throw this.refused(this.draining === undefined ? 'overloaded' : 'draining');
  }

  /** Its caller has been let in and waits for it: to make it wait for a place could stop both for good. */
  private admitPart(): void {
    if (this.parts >= this.deps.maxRuns * PARTS_PER_RUN) throw this.refused('overloaded');
  }

  private refused(code: 'overloaded' | 'draining'): ServiceError {
    this.counts.refused++;
    return new ServiceError(code, undefined, { headers: { 'retry-after': '1' } });
  }

  private options(plan: Plan, request: RunRequest, timed = false): StartOptions {
    const { part } = request;
    const options = {
      id: this.nextId(),
      request: request.request,
      output: request.output,
      vars: this.deps.variables(),
      timeoutMs: this.deps.timeouts?.runMs ?? (plan.asksModels ? MODEL_RUN_TIMEOUT_MS : RUN_TIMEOUT_MS),
      timed,
    };
    // The caller's own limit reaches it through the caller's signal.
    return part === undefined ? options : { ...options, ...part, timeoutMs: 0 };
  }

  /** Watched from the start. A full record that can be made from the run afterwards needs no observer. */
  private isObserved(plan: Plan, request: RunRequest, mode: RecordMode): boolean {
    if (mode === 'off') return false;
    if (mode === 'full' && (request.record === 'full' || !plan.derivable)) return true;
    return this.recorder.feeds(request) && this.mayObserve();
  }

  private startObserved(plan: Plan, request: RunRequest, mode: RecordMode): Run {
    const options = this.options(plan, request);
    const live: LiveRun = {
      id: options.id,
      request,
      mode,
      run: undefined,
      log: undefined,
      outcome: undefined,
    };
    const { observe } = this.recorder.observe(live);
    const run = this.start_(plan, { ...options, observer: observe }, this.deps.host);
    this.counts.started++;
    this.track(live, run);
    return run;
  }

  private track(live: LiveRun, run: Run): void {
    live.run = run;
    this.recorder.live.set(live.id, live);
    if (live.request.part !== undefined) this.parts++;
    run.onEnd((outcome) => this.ended(live, run, outcome));
  }

  private ended(live: LiveRun, run: Run, outcome: Outcome): void {
    this.counts[outcome.status]++;
    if (live.request.part !== undefined) this.parts--;
    this.recorder.ended(live, run, outcome);
    if (this.inFlight === 0) this.onIdle?.();
  }

  cancel(id: string, reason: CancelReason): boolean {
    const live = this.recorder.live.get(id);
    if (live?.run === undefined || live.outcome !== undefined) return false;
    live.run.cancel(reason);
    return true;
  }

  // ------------------------------------------------------------------------------------------------- shutting down

  drain(graceMs: number): Promise<void> {
    this.draining ??= this.shutDown(graceMs);
    return this.draining;
  }

  private async shutDown(graceMs: number): Promise<void> {
    if (!(await this.idle(graceMs))) {
      for (const live of [...this.recorder.live.values()]) this.cancel(live.id, 'shutdown');
      if (!(await this.idle(STOP_MS)))
        this.deps.log.warn({ runs: this.inFlight }, 'runs did not stop in time');
    }
    this.recorder.settle();
    await this.recorder.flush();
    this.load.close();
    this.recorder.feed.close();
  }

  private idle(ms: number): Promise<boolean> {
    if (this.inFlight === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const callOff = this.deps.host.timer(ms, () => resolve(false));
      this.onIdle = () => {
        callOff();
        resolve(true);
      };
    });
  }
}
