import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { RunLinks } from './run-links.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunHub } from '../runs/run-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { RunLimits } from '../runs/run-limits.ts';
import { makeRunIds } from '../runs/run-ids.ts';
import type { DurableEnd, DurableRuns, DurableView, RetryOptions, WaitStore } from './durable-runs.ts';
import { beginRun } from './begin-run.ts';
import { Executor } from './executor.ts';
import { FlowSnapshots, flowText } from './flow-snapshots.ts';
import { Listeners } from './listeners.ts';
import type { DurableEngine, EngineHost, Forgotten, SharedEngine, StoredRun, TurnOrder } from './port.ts';
import { startPruning } from './pruning.ts';
import type { KeptInput } from './run-input.ts';
import type { ReviveFlow } from '../starts/revive-flow.ts';
import { checkSize, RECORD_LIMITS } from './size.ts';
import { EndReports } from './notify-ends.ts';
import { Turns } from './turns.ts';
import type { Values } from './values.ts';
import { wakeAnswered, wakeThoseAnswered } from './wake-answered.ts';
import { isEnd, isParked, unfinishedRuns, viewOf, waitsOutside } from './stored-runs.ts';

/** The delay before waking is retried, in milliseconds: doubles each time, up to a minute. */
const WAKE_AGAIN_MS = 1000;
/** The waiting runs of all servers are counted this soon after a change, in milliseconds. */
const COUNT_MS = 1000;

export interface DurableDeps {
  /** Opens the engine; called on first use. */
  readonly open: () => DurableEngine;
  /** Whether there was ever a run; must be cheap. */
  readonly exists: () => boolean;
  /** Whether an earlier process left runs to continue, or ends to report; must be cheap. */
  readonly unfinished: () => boolean;
  readonly hub: Pick<RunHub, 'admit' | 'carryOn' | 'leave' | 'stored'>;
  /** `now` is read from the clock that servers share. */
  readonly host: Pick<Host, 'now' | 'timer'>;
  /** How far the clock that runs see is ahead of `host.now`, in milliseconds; 0 by default. */
  readonly ahead?: () => number;
  /** A wait with less than this left does not park the run: the pass waits, in milliseconds. */
  readonly parkMs?: number;
  readonly log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
  readonly waits: WaitStore;
  readonly variables: () => Readonly<Record<string, unknown>>;
  readonly live: (id: string) => LiveFlow | undefined;
  /** Places of flows that limit their runs, shared with those in memory. */
  readonly limits?: RunLimits;
  /** The addresses at which callers see accepted runs. */
  readonly links: Pick<RunLinks, 'prepare'>;
  readonly revive: ReviveFlow;
  readonly values: (run: string) => Values;
  /** Removes stored data of deleted runs. */
  readonly forget: (runs: readonly string[]) => void;
  /** Makes the files of a run available to the one that retries it. */
  readonly shareFiles?: (run: string, again: string) => Promise<void>;
}

interface Opened {
  readonly engine: DurableEngine;
  readonly executor: Executor;
  readonly turns: TurnOrder;
  /** The same turns, if only this server executes the runs. */
  readonly own: Turns | undefined;
  readonly snapshots: FlowSnapshots;
}

export function createDurableRuns(deps: DurableDeps): Durable {
  return new Durable(deps);
}

/**
 * DC1. Nothing is opened before the first durable run, or at the start unless there are unfinished runs.
 * DC2. Each end is reported to every listener until all of them have accepted it, across restarts.
 * DC3. A run keeps the version and the variables that it started with.
 * DC4. Everything that the caller of an accepted run gets exists before the run does: if the disk refuses it, the run
 *      is refused.
 */
export class Durable implements DurableRuns {
  private readonly deps: DurableDeps;
  private readonly nextId: () => string;
  private readonly listeners = new Listeners();
  /** Runs that wait for people or a time, including those of earlier processes. */
  private readonly parked = new Set<string>();
  /** The waiting runs on all servers, if they share their runs; and the time of the next count. */
  private counted = 0;
  private stopCounting: (() => void) | undefined = undefined;
  private readonly endReports: EndReports;
  private engines: Opened | undefined = undefined;
  private stopPruning: (() => void) | undefined = undefined;
  private prepared: Promise<void> | undefined = undefined;
  private resumed = false;
  private closed = false;

  constructor(deps: DurableDeps) {
    this.deps = deps;
    this.nextId = makeRunIds(() => deps.host.now());
    this.endReports = new EndReports({ ...deps, view: (stored) => this.view(stored) as DurableEnd });
    // The server that took the decision wakes the run; the others only notify passes.
    deps.waits.onAnswer((run, isOwn = true) =>
      isOwn ? void this.wake(run) : this.engines?.executor.poke(run),
    );
  }

  /** Prepares what takes time if an earlier process left runs, without continuing any. */
  prepare(): void {
    if (this.deps.unfinished()) this.opened();
  }

  /** Continues the runs of an earlier process, and executes new ones from now on. */
  resume(): void {
    this.resumed = true;
    if (this.engines !== undefined) void this.begin(this.engines);
    else if (this.deps.unfinished()) this.opened();
  }

