import type { FastifyBaseLogger } from 'fastify';
import type { Host, Outcome, Run } from '#engine';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { RunValues } from '../history/blobs/run-values.ts';
import { EventLog, writeEvent } from '../history/event-log.ts';
import { Feed } from '../watching/feed.ts';
import type { RunHistory } from '../history/history.ts';
import { type LiveRun, lineOf } from './live-run.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { RunKeeper } from './run-keeper.ts';
import { createSampler, type RecordMode } from '../history/sampling.ts';

export interface RecorderDeps {
  readonly host: Host;
  readonly history: RunHistory;
  readonly log: FastifyBaseLogger;
  /** Masks secrets in everything that is recorded. */
  readonly redactor?: Redactor | undefined;
}

/** The most complete records of one flow that wait, and how long their creation may wait, in milliseconds. */
const MAX_RECORDS = 200;
const LATE_MS = 100;

interface Ended {
  readonly request: RunRequest;
  readonly run: Run;
  readonly outcome: Outcome;
}

/**
 * Records runs: in the history, for the watchers of a run, and in the feed.
 * RR1. Each run has at most one observer, ours; so all watchers see the same sequence, whenever they join.
 * RR2. Events and ends are written in `settle`, soon after they happened and never inside the start of a run.
 * RR3. An observed run leaves `live` when its end is written, so it is always either live or readable.
 */
export class RunRecorder {
  /** Runs that have not ended, or whose end is not written yet. */
  readonly live = new Map<string, LiveRun>();
  readonly feed: Feed;
  private readonly deps: RecorderDeps;
  private readonly keeper: RunKeeper;
  private readonly sampler = createSampler();
  /** Live runs with events or an end to write. */
  private readonly unsettled = new Set<LiveRun>();
  /** Ended, unwatched runs whose events are still to be derived. */
  private sampled: Ended[] = [];
  /** The same for flows that record everything, by flow: at most as many as the history stores. */
  private readonly whole = new Map<string, Ended[]>();
  private lateTimer: (() => void) | undefined = undefined;
  /** The logs of waiting runs that are followed. */
  private readonly waiting = new Map<string, EventLog>();
  private settling = false;
  private scheduled = false;

  constructor(deps: RecorderDeps) {
    this.deps = deps;
    this.feed = new Feed(deps.host, () => this.schedule());
    this.keeper = new RunKeeper(deps);
  }

  /** Runs that the history could not store completely. */
  get dropped(): number {
    return this.keeper.dropped;
  }

  /** Large values of which only the beginning could be stored, and recordings that could not be stored. */
  get lostValues(): number {
    return this.keeper.lost;
  }

  /**
   * Whether a run belongs in the feed. Parts of other runs do not: one loop starts thousands, which would push out the
   * runs that people look at. To watch a part, use its id.
   */
  feeds(request: RunRequest): boolean {
    return request.part === undefined && this.feed.wants(request.flow.id);
  }

  /** The log of a live run, which is observed from now on. */
  observe(live: LiveRun): EventLog {
    if (live.log === undefined) {
      const redactor = this.masksOf(live.request);
      const values = isKept(live.mode) ? this.keeper.valuesOf(live.request) : undefined;
      live.log = new EventLog(() => this.touch(live), { redactor, values });
      live.run?.observe(live.log.observe);
    }
    return live.log;
  }

  /** The log of a waiting run, for its followers; the run takes it over when it continues. */
  waitingLog(id: string, past: readonly RecordedEvent[]): EventLog {
    const known = this.waiting.get(id);
    if (known !== undefined) return known;
    const onEvent = (): void => {
      const live = this.live.get(id);
      if (live !== undefined) this.touch(live);
    };
    const log = new EventLog(onEvent, {
      redactor: this.deps.redactor,
      values: this.keeper.valuesOf({}),
      past,
    });
    this.waiting.set(id, log);
    return log;
  }

  /** Gives a run that continues its earlier log. */
  takeWaitingLog(live: LiveRun, past: readonly RecordedEvent[]): EventLog {
    this.live.set(live.id, live);
    live.log = this.waitingLog(live.id, past);
    live.log.redactor = this.masksOf(live.request);
    this.waiting.delete(live.id);
    return live.log;
  }

  forgetUnfollowed(id: string): void {
    if (this.waiting.get(id)?.isFollowed === false) this.waiting.delete(id);
  }

  /** The run continues at another time, and its followers are notified then. Another server records a lost run. */
  left(live: LiveRun, isLost: boolean): void {
    if (!isLost) this.settleLive(live);
    this.unsettled.delete(live);
    this.live.delete(live.id);
    const { log, run, request, mode } = live;
    if (log?.isFollowed === true) this.waiting.set(live.id, log);
    if (run !== undefined && mode !== 'off' && !isLost)
      this.writeLine({
        ...this.lineOf({ request, run, outcome: undefined }, isKept(mode)),
        status: 'waiting',
      });
  }

  /** Nothing of the run is recorded. */
  forget(live: LiveRun): void {
    this.unsettled.delete(live);
    this.live.delete(live.id);
    live.log?.close();
  }

