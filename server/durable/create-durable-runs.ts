import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { LiveFlow, RunHub, RunRequest } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { RunLimits } from '../runs/run-limits.ts';
import { makeRunIds } from '../runs/run-ids.ts';
import type { DurableEnd, DurableRuns, DurableView, RetryOptions, WaitStore } from './durable-runs.ts';
import { Executor } from './executor.ts';
import { FlowShelf } from './flow-shelf.ts';
import { Listeners } from './listeners.ts';
import type { DurableEngine, StoredRun } from './port.ts';
import { startPruning } from './pruning.ts';
import { prepareRetry } from './retry.ts';
import type { KeptInput } from './run-input.ts';
import { checkSize } from './size.ts';
import { Turns } from './turns.ts';
import type { Values } from './values.ts';
import { wakeAnswered } from './wake-answered.ts';
import { isEnd, isParked, viewOf } from './views.ts';

export interface DurableParts {
  /** Opens the engine; called at the first use. */
  readonly open: () => DurableEngine;
  /** Whether there was ever a run; must be cheap. */
  readonly exists: () => boolean;
  /** Whether there is anything to carry on from an earlier process, or to tell; must be cheap. */
  readonly unfinished: () => boolean;
  readonly hub: Pick<RunHub, 'admit' | 'carryOn' | 'leave'>;
  readonly host: Pick<Host, 'now' | 'timer'>;
  readonly log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
  readonly waits: WaitStore;
  readonly variables: () => Readonly<Record<string, unknown>>;
  readonly live: (id: string) => LiveFlow | undefined;
  /** Places of flows that limit their runs, shared with those in memory. */
  readonly limits?: RunLimits;
  /** Makes a flow of its text, at the version that it had. */
  readonly revive: (id: string, version: string, text: string) => LiveFlow;
  readonly values: (run: string) => Values;
  /** Removes what lies beside the runs that are gone. */
  readonly forget: (runs: readonly string[]) => void;
}

interface Opened {
  readonly engine: DurableEngine;
  readonly executor: Executor;
  readonly turns: Turns;
  readonly shelf: FlowShelf;
}

/** After a listener failed, in milliseconds. */
const TELL_AGAIN_MS = 5000;

export function createDurableRuns(parts: DurableParts): Durable {
  return new Durable(parts);
}

/**
 * R1. Nothing is opened before the first durable run, or at the start where there are unfinished ones.
 * R2. Each end is told to every listener until all of them have taken it, over restarts.
 * R3. A run goes on at the version and with the variables that it began with.
 */
export class Durable implements DurableRuns {
  private readonly parts: DurableParts;
  private readonly nextId: () => string;
  private readonly listeners = new Listeners();
  private readonly onEnds: ((end: DurableEnd) => void | Promise<void>)[] = [];
  private engines: Opened | undefined = undefined;
  private stopPruning: (() => void) | undefined = undefined;
  private resumed = false;
  private closed = false;

  constructor(parts: DurableParts) {
    this.parts = parts;
    this.nextId = makeRunIds(() => parts.host.now());
    parts.waits.onAnswer((run) => void this.wake(run));
  }

  /** Makes ready what takes its time, where an earlier process left something: nothing is carried on yet. */
  prepare(): void {
    if (this.parts.unfinished()) this.opened();
  }

  /** Carries on what an earlier process left, and from now on what is started. */
  resume(): void {
    this.resumed = true;
    if (this.engines !== undefined) void this.begin(this.engines);
    else if (this.parts.unfinished()) this.opened();
  }

  async start(
    request: RunRequest,
    options: Parameters<DurableRuns['start']>[1] = {},
  ): ReturnType<DurableRuns['start']> {
    const { hub, host, variables } = this.parts;
    hub.admit();
    const { engine, shelf } = this.opened();
    const { flow, trigger, output, source } = request;
    checkSize(flow, trigger, engine.maxSteps);
    const run = this.nextId();
    const { key, ...more } = options;
    await shelf.keepFlow(flow);
    const vars = await shelf.keepVariables(variables());
    const input: KeptInput = { ...more, trigger, request: request.request, output, source, vars, steps: run };
    return engine.start({
      run,
      key,
      flow: flow.id,
      version: flow.version,
      input: this.parts.values(run).write(input),
      startedAt: host.now(),
    });
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
    return (await this.until(run, 'ended', isEnd, signal)) as DurableEnd;
  }

  settled(run: string, signal?: AbortSignal): Promise<DurableView> {
    return this.until(run, 'any', (view) => isEnd(view) || isParked(view), signal);
  }

