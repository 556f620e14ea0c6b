import { setTimeout as sleep } from 'node:timers/promises';
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
import { SharedRows } from '../postgres/shared-rows.ts';
import { SharedTurns } from '../postgres/shared-turns.ts';
import { RECORD_LIMITS, type RecordLimits } from '../size.ts';
import { Passes } from './passes.ts';
import type { RestateLink } from './restate-link.ts';
import type { Reason, StepsPage } from './run-object.ts';
import { Timers } from '../timers.ts';
import { RESTATE } from './run-rows.ts';

/** How often passes here look whether they were woken elsewhere, in milliseconds. */
const LOOK_MS = 1000;
/** How often what dead servers left is looked for, in milliseconds. */
const SWEEP_MS = 3000;
const CLOSE_MS = 5000;
/**
 * Restate gives an invocation 32 MB for all that it is sent, and one that needs more waits for ever. A character may take
 * two bytes there.
 */
const LIMITS: RecordLimits = { ...RECORD_LIMITS, size: 14_000_000 };

interface Deps {
  readonly sql: Sql;
  readonly link: RestateLink;
  readonly bus: Pick<Bus, 'publish' | 'subscribe' | 'onGap'>;
  /** This server among the others, as they know it. */
  readonly node: string;
  /** Whether this server has a job that one server is to do; by default it is the only one. */
  readonly alone?: (job: string) => Promise<boolean>;
  /** Unix milliseconds by the database's clock. */
  readonly now: () => number;
  /** False: this server gives runs to Restate, and leaves all that is done for them to others. */
  readonly executes?: boolean;
  /** Called if the runs could not be maintained. */
  readonly complain: (error: unknown) => void;
}

/** The port over Restate. `kill` stops it where it is, as a crash does. */
export function createRestateEngine(deps: Deps): DurableEngine & { kill(): Promise<void> } {
  return new RestateEngine(deps);
}

/**
 * This server's share of the durable runs that Restate carries on: their records, timers and order are Restate's, the
 * facts about them rows of the database.
 * RE1. A run is accepted once its row is written. Whatever Restate was not told since is found by `sweep`.
 * RE2. A reason to go on is counted in the run's row before Restate is told; a pass that parks looks at the count.
 */
class RestateEngine implements DurableEngine {
  readonly shared: SharedEngine;
  private readonly deps: Deps;
  private readonly rows: SharedRows;
  private readonly passes: Passes;
  private readonly stops: (() => void)[] = [];
  private readonly timers = new Timers((error) => this.complain(error));
  private host: EngineHost | undefined;
  private turns: SharedTurns | undefined;
  private isAway = false;
  private closed = false;

  constructor(deps: Deps) {
    const { sql, now } = deps;
    this.deps = deps;
    this.rows = new SharedRows(sql);
    this.passes = new Passes({ ...deps, rows: this.rows, complain: (error) => this.complain(error) });
    this.shared = {
      limits: LIMITS,
      waiting: () => this.rows.waiting(),
      turns: (limits) =>
        (this.turns = new SharedTurns({
          sql,
          limits,
          now,
          complain: this.complain,
          wake: (run) => this.wake(run),
        })),
    };
  }

  begin(host: EngineHost): void {
    const { bus, link, executes = true } = this.deps;
    this.stops.push(
      bus.subscribe('run-woken', (run, isOwn) => {
        if (!isOwn && this.passes.has(run)) void this.passes.tellWoken().catch(this.complain);
      }),
      bus.subscribe('run-settled', (run, isOwn) => {
        if (!isOwn) host.settledElsewhere?.(run);
      }),
      bus.onGap(() => host.settledElsewhere?.()),
    );
    this.timers.every(SWEEP_MS, async () => host.settledElsewhere?.());
    if (!executes) return;
    this.host = host;
    this.timers.every(LOOK_MS, () => this.passes.tellWoken());
    this.timers.every(SWEEP_MS, async () => {
      if (await (this.deps.alone?.('durable-sweep') ?? true)) await this.sweep();
    });
    this.stops.push(this.passes.begin(host));
    link.carry(this.passes);
    void this.sweep().catch(this.complain);
  }

