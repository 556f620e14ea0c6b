import type { FastifyBaseLogger } from 'fastify';
import type { Host, Outcome, Run } from '#engine';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunRequest } from '../context.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { EventLog, writeEvent } from './event-log.ts';
import { Feed } from './feed.ts';
import { HistoryWriter } from './history-writer.ts';
import type { RunHistory } from './history.ts';
import { type LiveRun, lineOf } from './live-run.ts';
import type { RecordedEvent } from './recorded-event.ts';
import { createSampler, type RecordMode } from './sampling.ts';

export interface RecorderDeps {
  readonly host: Host;
  readonly history: RunHistory;
  readonly log: FastifyBaseLogger;
  /** Masks secrets in all that is recorded. */
  readonly redactor?: Redactor | undefined;
}

/** Whole records that are kept of one flow; how long their making may wait, in milliseconds. */
const MAX_RECORDS = 200;
const LATE_MS = 100;

interface Ended {
  readonly request: RunRequest;
  readonly run: Run;
  readonly outcome: Outcome;
}

/**
 * Writes what runs say: into the history, to the watchers of a run, and into the feed.
 * C1. Each run has at most one observer, ours; so all watchers see the same sequence, whenever they come.
 * C2. Events and ends are written in `settle`, soon after they happened and never inside the start of a run.
 * C3. A run that was observed leaves `live` when its end is written, so it is live or readable, with nothing between.
 */
export class RunRecorder {
  /** Runs that have not ended, or whose end is not written yet. */
  readonly live = new Map<string, LiveRun>();
  readonly feed: Feed;
  /** Runs that went well and have no line in the history, since there were so many. */
  unlisted = 0;
  private readonly deps: RecorderDeps;
  private readonly writer: HistoryWriter;
  private readonly sampler = createSampler();
  /** Live runs with events or an end to write. */
  private readonly unsettled = new Set<LiveRun>();
  /** Ended runs that nobody watched and whose events are still to be derived. */
  private sampled: Ended[] = [];
  /** The same for flows that record everything, by flow: at most as many as the history keeps. */
  private readonly whole = new Map<string, Ended[]>();
  private lateTimer: (() => void) | undefined = undefined;
  private settling = false;
  private scheduled = false;

  constructor(deps: RecorderDeps) {
    this.deps = deps;
    this.feed = new Feed(deps.host, () => this.schedule());
    this.writer = new HistoryWriter(deps);
  }

  /** Runs of which the history could not keep what it should have. */
  get dropped(): number {
    return this.writer.dropped;
  }

  /**
   * Whether a run belongs into the feed. Parts of other runs do not: one loop starts thousands, which would push out what
   * people look at; who wants one of them watches it by its id.
   */
  feeds(request: RunRequest): boolean {
    return request.part === undefined && this.feed.wants(request.flow.id);
  }

  /** The log of a live run; from now on it is observed. */
  observe(live: LiveRun): EventLog {
    if (live.log === undefined) {
      live.log = new EventLog(() => this.touch(live), this.deps.redactor);
      live.run?.observe(live.log.observe);
    }
    return live.log;
  }

  /** Takes the end of a run that was tracked as live. */
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
    if (mode === 'full') this.keepForLater({ request, run, outcome });
    else if (mode === 'default') this.sample({ request, run, outcome });
    else this.writeLine(this.lineOf({ request, run, outcome }, false));
  }

  private sample(ended: Ended): void {
    const { run, outcome } = ended;
    const endedAt = run.startedAt + outcome.ms;
    if (this.sampler.keeps(run.flow, outcome.status, endedAt)) {
      this.sampled.push(ended);
      this.schedule();
    } else if (this.sampler.lists(outcome.status, endedAt)) this.writeLine(this.lineOf(ended, false));
    else this.unlisted++;
  }

  /**
   * The events of a run that nobody watched are made when someone reads, or a moment later; under load most runs are pushed out
   * by newer ones before that, and cost nothing. The history would push them out just the same.
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

  /** Writes all that happened since the last time, and tells it to the watchers. */
  settle(): void {
    // A watcher may read from within; what it would settle is being settled.
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

  /** Afterwards the history holds every run that has ended, or counts it as dropped. */
  flush(): Promise<void> {
    this.settle();
    return this.writer.flush();
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
    if (outcome === undefined) return;
    this.live.delete(live.id);
    log.close();
    if (mode === 'off') return;
    const recorded = mode !== 'summary' && this.keep(run, log.kept);
    this.writeLine(this.lineOf({ request: live.request, run, outcome }, recorded));
  }

  private settleSampled(): void {
    const sampled = [...this.sampled, ...[...this.whole.values()].flat()];
    this.sampled = [];
    this.whole.clear();
    this.lateTimer?.();
    this.lateTimer = undefined;
    for (const { request, run, outcome } of sampled) {
      const events = this.derive(run);
      this.writeLine(this.lineOf({ request, run, outcome }, events !== undefined && this.keep(run, events)));
    }
  }

  private derive(run: Run): RecordedEvent[] | undefined {
    try {
      return run
        .events()
        .map((event) => ({ seq: event.seq, json: writeEvent(event, this.deps.redactor).json }));
    } catch (error) {
      this.deps.log.error({ err: error, run: run.id }, 'the events of a run could not be derived');
      return undefined;
    }
  }

  private keep(run: Run, events: readonly RecordedEvent[]): boolean {
    return this.writer.events({ run: run.id, flow: run.flow, startedAt: run.startedAt, events });
  }

  /** The line of a run in progress as it is now; undefined before it has started. */
  liveLine({ request, run, outcome, log }: LiveRun): RunSummary | undefined {
    return run && this.lineOf({ request, run, outcome }, log !== undefined);
  }

  private lineOf(of: Parameters<typeof lineOf>[0], recorded: boolean): RunSummary {
    return lineOf(of, recorded, this.deps.redactor);
  }

  private writeLine(summary: RunSummary): void {
    this.writer.line(summary);
    if (summary.parent !== undefined || !this.feed.wants(summary.flow)) return;
    const event = { kind: 'run-summary' as const, summary };
    this.feed.add(summary.flow, event, JSON.stringify(event));
  }
}