  async start(
    request: RunRequest,
    options: Parameters<DurableRuns['start']>[1] = {},
  ): ReturnType<DurableRuns['start']> {
    const { hub, host, variables } = this.deps;
    hub.admit(request.flow.id);
    const opened = this.opened();
    checkSize(request.flow, request.trigger);
    await this.readyToAccept(opened.engine);
    const run = this.nextId();
    const of = { values: this.deps.values(run), variables: variables(), startedAt: host.now() };
    return beginRun({ ...opened, ...of }, run, request, options);
  }

  async get(run: string): Promise<DurableView | undefined> {
    const engine = this.ifUsed();
    const stored = await engine?.get(run);
    return stored && this.view(stored);
  }

  async list(query: Parameters<DurableRuns['list']>[0]): Promise<DurableView[]> {
    const engine = this.ifUsed();
    const stored = (await engine?.list(query)) ?? [];
    return stored.map((run) => this.view(run));
  }

  async ended(run: string, signal?: AbortSignal): Promise<DurableEnd> {
    const look = (): Promise<DurableEnd | undefined> => this.lookAt(run, isEnd);
    return this.listeners.until({ run, what: 'ended', look, signal });
  }

  settled(run: string, signal?: AbortSignal): Promise<DurableView> {
    const look = (): Promise<DurableView | undefined> =>
      this.lookAt(run, (view): view is DurableView => isEnd(view) || isParked(view));
    return this.listeners.until({ run, what: 'any', look, signal });
  }

  async cancel(run: string, by: string): Promise<boolean> {
    if (this.ifUsed() === undefined) return false;
    const { engine, executor } = this.opened();
    const taken = await engine.cancel(run, by);
    if (taken) executor.cancel(run);
    return taken;
  }

  async retry(run: string, { version = 'same' }: RetryOptions = {}): Promise<{ run: string }> {
    const { prepareRetry, retryKey } = await import('./retry.ts');
    const { engine, snapshots } = this.opened();
    await this.readyToAccept(engine);
    const stored = await engine.get(run);
    if (stored === undefined) throw new ServiceError('run_not_found');
    this.deps.hub.admit(stored.flow);
    const before = await snapshots.flow(stored.flow, stored.version);
    const flow = version === 'live' ? this.deps.live(stored.flow) : before;
    if (flow === undefined)
      throw new ServiceError('run_not_retryable', `The flow ${stored.flow} is not live.`);
    const id = this.nextId();
    const { values, host } = this.deps;
    const to = values(id);
    const { trigger } = this.view(stored);
    if (flow.compiled.plans.get(trigger)?.hidesFields === true) to.sealAll();
    const { vars, ...next } = prepareRetry({
      stored,
      steps: await engine.steps(run),
      before: before.flow,
      after: flow.flow,
      from: values(run),
      to,
      isCurrent: (called, seen) => version === 'same' || this.deps.live(called)?.version === seen,
    });
    const needed = [flowText(flow), { name: vars, make: () => snapshots.text(vars) }];
    const texts = needed.map(({ name }) => name);
    const of = { run: id, key: await retryKey(engine, run), flow: stored.flow, version: flow.version };
    const start = { ...next, ...of, texts, startedAt: host.now() };
    await this.deps.shareFiles?.(run, id);
    const begun = await snapshots.holding(needed, () => engine.start(start));
    if (!begun.created) this.deps.forget([id]);
    return { run: begun.run };
  }

  get waiting(): number {
    return this.engines?.engine.shared === undefined ? this.parked.size : this.counted;
  }

  onEnd(fn: (end: DurableEnd) => void | Promise<void>): void {
    this.endReports.onEnd(fn);
  }

  async forget(runs: readonly string[]): Promise<Forgotten> {
    if (this.ifUsed() === undefined) return { gone: [], left: [] };
    const { engine, snapshots } = this.opened();
    const { waits, forget } = this.deps;
    const forgotten = await engine.forget(runs);
    for (const run of forgotten.gone) await waits.forget(run);
    forget(forgotten.gone);
    if (forgotten.gone.length > 0) await snapshots.tidy();
    return forgotten;
  }

