import type { FastifyBaseLogger } from 'fastify';
import type { FlowSnapshots } from './flow-snapshots.ts';
import type { Pass, PassEnd, TurnOrder } from './port.ts';
import { readInput } from './run-input.ts';
import type { Values } from './values.ts';
import type { Walk, WalkDeps } from './walk.ts';

export interface ExecutorDeps extends WalkDeps {
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  readonly turns: Pick<TurnOrder, 'mayGoOn'>;
  readonly values: (run: string) => Values;
  readonly snapshots: Pick<FlowSnapshots, 'flow' | 'text'>;
}

/** Executes durable runs: each pass interprets the whole flow again, with the records of earlier passes. */
export class Executor {
  private readonly deps: ExecutorDeps;
  private readonly walks = new Map<string, Walk>();
  private closing = false;

  constructor(deps: ExecutorDeps) {
    this.deps = deps;
  }

  /** Checks the run's waits again, if it is in a pass. */
  poke(run: string): void {
    this.walks.get(run)?.context.poke();
  }

  /** Ends the run, if it is in a pass. */
  cancel(run: string): void {
    this.walks.get(run)?.context.cancel();
  }

  /** Stops a run that another server has taken: it does nothing here any more. */
  drop(run: string): void {
    this.walks.get(run)?.suspend(true);
  }

  /** Rejects if the pass had to be given up, which is logged here. */
  async carryOn(pass: Pass): Promise<PassEnd> {
    const { run, flow } = pass.run;
    try {
      return await this.walk(pass);
    } catch (error) {
      this.deps.log.error(
        { err: error, run, flow },
        'a durable run could not be continued; it will be retried',
      );
      throw error;
    } finally {
      this.walks.delete(run);
    }
  }

  /** Gives steps in flight `graceMs` to end, then leaves all runs where they are. */
  async close(graceMs: number): Promise<void> {
    this.closing = true;
    const late = Promise.withResolvers<void>();
    const stop = this.deps.host.timer(graceMs, late.resolve);
    const quiet = [...this.walks.values()].map(({ context }) => context.quiet());
    await Promise.race([late.promise, Promise.all(quiet)]);
    stop();
    for (const walk of [...this.walks.values()]) walk.suspend();
  }

  private async walk(pass: Pass): Promise<PassEnd> {
    const { turns, snapshots } = this.deps;
    const values = this.deps.values(pass.run.run);
    const input = await readInput(pass.run, values, snapshots);
    if (!(await turns.mayGoOn(pass, input))) return { kind: 'parked', waitingFor: '[]' };
    // Servers without durable runs do not load it.
    const { Walk: WalkOfRun } = await import('./walk.ts');
    if (this.closing) return { kind: 'suspended' };
    const plan = input.flow.compiled.plans.get(input.trigger);
    if (plan?.hidesFields === true) values.sealAll();
    const walk = new WalkOfRun(this.deps, { pass, input, values });
    this.walks.set(pass.run.run, walk);
    return walk.go();
  }
}
