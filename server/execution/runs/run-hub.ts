import type { FastifyBaseLogger } from 'fastify';
import {
  type CancelReason,
  type Host,
  type Outcome,
  type Plan,
  type Run,
  type StartOptions,
  start as startRun,
  startRecorded,
} from '#engine';
import type { RunHub, RunStats } from './run-types.ts';
import type { Leave, RunRequest } from '../../flows/service/run-request.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { skipReportedEvents } from '../watching/skip-reported-events.ts';
import { FlowShares } from './flow-shares.ts';
import type { RunHistory } from '../history/history.ts';
import type { LiveRun } from './live-run.ts';
import { type LoopLoad, watchLoop } from './loop-load.ts';
import { makeRunIds } from './run-ids.ts';
import { RunCounts } from './run-counts.ts';
import { isLimited, RunLimits } from './run-limits.ts';
import { RunMarks } from './run-marks.ts';
import { RunReader } from './run-reader.ts';
import { RunRecorder } from './run-recorder.ts';
import { createBudget, passMode, type RecordMode, recordMode, tapeRoom } from '../history/sampling.ts';
import { planOf, startOptions, reportingPart } from './start-options.ts';

export interface RunHubDeps {
  readonly host: Host;
  readonly history: RunHistory;
  readonly log: FastifyBaseLogger;
  readonly redactor?: Redactor | undefined;
  /** The most runs at once; further ones are refused. */
  readonly maxRuns: number;
  /** The current variables; a run keeps the ones it started with. */
  readonly variables: () => Readonly<Record<string, unknown>>;
  /** The suffix of the ids of its runs; random by default. */
  readonly tag?: string | undefined;
  readonly start?: typeof startRun;
  /** The time limit of a run whose flow sets none, in milliseconds. */
  readonly timeouts?: { readonly runMs: number };
  readonly load?: LoopLoad;
  /** Places of flows that limit their runs. */
  readonly limits?: RunLimits;
  readonly marks?: RunMarks | undefined;
  /** Called for every run that has failed. */
  readonly onFailed?: (request: RunRequest, run: Run, outcome: Outcome) => void;
  readonly tracing?: Tracing | undefined;
  /** Called for every run that has ended and did not do so in the turn of its start. */
  readonly onEnded?: ((run: string) => void) | undefined;
}

/** The most parts of runs at once, as a multiple of `maxRuns`: a bound on memory, not a share of the server. */
const PARTS_PER_RUN = 10;
/** How long cancelled runs may take at shutdown beyond the time that operators have to stop, in milliseconds. */
const STOP_MS = 2000;
/** From this number of runs in progress on, a late event loop means overload. */
const CROWDED = 32;
/** The most watched runs that get an observer in one second; the others are sampled as if unwatched. */
const OBSERVED_PER_SECOND = 1000;

export const createRunHub = (deps: RunHubDeps): RunHub => new Hub(deps);

/**
 * RH1. An unwatched run costs one line: no observer, no event, no entry among the live runs unless it waits.
 * RH2. Each started run ends in exactly one of the counts; the runs in progress are the difference.
 */
class Hub extends RunReader implements RunHub {
  private readonly deps: RunHubDeps;
  private readonly start_: typeof startRun;
  private readonly nextId: () => string;
  private readonly load: LoopLoad;
  private readonly limits: RunLimits;
  private readonly shares: FlowShares;
  private readonly mayObserve: () => boolean;
  private readonly marks: RunMarks;
  private draining: Promise<void> | undefined;
  private onIdle: (() => void) | undefined;
  /** Durable runs that started here and wait, minus those of an earlier process that were continued here. */
  private waiting = 0;
  /** Runs in progress that are parts of others. */
  private parts = 0;
  private readonly measured = new RunCounts();
  private readonly counts = { started: 0, ok: 0, failed: 0, cancelled: 0, refused: 0 };

