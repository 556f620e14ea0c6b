import type { FeedItem } from '../api/run-socket.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { loadEvents, loadRecent, type RunApi, unreadable } from './run-history.ts';
import { mergeRows, rowsOf } from './run-list.ts';
import { isOver } from './run-status.ts';
import { addLines, linesOf, type TitleOf } from './run-log.ts';
import { applyEvents, shownFrom } from './apply-event.ts';
import type { RunRow, RunState, RunStore, ShownRun } from './run-store.ts';

/** The store of a flow’s runs, and the ways to the server and to the frames of the browser. */
export interface RunFeedDeps {
  readonly flow: string;
  readonly store: RunStore;
  readonly api: RunApi;
  readonly title: TitleOf;
  /** Calls back before the next frame is drawn. */
  frame(fn: () => void): void;
}

/** The position up to which a run's events have been applied. */
interface Track {
  seq: number;
  ended: boolean;
  /** Events that arrived while earlier ones are being loaded. */
  pending: RunEvent[] | undefined;
}

/** Events to apply at once. */
interface News {
  readonly events: RunEvent[];
  readonly rows: RunRow[];
}

/** Items per frame; more would be noticeable. At 60 frames per second that is 30,000 per second. */
const PER_FRAME = 500;
/** Runs whose events are loaded after some were missed. */
const CAUGHT_UP = 20;
const MAX_TRACKS = 500;

/**
 * Applies the server's events of a flow's runs to the run store.
 * R1. The store changes at most once per frame, whatever arrives.
 * R2. Each event of a run is applied once, in order of its number: a repeat is dropped, and a gap is filled from the history
 *     before later events are applied.
 * R3. Whatever connections it came over, the same events give the same state.
 */
export class RunFeed {
  private readonly deps: RunFeedDeps;
  private readonly tracks = new Map<string, Track>();
  private queue: FeedItem[] = [];
  private scheduled = false;
  /** Runs whose events could not be loaded because the server was unreachable. */
  private readonly stalled = new Set<string>();
  /** The newest run at the time when the flow was opened, but for those in progress of which nothing was recorded yet. */
  private baseline: string | undefined;
  /** Collects the events that arrive while a run is being loaded to be shown. */
  private held: { readonly run: string; readonly events: RunEvent[] } | undefined;

  constructor(deps: RunFeedDeps) {
    this.deps = deps;
  }

