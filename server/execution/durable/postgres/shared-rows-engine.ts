import type { Bus } from '../../../storage/database/bus.ts';
import type { Sql } from '../../../storage/database/sql.ts';
import type {
  DurableEngine,
  EngineHost,
  Forgotten,
  NewRun,
  RecordedStep,
  SharedEngine,
  StoredQuery,
  StoredRun,
} from '../port.ts';
import type { RecordLimits } from '../size.ts';
import { Timers } from '../timers.ts';
import { type Removed, SharedRows, type SharedRun } from './shared-rows.ts';
import { SharedTurns } from './shared-turns.ts';

/** How often the work of dead servers is searched for, in milliseconds. */
const SWEEP_MS = 3000;

export interface SharedRowsEngineDeps {
  readonly sql: Sql;
  readonly bus: Pick<Bus, 'publish' | 'subscribe' | 'onGap'>;
  /** The id of this server among the others. */
  readonly node: string;
  /** Whether this server has a job that only one server does; by default it is the only one. */
  readonly alone?: (job: string) => Promise<boolean>;
  /** Unix milliseconds by the database's clock. */
  readonly now: () => number;
  /** False: this server accepts runs and reports on them, and leaves their execution to others. */
  readonly executes?: boolean;
  /** Called if the runs could not be maintained. */
  readonly complain: (error: unknown) => void;
}

/** The part of the durable runs in a database that does not depend on their executor. `kill` stops it at once, like a crash. */
export abstract class SharedRowsEngine<Deps extends SharedRowsEngineDeps> implements DurableEngine {
  readonly shared: SharedEngine;
  protected readonly deps: Deps;
  protected readonly rows: SharedRows;
  protected readonly stops: (() => void)[] = [];
  protected readonly timers = new Timers((error) => this.failed(error));
  /** Undefined if this server executes no runs. */
  protected host: EngineHost | undefined;
  /** Whether the failure in progress was reported already. */
  protected isAway = false;
  protected closed = false;
  private turns: SharedTurns | undefined;

  constructor(deps: Deps, limits?: RecordLimits) {
    const { sql, now } = deps;
    this.deps = deps;
    this.rows = new SharedRows(sql);
    this.shared = {
      ...(limits && { limits }),
      waiting: () => this.rows.waiting(),
      turns: (turnLimits) =>
        (this.turns = new SharedTurns({
          sql,
          limits: turnLimits,
          now,
          complain: this.complain,
          wake: (run) => this.wake(run),
        })),
    };
  }

  abstract steps(run: string): Promise<RecordedStep[]>;
  abstract close(): Promise<void>;
  abstract kill(): Promise<void>;

  /** Starts executing runs. */
  protected abstract takePart(host: EngineHost): void;
  /** Makes an accepted run ready for execution. If this fails, `catchUp` repeats it. */
  protected abstract make(run: string): Promise<void>;
  /** Continues a run for which a reason was counted. */
  protected abstract spread(run: string, woken: SharedRun): Promise<void>;
  /** Creates and announces runs that dead servers left incomplete. */
  protected abstract catchUp(): Promise<void>;
  /** Removes the data of runs elsewhere before their rows are removed: a run without a row could no longer be found. */
  protected abstract removeRecords(runs: readonly Removed[]): Promise<void>;

  begin(host: EngineHost): void {
    this.follow(host);
    if (this.deps.executes === false) return;
    this.host = host;
    this.takePart(host);
    this.timers.every(SWEEP_MS, async () => {
      if (await (this.deps.alone?.('durable-sweep') ?? true)) await this.sweep();
    });
    void this.sweep().catch(this.complain);
  }

  async start(run: NewRun): Promise<{ run: string; created: boolean }> {
    const known = await this.rows.add(run);
    if (known !== undefined) return { run: known, created: false };
    await this.make(run.run).catch(this.complain);
    return { run: run.run, created: true };
  }

  async wake(run: string): Promise<void> {
    const woken = await this.rows.wake(run);
    if (woken !== undefined) await this.spread(run, woken);
  }

  async cancel(run: string, by: string): Promise<boolean> {
    const woken = await this.rows.cancel(run, by);
    if (woken === undefined) return false;
    await this.spread(run, woken);
    return true;
  }

  async get(run: string): Promise<StoredRun | undefined> {
    return (await this.rows.find(run))?.stored;
  }

  list(query: StoredQuery): Promise<StoredRun[]> {
    return this.rows.list(query);
  }

  putText(name: string, text: string): Promise<void> {
    return this.rows.putText(name, text);
  }

  getText(name: string): Promise<string | undefined> {
    return this.rows.getText(name);
  }

  /** Texts that any server has recently used stay. */
  dropTexts(): Promise<void> {
    return this.rows.dropTexts();
  }

  told(run: string, input?: string): Promise<void> {
    return this.rows.told(run, input);
  }

  async prune(time: number): Promise<string[]> {
    const all: string[] = [];
    for (;;) {
      const gone = await this.remove(await this.rows.endedBefore(time));
      if (gone.length === 0) return all;
      all.push(...gone);
    }
  }

  async forget(runs: readonly string[]): Promise<Forgotten> {
    const gone = await this.remove(await this.rows.ended(runs));
    return { gone, left: await this.rows.known(runs) };
  }

  protected stop(): void {
    this.closed = true;
    for (const stop of this.stops.splice(0)) stop();
    this.timers.stop();
  }

  /** Called when one round of a repeated task has failed. */
  protected failed(error: unknown): void {
    this.complain(error);
  }

  /** Reports each outage of the database or the executor once. */
  protected readonly complain = (error: unknown): void => {
    const isAway = (error as { readonly code?: unknown } | undefined)?.code === 'storage_failed';
    if (this.closed || (isAway && this.isAway)) return;
    this.isAway = isAway;
    this.deps.complain(error);
  };

  /** Reports the events of runs on other servers to the host. */
  private follow(host: EngineHost): void {
    const { bus } = this.deps;
    this.stops.push(
      bus.subscribe('run-settled', (run, isOwn) => (isOwn ? undefined : host.settledElsewhere?.(run))),
      bus.onGap(() => host.settledElsewhere?.()),
    );
    this.timers.every(SWEEP_MS, async () => host.settledElsewhere?.());
  }

  /** Completes the work of dead servers. */
  protected async sweep(): Promise<void> {
    const { rows, host, deps } = this;
    for (const ended of await rows.takeUntold(deps.node)) host?.ended(ended);
    await this.catchUp();
    await host?.decided?.(await rows.decided());
    await this.turns?.sweep();
  }

  private async remove(removed: readonly Removed[]): Promise<string[]> {
    await this.removeRecords(removed);
    const runs = removed.map(({ run }) => run);
    await this.rows.remove(runs);
    return runs;
  }
}
