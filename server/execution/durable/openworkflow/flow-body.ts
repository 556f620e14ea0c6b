import type { DatabaseSync } from 'node:sqlite';
import type { OpenWorkflow } from 'openworkflow';
import type { PassEnd } from '../port.ts';
import type { RecordedSteps } from './recorded-steps.ts';
import type { Passes } from './passes.ts';
import type { FromEngine, Recording } from './protocol.ts';
import type { RunTable } from './run-table.ts';
import { dropWaits, waitsOf } from './workflow-table.ts';

export type Body = Parameters<OpenWorkflow['defineWorkflow']>[1];
type BodyCall = Parameters<Body>[0];
type Step = BodyCall['step'];

/** The input of a workflow. */
export interface BodyInput {
  readonly run: string;
}

interface Deps {
  readonly db: DatabaseSync;
  readonly recorded: RecordedSteps;
  readonly table: RunTable;
  readonly passes: Passes;
  readonly send: (message: FromEngine) => void;
}

/**
 * The one body of all workflows: it makes the server interpret the run's flow, pass by pass.
 * FB1. Each park waits for one signal with a unique name; the rows of finished waits are removed.
 * FB2. A run that is woken during a pass does not park after it, so no signal is ever lost.
 */
export class FlowBody {
  private readonly deps: Deps;
  /** Runs in a pass. */
  private readonly runs = new Set<string>();
  private readonly woken = new Set<string>();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  get size(): number {
    return this.runs.size;
  }

  /** Call it before the signal is sent. */
  wake(run: string): void {
    if (this.runs.has(run)) this.woken.add(run);
  }

  async run({ input, step, run: { id } }: BodyCall): Promise<void> {
    const { run } = input as BodyInput;
    this.runs.add(run);
    try {
      await this.takeSignal(run, id, step);
      while (await this.pass(run, id, step));
    } finally {
      this.runs.delete(run);
      this.woken.delete(run);
    }
  }

  /**
   * Takes the signal that ended the last park, or its time. If that wait has no record, the process died before it was
   * made or after it was taken; waiting would then last for ever, so a pass determines what to wait for.
   */
  private async takeSignal(run: string, id: string, step: Step): Promise<void> {
    const { db, table } = this.deps;
    if (waitsOf(db, id).length === 0) return;
    await step.waitForSignal(signalOf(run, table.parks(run)));
    dropWaits(db, id);
  }

  /** False if the run is over. Parks by the error that the library throws. */
  private async pass(run: string, id: string, step: Step): Promise<boolean> {
    const { table, recorded, passes, send } = this.deps;
    const given = table.given(run);
    const { steps, next } = recorded.steps(id);
    const known = [...given, ...steps];
    let n = Math.max(next, given.length);
    const record = ({ key, result, replaces }: Recording): void =>
      recorded.record(id, { key, kept: { n: n++, result }, replaces });
    const begun = table.begin(run);
    // The process died between writing the run's end and the workflow's.
    if (begun === undefined) return false;
    const end = await passes.execute(begun, known, record);
    if (end.kind === 'parked') return this.park(run, end, step);
    if (end.kind === 'ended') send({ ended: table.end(run, end) });
    else await new Promise(() => {});
    return false;
  }

  private async park(run: string, end: Extract<PassEnd, { kind: 'parked' }>, step: Step): Promise<true> {
    const { table, send } = this.deps;
    const stored = table.park(run, end.waitingFor);
    send({ parked: stored });
    if (this.woken.delete(run)) return true;
    const timeout = end.until === undefined ? {} : { timeout: new Date(end.until) };
    await step.waitForSignal({ ...signalOf(run, table.parks(run)), ...timeout });
    return true;
  }
}

/** The signal that wakes a run, and the name of the wait for it at this park. */
export function signalOf(run: string, park?: number): { signal: string; name: string } {
  return { signal: `wake:${run}`, name: `wake#${park}` };
}
