import type { RunRequest } from '../../flows/service/run-request.ts';
import { withPlace } from '../runs/run-limits.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Host, Run, WeftError } from '#engine';
import type { Schedule } from '#shared/api.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunHub } from '../runs/run-types.ts';
import type { SharedPlace, SharedPlaces } from '../runs/shared-places.ts';
import type { SubFlows } from '../starts/sub-flows.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import { type Due, dueTimes } from './due.ts';
import type { Pause, ScheduleStore } from './schedule-store.ts';
import { type ScheduledRuns, scheduledRun, startDurably } from './start-durably.ts';
import { type ScheduleSpec, schedulesOf, type Times, timesOf } from '../../base/requests/schedule-spec.ts';

/** Starts runs, and lists the flows whose schedules it starts. */
export interface Starting {
  readonly live: (id: string) => LiveFlow | undefined;
  readonly runs: Pick<RunHub, 'start' | 'placeFor' | 'accepts'>;
  readonly hold: Pick<SubFlows, 'hold'>['hold'];
  readonly durable: ScheduledRuns;
}

export interface SchedulerDeps {
  readonly store: ScheduleStore;
  readonly host: Pick<Host, 'now' | 'timer'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed?: () => number;
  /** Keeps runs of a schedule with `overlap: skip` apart, where several servers start schedules. */
  readonly places?: SharedPlaces | undefined;
}

/** One schedule of a live flow. */
interface Entry {
  readonly flow: string;
  readonly node: string;
  readonly spec: ScheduleSpec;
  readonly pattern: string;
  readonly times: Times;
  last: number;
  next: number | undefined;
  running: Run | undefined;
  /** Durable runs, or runs in memory one after the other, are being started. */
  starting: boolean;
}

/** The clock is checked at least this often, in milliseconds, because it may be set. */
const LOOK_MS = 20_000;
/** Another server may learn of a change this much earlier than this one, in milliseconds. */
const JOINED_MS = 60_000;
/** The next attempt when the server or its disk is full, in milliseconds. */
const AGAIN_MS = 1000;
const WAITS_FOR_DISK = 'a schedule waits for a writable disk';
const LEFT_OUT = 'a scheduled run was skipped: the previous one is still in progress';
const BEHIND =
  'the clock is behind the last time of a schedule, which starts nothing until the clock has caught up';
/** Codes that mean that no run is accepted at present: the times stay due. */
const REFUSALS: ReadonlySet<unknown> = new Set(['overloaded', 'draining', 'storage_failed']);
/** A clock that differs from the elapsed time by this many milliseconds was set. */
const SET_MS = 1000;
/** A clock that is this many milliseconds behind the last finished time must have been ahead then. */
const AHEAD_MS = 25 * 3600 * 1000;

/**
 * Starts flows at set times.
 * SCH1. No time starts twice, even after a crash. A durable run is stored under its time before the time is noted as
 *      done, so it is not lost either. For a run in memory the time is noted first.
 * SCH2. While the server accepts no runs, nothing is started or noted; the time stays due, and is a late one
 *       after a minute.
 * SCH3. A schedule starts the version of its flow that is live at that time.
 */
export class Scheduler {
  private readonly deps: SchedulerDeps;
  private readonly flows = new Map<string, Entry[]>();
  private readonly changed = new Set<string>();
  private starting: Starting | undefined = undefined;
  private cancel: (() => void) | undefined = undefined;
  private closed = false;
  private last: Promise<void> = Promise.resolve();
  /** Since when nothing was missed: the server was up and its clock was not set. */
  private since = 0;
  /** Both clocks as they were last read. */
  private looked = { now: 0, elapsed: 0 };
  /** A schedule that is new after this starts now: the flows that were live when the server started are known. */
  private begun = false;

  constructor(deps: SchedulerDeps) {
    this.deps = deps;
  }

  /**
   * Starts runs from now on; times that became due before count as late. With `fromNow` they belong to another server
   * and are skipped.
   */
  begin(starting: Starting, { fromNow }: { readonly fromNow: boolean }): void {
    this.starting = starting;
    this.begun = fromNow;
    this.looked = this.clocks();
    this.since = this.looked.now;
    this.wake(0);
  }

  /** Call it whenever the live version of a flow changes or is taken away. */
  flowChanged(id: string): void {
    this.changed.add(id);
    if (this.starting !== undefined) this.wake(0);
  }

