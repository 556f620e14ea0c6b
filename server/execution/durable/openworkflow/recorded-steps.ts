import type { DatabaseSync } from 'node:sqlite';
import type { BackendSqlite } from 'openworkflow/sqlite';
import type { RecordedStep } from '../port.ts';
import type { Recording } from './protocol.ts';
import { addStep, dropSteps, inTransaction, type Kept, stepsOf, waitsOf } from './workflow-table.ts';

type Claimed = Awaited<ReturnType<BackendSqlite['claimWorkflowRun']>>;

/**
 * The recorded steps of runs, in the library's table.
 * OJ1. A step is one statement, or one transaction with the records that it replaces: it is stored completely or not at all, and only
 *      by the claimant of the run.
 * OJ2. A run has as many steps as it needs: the library's limit of 1,000 applies to its executor, which sees only
 *      waits.
 * OJ3. The cost of recording a step does not depend on the number of steps, of this run or of others.
 */
export class RecordedSteps {
  private readonly db: DatabaseSync;
  private readonly backend: BackendSqlite;
  /** The claimant of each workflow. */
  private readonly owners = new Map<string, string>();

  constructor(db: DatabaseSync, backend: BackendSqlite) {
    this.db = db;
    this.backend = backend;
    backend.listStepAttempts = (params) => this.listWaits(params.workflowRunId);
  }

  /** Call it for each claim, before the workflow is executed. */
  claimed(workflow: Claimed): void {
    if (workflow?.workerId) this.owners.set(workflow.id, workflow.workerId);
  }

  /** Call it when the workflow is no longer executed. */
  left(workflow: string): void {
    this.owners.delete(workflow);
  }

  /** The workflows that are claimed and not released, including those that have not started yet. */
  owned(): ReadonlySet<string> {
    return new Set(this.owners.keys());
  }

  /** In recording order; `next` is the number of the next one. */
  steps(workflow: string): { readonly steps: RecordedStep[]; readonly next: number } {
    return stepsOf(this.db, workflow);
  }

  /** Throws if the step cannot be written, or if the workflow has another claimant. */
  record(
    workflow: string,
    { key, kept, replaces }: Omit<Recording, 'result'> & { readonly kept: Kept },
  ): void {
    const { db } = this;
    const owner = this.owners.get(workflow);
    const add = (): void => {
      if (owner === undefined || !addStep(db, { workflow, owner, key, kept }))
        throw new Error(`The run of step ${key} is executed elsewhere.`);
    };
    if (replaces.length === 0) add();
    else
      inTransaction(db, () => {
        add();
        dropSteps(db, workflow, replaces);
      });
  }

  private async listWaits(workflow: string): ReturnType<BackendSqlite['listStepAttempts']> {
    const ids = waitsOf(this.db, workflow);
    const waits = await Promise.all(
      ids.map((stepAttemptId) => this.backend.getStepAttempt({ stepAttemptId })),
    );
    return { data: waits.filter((wait) => wait !== null), pagination: { next: null, prev: null } };
  }
}
