import type { Bus } from '../../../storage/database/bus.ts';
import type { SharedRows, SharedRun } from './shared-rows.ts';
import type { Workflows } from './workflows.ts';

interface Deps {
  readonly rows: SharedRows;
  readonly workflows: Workflows;
  readonly bus: Pick<Bus, 'publish'>;
  /** Called when a run may be due. */
  readonly due: () => void;
}

/**
 * Makes runs executable: by creating a workflow, or by the signal that a parked one waits for.
 * WK1. A reason to continue is counted before it is passed on. A pass that parks its run checks the count afterwards,
 *      so a server that saw the run claimed may rely on that; one that saw it idle sends the signal that the park waits
 *      for.
 * WK2. Each park waits for a signal of its own: a late one wakes nothing, and takes no other's place.
 * WK3. `sweep` finds runs that were counted or accepted and got no further.
 */
export class Waking {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Makes an accepted run executable. */
  async make(run: string): Promise<void> {
    const { rows, workflows, due } = this.deps;
    await rows.setWorkflow(run, await workflows.create(run));
    due();
  }

  /** Continues a run that has a reason. */
  async spread(run: string, woken: SharedRun): Promise<void> {
    const { workflows, bus } = this.deps;
    bus.publish('run-woken', run);
    if (woken.workflow !== undefined && (await workflows.isIdle(woken.workflow))) await this.send(run, woken);
  }

  /** Call it once a run was parked: `wakes` are the reasons that its pass knew. */
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

/** The signal that a park waits for. */
export function signalOf(run: string, { parks }: Pick<SharedRun, 'parks'>): string {
  return `wake:${run}#${parks}`;
}