  /** `live` returns the flows of a server that starts no schedules; another one starts them, or none does. */
  async list(live: Starting['live']): Promise<Schedule[]> {
    if (this.starting === undefined) return this.unstarted(live);
    await this.inTurn(() => this.applyChangedFlows());
    return [...this.flows.values()].flat().map(({ flow, node, spec, next, last }) => ({
      flow,
      node,
      cron: spec.cron,
      timezone: spec.timezone,
      ...(next !== undefined && { next: new Date(next).toISOString() }),
      seenTo: new Date(last).toISOString(),
    }));
  }

  /** Nothing is read or noted: only the other server knows which times are done. */
  private unstarted(live: Starting['live']): Schedule[] {
    const flows = [...this.changed].map((id) => live(id)).filter((flow) => flow !== undefined);
    return flows.flatMap(({ id, flow }) =>
      [...schedulesOf(flow)].map(([node, spec]) => {
        const next = timesOf(spec).after(this.deps.host.now());
        const { cron, timezone } = spec;
        return {
          flow: id,
          node,
          cron,
          timezone,
          ...(next !== undefined && { next: new Date(next).toISOString() }),
        };
      }),
    );
  }

  /** Resolves once nothing is read or noted any more. */
  async close(): Promise<void> {
    this.closed = true;
    this.cancel?.();
    await this.last;
  }

  private wake(ms: number): void {
    if (this.closed) return;
    this.cancel?.();
    this.cancel = this.deps.host.timer(ms, () => void this.inTurn(() => this.look()));
  }

  /** Looks and lists wait for each other, because both wait for the store. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.last.then(work);
    this.last = done.catch(() => {});
    return done;
  }

  private async look(): Promise<void> {
    if (this.closed) return;
    this.cancel = undefined;
    const now = this.readClock();
    await this.applyChangedFlows();
    let soonest = Number.POSITIVE_INFINITY;
    for (const entry of [...this.flows.values()].flat()) {
      soonest = Math.min(soonest, await this.seeTo(entry, now));
    }
    // One that could not be read is tried again.
    if (this.changed.size > 0) soonest = Math.min(soonest, now + LOOK_MS);
    if (soonest < Number.POSITIVE_INFINITY) this.wake(Math.max(0, Math.min(soonest - now, LOOK_MS)));
  }

  private clocks(): { now: number; elapsed: number } {
    const { host, elapsed = () => performance.now() } = this.deps;
    return { now: host.now(), elapsed: elapsed() };
  }

  /** The time of the clock. Times that it skipped were missed. */
  private readClock(): number {
    const { looked } = this;
    this.looked = this.clocks();
    const { now, elapsed } = this.looked;
    const leap = now - looked.now - (elapsed - looked.elapsed);
    if (Math.abs(leap) < SET_MS) return now;
    this.since = leap > 0 ? now : Math.min(this.since, now);
    if (this.flows.size > 0) this.warnOfSet(leap);
    return now;
  }

  private warnOfSet(leap: number): void {
    const ms = Math.round(Math.abs(leap));
    if (leap > 0) this.deps.log.warn({ ms }, 'the clock was set ahead: the times in between count as missed');
    else this.deps.log.warn({ ms }, 'the clock was set back: schedules start nothing until it has caught up');
  }

  /** Starts what is due; returns when to look again, in Unix milliseconds. */
  private async seeTo(entry: Entry, now: number): Promise<number> {
    if (this.closed || entry.next === undefined) return Number.POSITIVE_INFINITY;
    if (entry.last - now > AHEAD_MS) await this.forgetFuture(entry, now);
    if (entry.starting) return Number.POSITIVE_INFINITY;
    if (entry.next > now) return entry.next;
    if (this.starting?.runs.accepts(entry.flow) !== true) return now + AGAIN_MS;
    return await this.startDue(entry, now, this.starting);
  }