  async start(run: NewRun): Promise<{ run: string; created: boolean }> {
    const known = await this.rows.add(run);
    if (known !== undefined) return { run: known, created: false };
    await this.send(run.run, 'start');
    return { run: run.run, created: true };
  }

  async wake(run: string): Promise<void> {
    if ((await this.rows.wake(run)) !== undefined) await this.spread(run);
  }

  async cancel(run: string, by: string): Promise<boolean> {
    if ((await this.rows.cancel(run, by)) === undefined) return false;
    await this.spread(run);
    return true;
  }

  async get(run: string): Promise<StoredRun | undefined> {
    return (await this.rows.find(run))?.stored;
  }

  list(query: StoredQuery): Promise<StoredRun[]> {
    return this.rows.list(query);
  }

  async steps(run: string): Promise<RecordedStep[]> {
    const found = await this.rows.find(run);
    if (found === undefined) return [];
    const steps = [...found.given];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const page: StepsPage = await this.deps.link.call(run, 'steps', { from });
      steps.push(...page.steps);
      from = page.next;
    }
    return steps;
  }

  putText(name: string, text: string): Promise<void> {
    return this.rows.putText(name, text);
  }

  getText(name: string): Promise<string | undefined> {
    return this.rows.getText(name);
  }

  /** Those that somebody relied on lately stay, whichever server it was. */
  dropTexts(): Promise<void> {
    return this.rows.dropTexts();
  }

  told(run: string, input?: string): Promise<void> {
    return this.rows.told(run, input);
  }

  async prune(time: number): Promise<string[]> {
    const all: string[] = [];
    for (;;) {
      const gone = await this.remove((await this.rows.endedBefore(time)).map(({ run }) => run));
      if (gone.length === 0) return all;
      all.push(...gone);
    }
  }

  async forget(runs: readonly string[]): Promise<Forgotten> {
    const gone = await this.remove((await this.rows.ended(runs)).map(({ run }) => run));
    return { gone, left: await this.rows.known(runs) };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.stop();
    await Promise.race([this.passes.close(), sleep(CLOSE_MS, undefined, { ref: false })]);
    await this.deps.link.close();
  }

  async kill(): Promise<void> {
    this.stop();
    this.passes.kill();
    await this.deps.link.kill();
  }

  // ------------------------------------------------------------------------------------------------ what is to be told

  /** Lets a run go on for which a reason was counted: a pass on another server hears of it at once. */
  private async spread(run: string): Promise<void> {
    this.deps.bus.publish('run-woken', run);
    await this.send(run, 'wake');
  }

  /** If Restate does not hear of it, `sweep` tells it later. */
  private async send(run: string, why: Reason): Promise<void> {
    try {
      await this.deps.link.send(run, 'pass', { why });
      this.isAway = false;
    } catch (error) {
      this.complain(error);
    }
  }

  /** Does what servers left that died in between. */
  private async sweep(): Promise<void> {
    const { rows, host, deps } = this;
    for (const ended of await rows.takeUntold(deps.node)) host?.ended(ended);
    for (const run of await rows.unmade()) {
      await deps.link.send(run, 'pass', { why: 'start' });
      await rows.setWorkflow(run, RESTATE);
    }
    for (const run of await rows.unseen()) await deps.link.send(run, 'pass', { why: 'wake' });
    await host?.decided?.(await rows.decided());
    await this.turns?.sweep();
    this.isAway = false;
  }

  /** Their records first: a run whose row is gone is known to nobody. */
  private async remove(runs: readonly string[]): Promise<string[]> {
    await Promise.all(runs.map((run) => this.deps.link.send(run, 'forget', null)));
    await this.rows.remove(runs);
    return [...runs];
  }

  /** Once for each time that the database or Restate is away. */
  private readonly complain = (error: unknown): void => {
    const isAway = (error as { readonly code?: unknown } | undefined)?.code === 'storage_failed';
    if (this.closed || (isAway && this.isAway)) return;
    this.isAway = isAway;
    this.deps.complain(error);
  };

  private stop(): void {
    this.closed = true;
    for (const stop of this.stops.splice(0)) stop();
    this.timers.stop();
  }
}