  async close(graceMs: number): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.stopPruning?.();
    this.stopCounting?.();
    this.endReports.close();
    await this.engines?.executor.close(graceMs);
    await this.engines?.engine.close();
  }

  // -------------------------------------------------------------------------------------------------------- the engine

  private opened(): Opened {
    if (this.closed) throw new ServiceError('draining');
    this.engines ??= this.open();
    return this.engines;
  }

  /** The engine if it was ever used; an empty one is not opened. */
  private ifUsed(): DurableEngine | undefined {
    if (this.engines === undefined && !this.deps.exists()) return undefined;
    return this.opened().engine;
  }

  /**
   * The key of the links is evidence of accepted runs, so its file is created before the first run. A failure is
   * retried with the next run.
   */
  private readyToAccept(engine: DurableEngine): Promise<void> {
    this.prepared ??= engine
      .list({ limit: 0 })
      .then(() => this.deps.links.prepare())
      .catch((error: unknown) => {
        this.prepared = undefined;
        throw error;
      });
    return this.prepared;
  }

  private open(): Opened {
    const engine = this.deps.open();
    const snapshots = new FlowSnapshots(engine, this.deps);
    const { limits = new RunLimits() } = this.deps;
    const own = engine.shared === undefined ? this.turns(engine, snapshots, limits) : undefined;
    const turns = own ?? (engine.shared as SharedEngine).turns(limits);
    const executor = new Executor({
      ...this.deps,
      turns,
      limits: engine.shared?.limits ?? RECORD_LIMITS,
      snapshots,
    });
    const opened = { engine, executor, turns, own, snapshots };
    if (this.resumed) void this.begin(opened);
    this.stopPruning = startPruning({
      ...this.deps,
      engine,
      snapshots,
      complain: (error) => this.complain(error),
    });
    return opened;
  }

  private async begin({ engine, executor, turns, own }: Opened): Promise<void> {
    try {
      if (own !== undefined) await this.recover(engine, own);
    } catch (error) {
      this.complain(error);
    }
    if (this.closed) return;
    engine.begin({
      carryOn: async (pass) => {
        const { run } = pass.run;
        this.parked.delete(run);
        const end = await executor.carryOn(pass);
        // Before the engine knows of it: a server that dies in between repeats the pass, which writes the same record.
        if (end.kind === 'ended' || end.kind === 'parked') await this.deps.hub.stored();
        return end;
      },
      parked: (stored) => {
        if (waitsOutside(stored)) this.parked.add(stored.run);
        this.countSoon(engine);
        this.listeners.notify(stored.run, 'any');
      },
      ended: (run) => {
        void turns.ended(run.run);
        this.countSoon(engine);
        this.listeners.notify(run.run, 'ended');
        void this.endReports.report(run, engine);
      },
      ...this.fromElsewhere(engine, executor),
    });
    this.countSoon(engine);
    // Servers that share their runs look for these repeatedly.
    if (own !== undefined)
      await wakeAnswered(engine, this.deps.waits).catch((error: unknown) => this.complain(error));
  }

  /** Takes over the runs of an earlier process. */
  private async recover(engine: DurableEngine, turns: Turns): Promise<void> {
    const unfinished = await unfinishedRuns(engine);
    for (const stored of unfinished) if (waitsOutside(stored)) this.parked.add(stored.run);
    await turns.recover(unfinished);
  }

  /** Handles what other servers report about shared runs. */
  private fromElsewhere(
    engine: DurableEngine,
    executor: Executor,
  ): Pick<EngineHost, 'woken' | 'lost' | 'settledElsewhere' | 'decided'> {
    return {
      woken({ run, cancelledBy }) {
        if (cancelledBy === undefined) executor.poke(run);
        else executor.cancel(run);
      },
      lost: (run) => executor.drop(run),
      settledElsewhere: (run) => {
        this.countSoon(engine);
        if (run === undefined) this.listeners.notifyAll();
        else this.listeners.notify(run, 'ended');
      },
      decided: (waiting) => wakeThoseAnswered(waiting, engine, this.deps.waits),
    };
  }

  /** Counts the waiting runs of all servers, if they share them: after a delay, so that many changes need one count. */
  private countSoon({ shared }: DurableEngine): void {
    if (shared === undefined || this.stopCounting !== undefined || this.closed) return;
    this.stopCounting = this.deps.host.timer(COUNT_MS, () => {
      this.stopCounting = undefined;
      const counting = shared.waiting().then((counted) => void (this.counted = counted));
      counting.catch((error: unknown) => this.complain(error));
    });
  }

  private turns(engine: DurableEngine, snapshots: FlowSnapshots, limits: RunLimits): Turns {
    const { values } = this.deps;
    const request = ({ run, input }: StoredRun) => (values(run).read(input) as KeptInput).request;
    return new Turns({
      limits,
      engine,
      flow: snapshots.flow.bind(snapshots),
      request,
      complain: (error) => this.complain(error),
    });
  }

  private complain(error: unknown): void {
    if (!this.closed) this.deps.log.error({ err: error }, 'the durable runs could not be maintained');
  }

  /** No decision is lost if the engine cannot be notified: it is notified again after `again` milliseconds. */
  private async wake(run: string, again = WAKE_AGAIN_MS): Promise<void> {
    try {
      if (this.ifUsed() === undefined) return;
      const { engine, executor } = this.opened();
      executor.poke(run);
      await engine.wake(run);
    } catch (error) {
      this.complain(error);
      if (!this.closed) this.deps.host.timer(again, () => void this.wake(run, Math.min(2 * again, 60_000)));
    }
  }

  /** The run, if it is parked or has ended. */
  private async lookAt<V extends DurableView>(
    run: string,
    isThere: (view: DurableView) => view is V,
  ): Promise<V | undefined> {
    const view = await this.get(run);
    if (view === undefined) throw new ServiceError('run_not_found');
    return isThere(view) ? view : undefined;
  }

  private view(stored: StoredRun): DurableView {
    return viewOf(stored, this.deps.values(stored.run));
  }
}