  /** Starts a due entry; returns when to look again, in Unix milliseconds. */
  private async startDue(entry: Entry, now: number, { live }: Starting): Promise<number> {
    const pause = await this.pauseOf(entry);
    if (pause === 'unknown') return now + AGAIN_MS;
    const { last, times, spec } = entry;
    const { due, seen } = dueTimes(times, spec.catchUp, { last, since: this.since, now, pause });
    const flow = live(entry.flow);
    if (flow !== undefined && isDurable(flow, entry.node)) {
      void this.startDurable(entry, flow, { due, seen });
      return Number.POSITIVE_INFINITY;
    }
    const noted = await this.note(entry, seen);
    if (noted === 'refused') return now + AGAIN_MS;
    if (noted && entry.spec.overlap === 'skip' && due.length > 1) {
      void this.startInOrder(entry, due);
      return Number.POSITIVE_INFINITY;
    }
    if (noted) for (const one of due) void this.start(entry, one);
    return entry.next ?? Number.POSITIVE_INFINITY;
  }

  private async pauseOf(entry: Entry): Promise<Pause | undefined | 'unknown'> {
    try {
      return await this.deps.store.pauseOf(entry);
    } catch (error) {
      this.deps.log.error({ err: error, flow: entry.flow, node: entry.node }, WAITS_FOR_DISK);
      return 'unknown';
    }
  }

  /** False if another process has noted it already; `refused` if the disk refuses it. */
  private async note(entry: Entry, seen: number): Promise<boolean | 'refused'> {
    const { flow, node } = entry;
    const { store, log } = this.deps;
    try {
      const isNoted = await store.seen(entry, { from: entry.last, to: seen });
      entry.last = isNoted ? seen : ((await store.last(entry)) ?? seen);
      entry.next = entry.times.after(entry.last);
      return isNoted;
    } catch (error) {
      log.error({ err: error, flow, node }, WAITS_FOR_DISK);
      return 'refused';
    }
  }

  private async startDurable(
    entry: Entry,
    flow: LiveFlow,
    { due, seen }: { readonly due: readonly Due[]; readonly seen: number },
  ): Promise<void> {
    const { node, spec } = entry;
    entry.starting = true;
    const isDone = await this.startedDurably(flow, node, { due, spec });
    entry.starting = false;
    if (this.closed) return;
    const noted = isDone ? await this.note(entry, seen) : 'refused';
    this.wake(noted === 'refused' ? AGAIN_MS : 0);
  }

  /** False if the times stay due. */
  private async startedDurably(
    flow: LiveFlow,
    node: string,
    what: { readonly due: readonly Due[]; readonly spec: ScheduleSpec },
  ): Promise<boolean> {
    const { log } = this.deps;
    try {
      const { durable } = this.starting as Starting;
      const leftOut = await startDurably(durable, flow, node, what);
      if (leftOut > 0) log.warn({ flow: flow.id, node, leftOut }, LEFT_OUT);
      return true;
    } catch (error) {
      log.error({ err: error, flow: flow.id, node }, 'scheduled runs could not be started');
      return !(error as Partial<WeftError>).transient && !REFUSALS.has((error as { code?: unknown }).code);
    }
  }

  /** Late runs run one after the other, like durable ones; times that pass meanwhile stay due. */
  private async startInOrder(entry: Entry, due: readonly Due[]): Promise<void> {
    entry.starting = true;
    for (const one of due) {
      if (this.closed) return;
      if (entry.running !== undefined) await itsEnd(entry.running, this.deps.host);
      await this.start(entry, one, true);
    }
    entry.starting = false;
    this.wake(0);
  }

  /** Never rejects. `waits`: for a run on another server that is in progress. */
  private async start(entry: Entry, due: Due, waits = false): Promise<void> {
    const { flow: id, node, spec } = entry;
    const { at } = due;
    const { log } = this.deps;
    const flow = this.starting?.live(id);
    if (flow === undefined || this.starting === undefined) return;
    const { runs, hold } = this.starting;
    const leftOut = (): void => log.warn({ flow: id, node, at }, LEFT_OUT);
    const isBusy = entry.running !== undefined && entry.running.outcome === undefined;
    if (spec.overlap === 'skip' && isBusy) return leftOut();
    const begin = (request: RunRequest): Run => (entry.running = hold(flow, () => runs.start(request)));
    const { places } = this.deps;
    try {
      const request = scheduledRun(flow, node, due, spec.input);
      if (spec.overlap === 'skip' && places !== undefined) {
        const pause = waits ? (ms: number) => pauseOf(ms, this.deps.host) : undefined;
        await startAlone({ places, runs, begin, leftOut, pause }, `schedule ${id} ${node}`, request);
        return;
      }
      await beginPlaced(runs, request, begin);
    } catch (err) {
      log.error({ err, flow: id, node, at }, 'a scheduled run could not be started');
    }
  }