  private async until(
    run: string,
    what: 'any' | 'ended',
    isThere: (view: DurableView) => boolean,
    signal?: AbortSignal,
  ): Promise<DurableView> {
    for (;;) {
      const looked = new AbortController();
      const signals = signal === undefined ? [looked.signal] : [looked.signal, signal];
      const changed = this.listeners.next(run, what, AbortSignal.any(signals));
      // Nobody waits for it where the look finds that it is there already.
      changed.catch(() => undefined);
      try {
        const view = await this.get(run);
        if (view === undefined) throw new ServiceError('run_not_found');
        if (isThere(view)) return view;
        await changed;
      } finally {
        looked.abort();
      }
    }
  }

  async cancel(run: string, by: string): Promise<boolean> {
    if (this.ifUsed() === undefined) return false;
    const { engine, executor } = this.opened();
    const taken = await engine.cancel(run, by);
    if (taken) executor.cancel(run);
    return taken;
  }

  async retry(run: string, { version = 'same' }: RetryOptions = {}): Promise<{ run: string }> {
    this.parts.hub.admit();
    const { engine, shelf } = this.opened();
    const stored = await engine.get(run);
    if (stored === undefined) throw new ServiceError('run_not_found');
    const before = await shelf.flow(stored.flow, stored.version);
    const flow = version === 'live' ? this.parts.live(stored.flow) : before;
    if (flow === undefined)
      throw new ServiceError('run_not_retryable', `The flow ${stored.flow} is not live.`);
    const id = this.nextId();
    const { values, host } = this.parts;
    await shelf.keepFlow(flow);
    const next = prepareRetry({
      stored,
      steps: await engine.steps(run),
      before: before.flow,
      after: flow.flow,
      from: values(run),
      to: values(id),
    });
    const { flow: of } = stored;
    await engine.start({ ...next, run: id, flow: of, version: flow.version, startedAt: host.now() });
    return { run: id };
  }

  onEnd(fn: (end: DurableEnd) => void | Promise<void>): void {
    this.onEnds.push(fn);
  }

  async close(graceMs: number): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.stopPruning?.();
    await this.engines?.executor.close(graceMs);
    await this.engines?.engine.close();
  }

  // -------------------------------------------------------------------------------------------------------- the engine

  private opened(): Opened {
    if (this.closed) throw new ServiceError('draining');
    this.engines ??= this.open();
    return this.engines;
  }

  /** The engine where it was ever used; to look into nothing it is not opened. */
  private ifUsed(): DurableEngine | undefined {
    if (this.engines === undefined && !this.parts.exists()) return undefined;
    return this.opened().engine;
  }

  private open(): Opened {
    const engine = this.parts.open();
    const shelf = new FlowShelf(engine, this.parts);
    const turns = this.turns(engine, shelf);
    const executor = new Executor({
      ...this.parts,
      turns,
      maxSteps: engine.maxSteps,
      shelf,
    });
    const opened = { engine, executor, turns, shelf };
    if (this.resumed) void this.begin(opened);
    this.stopPruning = startPruning({ ...this.parts, engine, complain: (error) => this.complain(error) });
    return opened;
  }

  private async begin({ engine, executor, turns }: Opened): Promise<void> {
    try {
      await turns.recover();
    } catch (error) {
      this.complain(error);
    }
    if (this.closed) return;
    engine.begin({
      carryOn: (pass) => executor.carryOn(pass),
      parked: ({ run }) => this.listeners.tell(run, 'any'),
      ended: (run) => {
        turns.ended(run.run);
        void this.tell(run, engine);
      },
    });
    await wakeAnswered(engine, this.parts.waits).catch((error: unknown) => this.complain(error));
  }

  private turns(engine: DurableEngine, shelf: FlowShelf): Turns {
    const { limits = new RunLimits(), values } = this.parts;
    const request = ({ run, input }: StoredRun) => (values(run).read(input) as KeptInput).request;
    return new Turns({
      limits,
      engine,
      flow: shelf.flow.bind(shelf),
      request,
      complain: (error) => this.complain(error),
    });
  }

  private complain(error: unknown): void {
    if (!this.closed) this.parts.log.error({ err: error }, 'the durable runs could not be looked after');
  }

  private async wake(run: string): Promise<void> {
    try {
      if (this.ifUsed() === undefined) return;
      const { engine, executor } = this.opened();
      executor.poke(run);
      await engine.wake(run);
    } catch (error) {
      this.complain(error);
    }
  }

  private async tell(stored: StoredRun, engine: DurableEngine): Promise<void> {
    const { run } = stored;
    this.listeners.tell(run, 'ended');
    try {
      const end = this.view(stored) as DurableEnd;
      await this.parts.waits.close(run);
      for (const fn of this.onEnds) await fn(end);
      await engine.told(run);
    } catch (error) {
      this.complain(error);
      if (!this.closed) this.parts.host.timer(TELL_AGAIN_MS, () => void this.tell(stored, engine));
    }
  }

  private view(stored: StoredRun): DurableView {
    return viewOf(stored, this.parts.values(stored.run));
  }
}