  constructor(deps: RunHubDeps) {
    const { host } = deps;
    super(deps, new RunRecorder(deps));
    this.deps = deps;
    this.start_ = deps.start ?? startRun;
    this.nextId = makeRunIds(() => host.now(), deps.tag);
    this.load = deps.load ?? watchLoop();
    this.limits = deps.limits ?? new RunLimits();
    this.shares = new FlowShares(deps.maxRuns, () => host.now());
    this.marks = deps.marks ?? new RunMarks();
    this.mayObserve = createBudget(OBSERVED_PER_SECOND, () => host.now());
  }

  get inFlight(): number {
    const { started, ok, failed, cancelled } = this.counts;
    return started - ok - failed - cancelled - this.waiting;
  }

  stats(): RunStats {
    return {
      inFlight: this.inFlight,
      ...this.counts,
      dropped: this.recorder.dropped,
      lostValues: this.recorder.lostValues,
      flows: this.measured.flows,
      failures: this.measured.failures,
      untraced: this.deps.tracing?.dropped ?? 0,
    };
  }

  // ------------------------------------------------------------------------------------------------- starting, ending

  start(request: RunRequest): Run {
    return isLimited(request) ? this.startLimited(request) : this.startNow(request);
  }

  placeFor(request: RunRequest): Promise<Leave> | undefined {
    const needsOne = this.limits.isShared && request.place === undefined && isLimited(request);
    return needsOne ? this.limits.place(request) : undefined;
  }

  private startLimited(request: RunRequest): Run {
    const leave = request.place ?? this.limits.enter(request);
    try {
      const run = this.startNow(request);
      run.onEnd(leave);
      this.limits.whenLost(leave, () => run.cancel('stop'));
      return run;
    } catch (error) {
      leave();
      throw error;
    }
  }

  private startNow(asked: RunRequest): Run {
    if (asked.part === undefined) this.admit(asked.flow.id);
    else this.admitPart();
    const plan = planOf(asked);
    const request = this.marks.masked(plan, asked, this.deps.redactor);
    const mode = recordMode(request.flow.flow, request.record);
    if (this.isObserved(plan, request, mode)) return this.startObserved(plan, request, mode);
    const room = mode === 'full' ? tapeRoom(request, mode) : 0;
    const run = this.launch(plan, this.options(plan, request, mode === 'full'), room);
    this.counts.started++;
    if (run.outcome !== undefined) {
      this.recorder.endedUnobserved(request, mode, run, run.outcome);
      this.count(request, run, run.outcome);
    } else this.track({ id: run.id, request, mode, run, log: undefined, outcome: undefined }, run);
    return run;
  }

  async carryOn(asked: Parameters<RunHub['carryOn']>[0]): Promise<Run> {
    const plan = planOf(asked);
    const request = this.marks.masked(plan, asked, this.deps.redactor);
    const { id, again } = request.pass;
    const past = again ? await this.past(id) : [];
    const live = this.newLive(id, request, passMode(request.flow.flow));
    const log = this.recorder.takeWaitingLog(live, past);
    const options = { ...this.options(plan, request), ...request.pass, timeoutMs: 0 };
    const observer = past.length === 0 ? log.observe : skipReportedEvents(log.kept, log.observe);
    const run = this.launch(plan, { ...options, observer }, tapeRoom(request, live.mode));
    if (again) this.waiting--;
    else this.counts.started++;
    this.track(live, run);
    return run;
  }

  leave(id: string, isLost = false): void {
    const live = this.recorder.live.get(id);
    if (live?.run === undefined || live.outcome !== undefined) return;
    live.run.leave();
    this.marks.drop(id, live.request);
    this.shares.ended(live.request.flow.id);
    this.waiting++;
    this.recorder.left(live, isLost);
    if (this.inFlight === 0) this.onIdle?.();
  }

  leavePart(id: string): void {
    const live = this.recorder.live.get(id);
    if (live?.run === undefined || live.outcome !== undefined) return;
    live.run.leave();
    this.marks.drop(id, live.request);
    this.parts--;
    this.counts.started--;
    this.recorder.forget(live);
    if (this.inFlight === 0) this.onIdle?.();
  }