  private async forgetFuture(entry: Entry, now: number): Promise<void> {
    const { flow, node, last } = entry;
    this.deps.log.warn({ flow, node, last }, 'the clock was set back: the schedule continues from now');
    await this.note(entry, now);
  }

  private async applyChangedFlows(): Promise<void> {
    if (this.starting === undefined) return;
    const changed = [...this.changed];
    this.changed.clear();
    for (const id of changed) {
      const flow = this.starting.live(id);
      const before = this.flows.get(id) ?? [];
      const entries = flow === undefined ? [] : await this.entriesOf(flow, before);
      if (entries.length > 0) this.flows.set(id, entries);
      else this.flows.delete(id);
    }
    this.begun = true;
  }

  private async entriesOf({ id, flow }: LiveFlow, before: readonly Entry[]): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const [node, spec] of schedulesOf(flow)) {
      const pattern = `${spec.cron} ${spec.timezone}`;
      const known = before.find((entry) => entry.node === node && entry.pattern === pattern);
      try {
        entries.push(
          known === undefined
            ? await this.newEntry({ flow: id, node, spec, pattern })
            : { ...known, spec, starting: false },
        );
      } catch (error) {
        // A flow with an unreadable pattern does not go live, so this is an error of the store.
        this.changed.add(id);
        this.deps.log.error({ err: error, flow: id, node }, 'a schedule could not be read');
      }
    }
    return entries;
  }

  /**
   * A new schedule starts now: earlier times were never promised. The same holds for one that returns while the server
   * runs; only a schedule that was live when the server stopped has missed times.
   */
  private async newEntry(of: Pick<Entry, 'flow' | 'node' | 'spec' | 'pattern'>): Promise<Entry> {
    const { store, host, log } = this.deps;
    const times = timesOf(of.spec);
    const known = await store.last(of);
    const now = host.now();
    // Another server may have begun it: times after its recent note are due to all of them.
    const isReturn = this.begun && (known ?? 0) < now - (this.deps.places === undefined ? 0 : JOINED_MS);
    const last = isReturn ? Math.max(known ?? now, now) : (known ?? now);
    if (last - now > SET_MS && last - now <= AHEAD_MS)
      log.warn({ flow: of.flow, node: of.node, seenTo: last }, BEHIND);
    if (last !== known) await store.seen(of, { from: known, to: last });
    return { ...of, times, last, next: times.after(last), running: undefined, starting: false };
  }
}

/** The longest time for which a late run delays the next one, in milliseconds. */
const END_MS = 60_000;

/** Starts it in this turn, unless the run has to wait. */
function beginPlaced(
  runs: Starting['runs'],
  request: RunRequest,
  begin: (request: RunRequest) => Run,
): Run | Promise<Run> {
  const placed = withPlace(runs, request);
  return placed instanceof Promise ? placed.then(begin) : begin(placed);
}

function pauseOf(ms: number, host: Pick<Host, 'timer'>): Promise<void> {
  return new Promise((resolve) => void host.timer(ms, resolve));
}

function itsEnd(run: Run, host: Pick<Host, 'timer'>): Promise<void> {
  if (run.outcome !== undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = host.timer(END_MS, resolve);
    run.onEnd(() => {
      stop();
      resolve();
    });
  });
}

interface Alone {
  readonly places: SharedPlaces;
  readonly runs: Starting['runs'];
  begin(request: RunRequest): Run;
  leftOut(): void;
  /** Set if the run may wait for its place. */
  readonly pause: ((ms: number) => Promise<void>) | undefined;
}

/** The place of a run that has ended is free a moment later; at most about a minute. */
async function placeOf({ places, pause }: Alone, schedule: string): Promise<SharedPlace | undefined> {
  for (let ms = 20; ; ms *= 2) {
    const place = await places.take(schedule, 1);
    if (place !== undefined || pause === undefined || ms > END_MS / 2) return place;
    await pause(ms);
  }
}

/** Starts a run unless another run of its schedule is in progress on any server. */
async function startAlone(of: Alone, schedule: string, request: RunRequest): Promise<void> {
  const { runs, begin, leftOut } = of;
  const place = await placeOf(of, schedule);
  if (place === undefined) return leftOut();
  try {
    begin(await withPlace(runs, request)).onEnd(place.leave);
  } catch (error) {
    place.leave();
    throw error;
  }
}
