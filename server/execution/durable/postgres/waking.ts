import type { Bus } from '../../../storage/database/bus.ts';
import type { SharedRows, SharedRun } from './shared-rows.ts';
import type { Workflows } from './workflows.ts';

interface Deps {
  readonly rows: SharedRows;
  readonly workflows: Workflows;
  readonly bus: Pick<Bus, 'publish'>;
  /** Something is due. */
  readonly due: () => void;
}

/**
 * How runs come to be executed: by a workflow that is made, or by the signal that a parked one waits for.
 * WK1. A reason to go on is counted before anybody is told. A pass that parks its run looks at the count afterwards, so
 *      whoever saw the run claimed may rely on that; whoever saw it idle sends the signal that the park waits for.
 * WK2. Each park waits for a signal of its own: one that is late wakes nobody, and takes nobody's place.
 * WK3. What was counted or accepted and got no further is found by `sweep`.
 */
export class Waking {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** An accepted run can be executed from now on. */
  async make(run: string): Promise<void> {
    const { rows, workflows, due } = this.deps;
    await rows.setWorkflow(run, await workflows.create(run));
    due();
  }

  /** Lets a run go on for which there is a reason. */
  async spread(run: string, woken: SharedRun): Promise<void> {
    const { workflows, bus } = this.deps;
    bus.publish('run-woken', run);
    if (woken.workflow !== undefined && (await workflows.isIdle(woken.workflow))) await this.send(run, woken);
  }

  /** To be called once a run was parked: `wakes` are the reasons that its pass knew of. */
  async parked(run: string, wakes: number): Promise<void> {
    const now = await this.deps.rows.find(run);
    if (now !== undefined && now.wakes !== wakes) await this.send(run, now);
  }

  async sweep(): Promise<void> {
    const { rows } = this.deps;
    for (const run of await rows.unmade()) await this.make(run);
    for (const run of await rows.unseen()) {
      const found = await rows.find(run);
      if (found !== undefined && found.isUnseen) await this.spread(run, found);
    }
  }

  private async send(run: string, parked: SharedRun): Promise<void> {
    await this.deps.workflows.signal(signalOf(run, parked));
    this.deps.due();
  }
}

/** What a park waits for. */
export function signalOf(run: string, { parks }: Pick<SharedRun, 'parks'>): string {
  return `wake:${run}#${parks}`;
}