  stored(): Promise<void> {
    return this.recorder.flush();
  }

  accepts(flow: string): boolean {
    this.shares.asks(flow);
    const inFlight = this.inFlight - this.parts;
    // If the loop is late with few runs, it is busy with something else, such as saving a huge flow.
    const swamped = this.load.late && inFlight >= CROWDED;
    const isFull =
      inFlight >= this.deps.maxRuns || (inFlight >= this.shares.share && this.shares.isFull(flow));
    return this.draining === undefined && !isFull && !swamped;
  }

  admit(flow: string): void {
    if (!this.accepts(flow)) throw this.refused(this.draining === undefined ? 'overloaded' : 'draining');
  }

  /** Its caller has been admitted and waits for it: waiting for a place could block both for ever. */
  private admitPart(): void {
    if (this.parts >= this.deps.maxRuns * PARTS_PER_RUN) throw this.refused('overloaded');
  }

  private refused(code: 'overloaded' | 'draining'): ServiceError {
    this.counts.refused++;
    return new ServiceError(code, undefined, { headers: { 'retry-after': '1' } });
  }

  private options(plan: Plan, request: RunRequest, timed = false): StartOptions {
    const { tracing, timeouts, variables } = this.deps;
    const id = request.pass?.id ?? this.nextId();
    const traced = tracing !== undefined && tracing.begin(id, request);
    this.marks.hold(id, request);
    return startOptions(plan, request, { id, vars: variables(), timed, traced, runMs: timeouts?.runMs });
  }

  /**
   * Whether the run is observed from the start. A full record that can be derived from the run afterwards needs no
   * observer.
   */
  private isObserved(plan: Plan, request: RunRequest, mode: RecordMode): boolean {
    if (mode === 'off') return false;
    if (mode === 'full' && (request.record === 'full' || !plan.derivable)) return true;
    return this.recorder.feeds(request) && this.mayObserve();
  }

  private startObserved(plan: Plan, request: RunRequest, mode: RecordMode): Run {
    const options = this.options(plan, request);
    const live = this.newLive(options.id, request, mode);
    const observer = reportingPart(request.inPart, this.recorder.observe(live).observe);
    const run = this.launch(plan, { ...options, observer }, tapeRoom(request, mode));
    this.counts.started++;
    this.track(live, run);
    return run;
  }

  private newLive(id: string, request: RunRequest, mode: RecordMode): LiveRun {
    return { id, request, mode, run: undefined, log: undefined, outcome: undefined };
  }

  /** `room` is the most recorded characters of input from outside. */
  private launch(plan: Plan, options: StartOptions, room: number): Run {
    const { host, start } = this.deps;
    // If a test starts runs of its own, nothing comes from outside.
    return room > 0 && start === undefined
      ? startRecorded(plan, options, host, room)
      : this.start_(plan, options, host);
  }

  private track(live: LiveRun, run: Run): void {
    live.run = run;
    this.recorder.live.set(live.id, live);
    if (live.request.part === undefined) this.shares.began(live.request.flow.id);
    else this.parts++;
    run.onEnd((outcome) => this.ended(live, run, outcome));
  }

  private ended(live: LiveRun, run: Run, outcome: Outcome): void {
    if (live.request.part === undefined) this.shares.ended(live.request.flow.id);
    else this.parts--;
    this.recorder.ended(live, run, outcome);
    this.deps.onEnded?.(run.id);
    this.count(live.request, run, outcome);
    if (this.inFlight === 0) this.onIdle?.();
  }

  private count(request: RunRequest, run: Run, outcome: Outcome): void {
    this.counts[outcome.status]++;
    this.measured.took(run, outcome);
    const { tracing, onFailed } = this.deps;
    this.marks.drop(run.id, request);
    if (tracing !== undefined) tracing.ended(request, run, outcome);
    if (outcome.status === 'failed') onFailed?.(request, run, outcome);
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
      for (const { id, request } of [...this.recorder.live.values()])
        if (request.pass === undefined) this.cancel(id, 'shutdown');
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
