import { setTimeout as sleep } from 'node:timers/promises';
import type { DurableEngine, EngineHost, RecordedStep } from '../port.ts';
import type { Removed } from '../postgres/shared-rows.ts';
import { SharedRowsEngine, type SharedRowsEngineDeps } from '../postgres/shared-rows-engine.ts';
import { RECORD_LIMITS, type RecordLimits } from '../size.ts';
import { Passes } from './passes.ts';
import type { RestateLink } from './restate-link.ts';
import { BEAT_MS } from './run-claims.ts';
import type { Reason, StepsPage } from './run-object.ts';
import { RESTATE } from './run-rows.ts';

/** How often passes here look whether they were woken elsewhere, in milliseconds. */
const LOOK_MS = 1000;
const CLOSE_MS = 5000;
/**
 * Restate gives an invocation 32 MB for all that it is sent, and one that needs more waits for ever. A character may take
 * two bytes there.
 */
const LIMITS: RecordLimits = { ...RECORD_LIMITS, size: 14_000_000 };

interface Deps extends SharedRowsEngineDeps {
  readonly link: RestateLink;
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
class RestateEngine extends SharedRowsEngine<Deps> {
  private readonly passes: Passes;

  constructor(deps: Deps) {
    super(deps, LIMITS);
    this.passes = new Passes({ ...deps, rows: this.rows, complain: this.complain });
  }

  protected takePart(host: EngineHost): void {
    const { bus, link } = this.deps;
    this.stops.push(
      bus.subscribe('run-woken', (run, isOwn) => {
        if (!isOwn && this.passes.has(run)) void this.passes.tellWoken().catch(this.complain);
      }),
      this.passes.begin(host),
    );
    this.timers.every(LOOK_MS, () => this.passes.tellWoken());
    this.timers.every(BEAT_MS, async () => this.passes.beat());
    link.carry(this.passes);
  }

  protected make(run: string): Promise<void> {
    return this.send(run, 'start');
  }

  /** A pass on another server hears of it at once. */
  protected async spread(run: string): Promise<void> {
    this.deps.bus.publish('run-woken', run);
    await this.send(run, 'wake').catch(this.complain);
  }

  protected async catchUp(): Promise<void> {
    const { rows } = this;
    const { link } = this.deps;
    for (const run of await rows.unmade()) {
      await link.send(run, 'pass', { why: 'start' });
      await rows.setWorkflow(run, RESTATE);
    }
    for (const run of await rows.unseen()) await link.send(run, 'pass', { why: 'wake' });
  }

  protected override async sweep(): Promise<void> {
    await super.sweep();
    this.isAway = false;
  }

  protected async removeRecords(runs: readonly Removed[]): Promise<void> {
    await Promise.all(runs.map(({ run }) => this.deps.link.send(run, 'forget', null)));
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

  private async send(run: string, why: Reason): Promise<void> {
    await this.deps.link.send(run, 'pass', { why });
    this.isAway = false;
  }
}