  /** Handles the end of a run that was tracked as live. */
  ended(live: LiveRun, run: Run, outcome: Outcome): void {
    live.outcome = outcome;
    if (live.log !== undefined) {
      this.touch(live);
      return;
    }
    this.live.delete(live.id);
    this.endedUnobserved(live.request, live.mode, run, outcome);
  }

  endedUnobserved(request: RunRequest, mode: RecordMode, run: Run, outcome: Outcome): void {
    if (mode === 'off') return;
    if (mode === 'full' || (mode === 'default' && request.isLookedAt === true))
      this.keepForLater({ request, run, outcome });
    else if (mode === 'default') this.sample({ request, run, outcome });
    else this.writeLine(this.lineOf({ request, run, outcome }, false));
  }

  private sample(ended: Ended): void {
    const { run, outcome } = ended;
    const endedAt = run.startedAt + outcome.ms;
    if (this.sampler.keeps(run.flow, outcome.status, endedAt)) {
      this.sampled.push(ended);
      this.schedule();
    } else this.writeLine(this.lineOf(ended, false));
  }

  /**
   * The events of an unwatched run are derived when they are read, or a moment later. Under load most runs are pushed
   * out by newer ones before that, and cost nothing; the history would push them out just the same.
   */
  private keepForLater(ended: Ended): void {
    const { flow } = ended.run;
    const queue = this.whole.get(flow) ?? [];
    this.whole.set(flow, queue);
    queue.push(ended);
    const old = queue.length > MAX_RECORDS ? queue.shift() : undefined;
    if (old) this.writeLine(this.lineOf(old, false));
    this.lateTimer ??= this.deps.host.timer(LATE_MS, () => this.settle());
  }

  /** Writes all events since the last call, and reports them to the watchers. */
  settle(): void {
    // A watcher may read from within; what it would settle is already being settled.
    if (this.settling) return;
    this.settling = true;
    try {
      for (const live of this.unsettled) {
        this.unsettled.delete(live);
        this.settleLive(live);
      }
      this.settleSampled();
      this.feed.deliver();
    } finally {
      this.settling = false;
    }
  }

  /** Once it resolves, the history has every ended run, or counts it as dropped. */
  flush(): Promise<void> {
    this.settle();
    return this.keeper.flush();
  }

  private touch(live: LiveRun): void {
    this.unsettled.add(live);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.deps.host.defer(() => {
      this.scheduled = false;
      this.settle();
    });
  }

  private settleLive(live: LiveRun): void {
    const { log, run, outcome, mode } = live;
    if (log === undefined || run === undefined) return;
    const fed = mode !== 'off' && this.feeds(live.request);
    for (const { event, json } of log.settle()) if (fed) this.feed.add(run.flow, event, json);
    if (outcome === undefined) {
      // The events of a run that outlives the process must be stored before it does.
      if (live.request.pass !== undefined && isKept(mode)) this.keepNew(live as Ended, log);
      return;
    }
    this.live.delete(live.id);
    log.close();
    if (mode === 'off') return;
    const { request } = live;
    const recorded = isKept(mode) && this.keeper.keep({ run, request }, log.takeUnwritten(), log.values);
    this.writeLine(this.lineOf({ request: live.request, run, outcome }, recorded));
  }

  private settleSampled(): void {
    const sampled = [...this.sampled, ...[...this.whole.values()].flat()];
    this.sampled = [];
    this.whole.clear();
    this.lateTimer?.();
    this.lateTimer = undefined;
    for (const { request, run, outcome } of sampled) {
      const values = this.keeper.valuesOf(request);
      const events = this.derive(run, request, values);
      const recorded = events !== undefined && this.keeper.keep({ run, request }, events, values);
      this.writeLine(this.lineOf({ request, run, outcome }, recorded));
    }
  }

  private derive(run: Run, request: RunRequest, values: RunValues): RecordedEvent[] | undefined {
    const masks = this.masksOf(request);
    try {
      return run.events().map((event) => ({ seq: event.seq, json: writeEvent(event, masks, values).json }));
    } catch (error) {
      this.deps.log.error({ err: error, run: run.id }, 'the events of a run could not be derived');
      return undefined;
    }
  }

  private keepNew(of: Pick<Ended, 'run' | 'request'>, log: EventLog): void {
    const events = log.takeUnwritten();
    if (events.length > 0) this.keeper.keep(of, events, log.values);
  }

  /** The line of a run in progress as it is now; undefined before it has started. */
  liveLine({ request, run, outcome, log }: LiveRun): RunSummary | undefined {
    return run && this.lineOf({ request, run, outcome }, log !== undefined);
  }

  private lineOf(of: Parameters<typeof lineOf>[0], recorded: boolean): RunSummary {
    return lineOf(of, recorded, this.masksOf(of.request));
  }

  private masksOf({ masks }: RunRequest): Redactor | undefined {
    return masks ?? this.deps.redactor;
  }

  private writeLine(summary: RunSummary): void {
    this.keeper.line(summary);
    if (summary.parent !== undefined || !this.feed.wants(summary.flow)) return;
    const event = { kind: 'run-summary' as const, summary };
    this.feed.add(summary.flow, event, JSON.stringify(event));
  }
}

function isKept(mode: RecordMode): boolean {
  return mode === 'full' || mode === 'default';
}
