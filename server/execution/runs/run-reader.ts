import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { FeedItem } from '../watching/feed-ring.ts';
import type { Gap } from '../history/follower.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type EventFn, type Follower, givePast, giveGap, UNKNOWN_END } from '../history/follower.ts';
import { HeldRecords } from '../history/held-records.ts';
import type { RunHistory, RunQuery } from '../history/history.ts';
import type { RecordedEvent } from '../history/recorded-event.ts';
import { matches, newestFirst } from '../history/memory-history.ts';
import type { RunRecorder } from './run-recorder.ts';

/** Runs in progress that a new watcher of a flow joins. */
const JOINED_RUNS = 200;
/** Parts of a run that are looked up together when it is deleted. */
const PARTS_AT_ONCE = 200;

/**
 * Read access to runs, whether they are in progress or long over. A run is live or readable from the history, with
 * nothing between: each read settles and flushes first.
 */
export class RunReader {
  protected readonly recorder: RunRecorder;
  private readonly sources: { readonly history: RunHistory; readonly log: FastifyBaseLogger };
  private readonly records: HeldRecords;

  constructor(sources: RunReader['sources'] & { readonly host: Host }, recorder: RunRecorder) {
    this.sources = sources;
    this.records = new HeldRecords(sources);
    this.recorder = recorder;
  }

  async get(id: string): Promise<RunSummary | undefined> {
    this.recorder.settle();
    const live = this.recorder.live.get(id);
    const line = live && this.recorder.liveLine(live);
    if (line !== undefined) return line;
    await this.recorder.flush();
    return this.sources.history.get(id);
  }

  requestOf(id: string): RunRequest | undefined {
    return this.recorder.live.get(id)?.request;
  }

  async list(query: RunQuery): Promise<RunSummary[]> {
    this.recorder.settle();
    const running = [...this.recorder.live.values()].flatMap((live) => this.recorder.liveLine(live) ?? []);
    await this.recorder.flush();
    const found = await this.sources.history.list(query);
    // The line of a waiting run is outdated once the run continues.
    const ended = found.filter(({ run, status }) => status !== 'waiting' || !this.recorder.live.has(run));
    const known = new Set(ended.map((row) => row.run));
    const rows = running.filter((row) => matches(row, query) && !known.has(row.run));
    return [...rows, ...ended].sort(newestFirst).slice(0, query.limit);
  }

  async remove(id: string): Promise<void> {
    this.recorder.settle();
    if (this.recorder.live.has(id)) throw inProgress();
    await this.recorder.flush();
    const { history } = this.sources;
    if ((await history.get(id))?.status === 'waiting') throw inProgress();
    // First, so that an interrupted caller finds the run, and can delete the rest.
    await this.removeParts(id);
    if (!(await history.remove(id))) throw new ServiceError('run_not_found');
  }

  /** They contain data that the run has passed on, and only their parent lists them. */
  private async removeParts(id: string): Promise<void> {
    const { history } = this.sources;
    for (let before: string | undefined; ; ) {
      const parts = await history.list({ parent: id, limit: PARTS_AT_ONCE, ...(before && { before }) });
      for (const { run } of parts) {
        if (this.recorder.live.has(run)) continue;
        await this.removeParts(run);
        await history.remove(run);
      }
      before = parts.at(-1)?.run;
      if (parts.length < PARTS_AT_ONCE) return;
    }
  }

  async events(id: string, after: number): Promise<(RunEvent | Gap)[] | undefined> {
    const seen: (RunEvent | Gap)[] = [];
    const leave = await this.watch(id, after, (event) => seen.push(event));
    leave?.();
    return leave && seen;
  }

  async value(id: string, hash: string): Promise<string | undefined> {
    this.recorder.settle();
    const live = this.recorder.live.get(id)?.log?.values?.get(hash);
    if (live !== undefined) return live;
    await this.recorder.flush();
    return this.sources.history.value(id, hash);
  }

  async tape(id: string): Promise<string | undefined> {
    this.recorder.settle();
    await this.recorder.flush();
    return this.sources.history.tape(id);
  }

  async watch(id: string, after: number, fn: EventFn): Promise<(() => void) | undefined> {
    this.recorder.settle();
    const live = this.recorder.live.get(id);
    if (live !== undefined) {
      const log = this.recorder.observe(live);
      this.recorder.settle();
      return log.follow(after, this.guarded(fn));
    }
    const { history } = this.sources;
    await this.recorder.flush();
    const row = await history.get(id);
    if (row === undefined) return undefined;
    if (row.status === 'waiting') return this.watchWaiting(id, after, fn);
    const follower: Follower = { after, fn: this.guarded(fn) };
    if (row.recorded) givePast(follower, await this.records.read(id));
    else if (after < UNKNOWN_END)
      giveGap(follower, { kind: 'gap', from: after + 1, to: UNKNOWN_END, reason: 'not-recorded' });
    return () => {};
  }

  /** The run may have continued meanwhile; then it is live, or has ended. */
  private async watchWaiting(id: string, after: number, fn: EventFn): Promise<(() => void) | undefined> {
    const past = await this.past(id);
    const { live } = this.recorder;
    if (live.has(id)) return this.watch(id, after, fn);
    const leave = this.recorder.waitingLog(id, past).follow(after, this.guarded(fn));
    return () => {
      leave();
      this.recorder.forgetUnfollowed(id);
    };
  }

  /** All events that the history has of a run. */
  protected async past(id: string): Promise<RecordedEvent[]> {
    await this.recorder.flush();
    return this.sources.history.events(id, 0);
  }

  feedAt(): number {
    this.recorder.settle();
    return this.recorder.feed.head;
  }

  watchAll(
    after: number | undefined,
    flow: string | undefined,
    fn: (item: FeedItem | Gap, json: string) => unknown,
  ) {
    this.recorder.settle();
    const leave = this.recorder.feed.watch(after, flow, this.guarded(fn));
    let joined = 0;
    for (const live of this.recorder.live.values()) {
      if (live.mode === 'off' || live.log !== undefined || !this.recorder.feeds(live.request)) continue;
      if (++joined > JOINED_RUNS) break;
      this.recorder.observe(live);
    }
    return leave;
  }

  /** A watcher that throws is skipped; the others and the run continue. */
  private guarded<T>(fn: (item: T, json: string) => unknown): (item: T, json: string) => unknown {
    return (item, json) => {
      try {
        return fn(item, json);
      } catch (error) {
        this.sources.log.error({ err: error }, 'a watcher of runs failed');
        return false;
      }
    };
  }
}

function inProgress(): ServiceError {
  return new ServiceError('conflict', 'The run is in progress; cancel it first, or wait for its end.');
}
