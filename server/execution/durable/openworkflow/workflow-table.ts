import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { RecordedStep } from '../port.ts';

/**
 * Reads and repairs the library's own tables, past its interface; its version is pinned, and the conformance suite
 * covers each of these.
 */

export const WORKFLOW = 'flow-run';
/** First in each of the library's indexes: without it a table is scanned completely. */
const HERE = "namespace_id = 'default'";
const OURS = `${HERE} AND workflow_name = '${WORKFLOW}'`;
const WAITS = `FROM step_attempts WHERE ${HERE} AND workflow_run_id = ? AND kind = 'signal-wait'`;
const DROP_SIGNALS = `DELETE FROM workflow_signals WHERE ${HERE} AND step_attempt_id IN (SELECT id ${WAITS})`;

/** A lease never expires while the thread lives: the folder is locked, so no other process can work on the run. */
export const LEASE_MS = 10 * 365 * 24 * 3600 * 1000;

/** Each claim of the library looks for workflows past their deadline; without this index it reads all parked ones. */
export function arrangeIndexes(db: DatabaseSync): void {
  db.exec(
    'CREATE INDEX IF NOT EXISTS weft_deadlines ON workflow_runs (namespace_id, deadline_at) WHERE deadline_at IS NOT NULL',
  );
}

/** Releases the leases of runs that are not executed; without `active`, of all runs. */
export function releaseLeases(db: DatabaseSync, active: ReadonlySet<string> = new Set()): void {
  const owned = db
    .prepare(`SELECT id FROM workflow_runs WHERE ${HERE} AND status = 'running' AND worker_id IS NOT NULL`)
    .all();
  const release = db.prepare(
    `UPDATE workflow_runs SET worker_id = NULL, available_at = ? WHERE ${HERE} AND id = ?`,
  );
  const now = new Date().toISOString();
  for (const { id } of owned) if (!active.has(String(id))) release.run(now, String(id));
}

/** When the next unclaimed run can continue, in Unix milliseconds. */
export function nextDue(db: DatabaseSync): number | undefined {
  const row = db
    .prepare(
      `SELECT min(available_at) AS at FROM workflow_runs WHERE ${HERE} AND status IN ('pending', 'running') AND worker_id IS NULL`,
    )
    .get();
  const at = row?.['at'];
  return typeof at === 'string' ? Date.parse(at) : undefined;
}

/** Retries a run whose pass was given up now instead of after its delay. */
export function hasten(db: DatabaseSync, run: string): void {
  const now = new Date().toISOString();
  db.prepare(
    `UPDATE workflow_runs SET available_at = ? WHERE ${OURS} AND idempotency_key = ? AND status = 'pending'
      AND worker_id IS NULL AND available_at > ?`,
  ).run(now, run, now);
}

/** The stored form of a step's result: `n` counts the run's records. */
export interface Kept {
  readonly n: number;
  readonly result: string;
}

const ADD_STEP = `
  INSERT INTO step_attempts (namespace_id, id, workflow_run_id, step_name, kind, status, config, output,
    started_at, finished_at, created_at, updated_at)
  SELECT namespace_id, :id, id, :key, 'function', 'completed', '{}', :output, :at, :at, :at, :at
  FROM workflow_runs WHERE ${HERE} AND id = :workflow AND status = 'running' AND worker_id = :owner`;

/**
 * The effect of the library's own two statements, for the start and the end of a step. False if the workflow belongs to
 * another claimant.
 */
export function addStep(
  db: DatabaseSync,
  of: { readonly workflow: string; readonly owner: string; readonly key: string; readonly kept: Kept },
): boolean {
  const { workflow, owner, key, kept } = of;
  const at = new Date().toISOString();
  const output = JSON.stringify(kept);
  return db.prepare(ADD_STEP).run({ id: randomUUID(), key, output, at, workflow, owner }).changes === 1;
}

const DROP_STEPS = `DELETE FROM step_attempts WHERE ${HERE} AND workflow_run_id = ? AND kind = 'function'
  AND step_name IN (SELECT value FROM json_each(?))`;

/** Removes the records of steps that another one replaces. */
export function dropSteps(db: DatabaseSync, workflow: string, keys: readonly string[]): void {
  db.prepare(DROP_STEPS).run(workflow, JSON.stringify(keys));
}

/** Runs all of it or, if it throws, nothing. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Recorded steps in recording order, which the library knows only by milliseconds; `next` is the number of the next one. */
export function stepsOf(
  db: DatabaseSync,
  workflow: string,
): { readonly steps: RecordedStep[]; readonly next: number } {
  const rows = db
    .prepare(
      `SELECT step_name, output FROM step_attempts WHERE ${HERE} AND workflow_run_id = ? AND kind = 'function' AND status = 'completed'`,
    )
    .all(workflow);
  const found = rows
    .map(({ step_name, output }) => ({ key: String(step_name), kept: JSON.parse(String(output)) as Kept }))
    .sort((a, b) => a.kept.n - b.kept.n);
  const steps = found.map(({ key, kept }) => ({ key, result: kept.result }));
  return { steps, next: (found.at(-1)?.kept.n ?? -1) + 1 };
}

/** The wait for a signal that the workflow is at, or whose signal it has received but not taken. */
export function waitsOf(db: DatabaseSync, workflow: string): string[] {
  const rows = db.prepare(`SELECT id ${WAITS}`).all(workflow);
  return rows.map(({ id }) => String(id));
}

/** Finished waits would be waited for again. */
export function dropWaits(db: DatabaseSync, workflow: string): void {
  for (const sql of [DROP_SIGNALS, `DELETE ${WAITS}`]) db.prepare(sql).run(workflow);
}

/** The workflow of a run: its idempotency key is the run's id. */
export function workflowOf(db: DatabaseSync, run: string): string | undefined {
  const row = db.prepare(`SELECT id FROM workflow_runs WHERE ${OURS} AND idempotency_key = ?`).get(run);
  return row && String(row['id']);
}

/** Removes the workflows of runs with all their data. */
export function dropWorkflows(db: DatabaseSync, runs: readonly string[]): void {
  const steps = `DELETE FROM step_attempts WHERE ${HERE} AND workflow_run_id = ?`;
  const workflows = `DELETE FROM workflow_runs WHERE ${HERE} AND id = ?`;
  for (const run of runs) {
    const id = workflowOf(db, run);
    if (id !== undefined) for (const sql of [DROP_SIGNALS, steps, workflows]) db.prepare(sql).run(id);
  }
}
