import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunRequest, Leave } from '../../flows/service/run-request.ts';
import { isLimited, type Limited, type RunLimits } from '../runs/run-limits.ts';
import type { DurableEngine, Pass, StoredRun, TurnOrder } from './port.ts';
import { writeRecord } from './step-record.ts';

export interface TurnsDeps {
  readonly limits: RunLimits;
  readonly engine: Pick<DurableEngine, 'steps' | 'wake'>;
  /** The input that a run was started with. */
  readonly request: (stored: StoredRun) => RunRequest['request'];
  readonly flow: (id: string, version: string) => Promise<LiveFlow>;
  /** Called if waking a run fails. */
  readonly complain: (error: unknown) => void;
}

/** Recorded with a run before it does anything; it cannot be the id of a node. */
const BEGUN = '#begun';
const record = writeRecord({ order: [], text: '{"v":true}' });

/**
 * The order in which runs of flows with `settings.maxRuns` get their turn.
 * DT1. Never more runs are started and unfinished than the flow allows, across restarts: the start of a run is stored
 *      before it does anything.
 * DT2. The others start in the order of their calls, or not at all if the flow refuses them.
 */
export class Turns implements TurnOrder {
  private readonly deps: TurnsDeps;
  private readonly places = new Map<string, Leave>();
  private readonly queued = new Map<string, () => void>();
  private readonly recovered = Promise.withResolvers<void>();

  constructor(deps: TurnsDeps) {
    this.deps = deps;
  }

  /** Gives places to the runs of an earlier process, oldest first. Await it before any run continues. */
  async recover(unfinished: readonly StoredRun[]): Promise<void> {
    try {
      await this.placeAgain(unfinished);
    } finally {
      this.recovered.resolve();
    }
  }

  async reserve(run: string, limited: Limited): Promise<void> {
    if (!isLimited(limited) || limited.flow.flow.settings?.whenFull !== 'reject') return;
    await this.recovered.promise;
    this.places.set(run, await this.deps.limits.place(limited));
  }

  private async placeAgain(unfinished: readonly StoredRun[]): Promise<void> {
    const { engine, limits } = this.deps;
    const unbegun: [run: string, limited: Limited][] = [];
    for (const stored of unfinished) {
      const flow = await this.deps.flow(stored.flow, stored.version);
      if (!isLimited({ flow })) continue;
      const limited = { flow, request: this.deps.request(stored) };
      const steps = await engine.steps(stored.run);
      if (steps.some(({ key }) => key === BEGUN)) this.places.set(stored.run, limits.claim(limited));
      else unbegun.push([stored.run, limited]);
    }
    for (const [run, limited] of unbegun) this.enqueue(run, limited);
  }

  async mayGoOn(pass: Pass, request: Limited): Promise<boolean> {
    const { run, cancelledBy } = pass.run;
    if (!isLimited(request) || cancelledBy !== undefined) return true;
    if (!this.places.has(run) && !this.queued.has(run)) this.enqueue(run, request);
    if (!this.places.has(run)) return false;
    await pass.step(BEGUN, async () => record);
    return true;
  }

  ended(run: string): void {
    this.queued.get(run)?.();
    this.queued.delete(run);
    this.places.get(run)?.();
    this.places.delete(run);
  }

  private enqueue(run: string, limited: Limited): void {
    let isLate = false;
    const giveUp = this.deps.limits.wait(limited, (leave) => {
      this.queued.delete(run);
      this.places.set(run, leave);
      if (isLate) this.deps.engine.wake(run).catch(this.deps.complain);
    });
    isLate = true;
    if (!this.places.has(run)) this.queued.set(run, giveUp);
  }
}