  /** Applies items with the next frames. */
  take(items: readonly FeedItem[]): void {
    for (const item of items) this.queue.push(item);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.queue.length === 0) return;
    this.scheduled = true;
    this.deps.frame(() => this.flush());
  }

  /** The connection is open. Unless it resumes, missed events are read from the history. */
  async opened(resumed: boolean): Promise<void> {
    const again = [...this.stalled];
    this.stalled.clear();
    const work = again.map((run) => this.fill(run, this.trackOf(run)));
    if (!resumed) work.push(this.resync());
    await Promise.all(work);
  }

  /** Puts a run on the canvas. Throws `ApiError`. */
  async show(run: string): Promise<void> {
    const { api, store } = this.deps;
    const hold = { run, events: [] };
    this.held = hold;
    store.setState({ opening: run });
    try {
      const row = store.getState().recent.find((one) => one.run === run) ?? (await api.getRun(run));
      const { events, missing } = await loadEvents(api, run, 0);
      if (this.held !== hold) return;
      const all = [...events, ...hold.events];
      const applied = applyEvents(shownFrom(row), all);
      const shown = hold.events.length === 0 ? parked(applied, [row]) : applied;
      store.setState((state) => ({
        log: addLines(state.log, linesOf(events, this.deps.title)),
        ...(shown && !isOvertaken(state, run) && { shown: { ...shown, missing } }),
      }));
    } finally {
      if (this.held === hold) {
        this.held = undefined;
        store.setState({ opening: undefined });
      }
    }
  }

  private flush(): void {
    this.scheduled = false;
    const items = this.queue.splice(0, PER_FRAME);
    const news: News = { events: [], rows: [] };
    let missed = false;
    for (const item of items) {
      if ('kind' in item) missed = true;
      else if (item.event.kind === 'run-summary') news.rows.push(item.event.summary);
      else this.receive(item.event, news);
    }
    this.apply(news);
    this.prune();
    if (missed) void this.resync();
    this.schedule();
  }

  private receive(event: RunEvent, news: News): void {
    const track = this.trackOf(event.run);
    if (track.pending) track.pending.push(event);
    else if (event.seq === track.seq + 1) advance(track, event, news);
    else if (event.seq > track.seq) {
      track.pending = [event];
      void this.fill(event.run, track);
    }
  }

  private trackOf(run: string): Track {
    const track = this.tracks.get(run) ?? { seq: 0, ended: false, pending: undefined };
    this.tracks.set(run, track);
    return track;
  }

  /** R2: loads the missing events of a run, then applies those that have arrived meanwhile. */
  private async fill(run: string, track: Track): Promise<void> {
    track.pending ??= [];
    const found = await loadEvents(this.deps.api, run, track.seq).catch(unreadable);
    if (found === undefined) {
      this.stalled.add(run);
      return;
    }
    const events = [...found.events, ...track.pending].sort((a, b) => a.seq - b.seq);
    const news: News = { events: [], rows: track.pending.length === 0 ? this.waitingRow(run) : [] };
    track.pending = undefined;
    for (const event of events) if (event.seq > track.seq) advance(track, event, news);
    this.apply(news);
    if (found.missing === undefined) return;
    const { missing } = found;
    this.deps.store.setState(({ shown }) => (shown?.id === run ? { shown: { ...shown, missing } } : {}));
  }

  /** Events from before a run started to wait do not make it running again. */
  private waitingRow(run: string): RunRow[] {
    return this.deps.store.getState().recent.filter((row) => row.run === run && row.status === 'waiting');
  }

  /** Reads the list of runs, and the events of those that were in progress or were missed. */
  private async resync(): Promise<void> {
    const { api, store, flow } = this.deps;
    const open = [...this.tracks].filter(([, track]) => !track.ended && !track.pending);
    await Promise.all([loadRecent(api, store, flow), ...open.map(([run, track]) => this.fill(run, track))]);
    const { recent, list } = store.getState();
    if (list === 'failed') return;
    const since = this.baseline;
    this.baseline ??= recent.find((row) => row.recorded || isOver(row.status))?.run ?? '';
    const isMissed = ({ run, status }: RunRow, i: number): boolean =>
      !isOver(status) || (since === undefined ? i === 0 : run > since);
    const missed = recent.filter((row, i) => row.recorded && !this.tracks.has(row.run) && isMissed(row, i));
    await Promise.all(missed.slice(0, CAUGHT_UP).map(({ run }) => this.fill(run, this.trackOf(run))));
  }

  private apply({ events, rows }: News): void {
    if (events.length === 0 && rows.length === 0) return;
    for (const event of events) if (event.run === this.held?.run) this.held.events.push(event);
    this.deps.store.setState((state) => ({
      recent: mergeRows(mergeRows(state.recent, rowsOf(events, state.recent)), rows),
      log: addLines(state.log, linesOf(events, this.deps.title)),
      shown: parked(followed(state, events), rows),
    }));
  }

  /** Forgets ended runs, oldest first. */
  private prune(): void {
    for (const [run, { ended, pending }] of this.tracks) {
      if (this.tracks.size <= MAX_TRACKS) return;
      if (ended && !pending) this.tracks.delete(run);
    }
  }
}

function advance(track: Track, event: RunEvent, news: News): void {
  track.seq = event.seq;
  track.ended ||= event.kind === 'run-finished';
  news.events.push(event);
}

/** The run on the canvas after events of any runs: in follow mode a newer run replaces it. */
function followed({ follow, shown }: RunState, events: readonly RunEvent[]): ShownRun | undefined {
  const newest = events.reduce((run, event) => {
    const isNewer = event.kind === 'run-started' && (run === undefined || event.run > run);
    return follow && isNewer ? event.run : run;
  }, shown?.id);
  return applyEvents(
    shown,
    events.filter(({ run }) => run === newest),
  );
}

/** A durable run reports that it waits in its line of the list, not in an event. */
function parked(shown: ShownRun | undefined, rows: readonly RunRow[]): ShownRun | undefined {
  const waits =
    shown?.status === 'running' && rows.some((row) => row.run === shown.id && row.status === 'waiting');
  return waits ? { ...shown, status: 'waiting' } : shown;
}

/** In follow mode, a newer run may have arrived while this one was being loaded. */
function isOvertaken({ follow, shown }: RunState, run: string): boolean {
  return follow && shown !== undefined && shown.id > run;
}
