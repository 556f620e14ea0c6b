import type { DatabaseSync } from 'node:sqlite';
import type { RecordedStep } from '../port.ts';

/**
 * What is read and mended in the library's own tables, past its interface; its version is pinned, and the conformance suite
 * goes through each of these.
 */

/** The library's indexes begin with these. */
export const WORKFLOW = 'flow-run';
const OURS = `namespace_id = 'default' AND workflow_name = '${WORKFLOW}'`;

/** A lease never runs out while the thread lives: the folder is locked, so that nobody else can be at the run. */
export const LEASE_MS = 10 * 365 * 24 * 3600 * 1000;

/** Gives up the leases of runs that nobody carries out; without `active`, of all of them. */
export function releaseLeases(db: DatabaseSync, active: ReadonlySet<string> = new Set()): void {
  const owned = db
    .prepare("SELECT id FROM workflow_runs WHERE status = 'running' AND worker_id IS NOT NULL")
    .all();
  const release = db.prepare('UPDATE workflow_runs SET worker_id = NULL, available_at = ? WHERE id = ?');
  const now = new Date().toISOString();
  for (const { id } of owned) if (!active.has(String(id))) release.run(now, String(id));
}

/** When the next run can go on that nobody carries out, in Unix milliseconds. */
export function nextDue(db: DatabaseSync): number | undefined {
  const row = db
    .prepare(
      "SELECT min(available_at) AS at FROM workflow_runs WHERE namespace_id = 'default' AND status IN ('pending', 'running') AND worker_id IS NULL",
    )
    .get();
  const at = row?.['at'];
  return typeof at === 'string' ? Date.parse(at) : undefined;
}

/** Recorded steps in the order in which they were recorded; the library's own order is by milliseconds. */
export function stepsOf(db: DatabaseSync, workflow: string): RecordedStep[] {
  const rows = db
    .prepare(
      "SELECT step_name, output FROM step_attempts WHERE workflow_run_id = ? AND kind = 'function' AND status = 'completed'",
    )
    .all(workflow);
  return rows
    .map(({ step_name, output }) => ({ key: String(step_name), kept: JSON.parse(String(output)) as Kept }))
    .sort((a, b) => a.kept.n - b.kept.n)
    .map(({ key, kept }) => ({ key, result: kept.result }));
}

/** How a step's result is kept: `n` counts the run's records. */
export interface Kept {
  readonly n: number;
  readonly result: string;
}

/** Whether the workflow waits for a signal, or has got one that it has not taken. */
export function hasWait(db: DatabaseSync, workflow: string): boolean {
  const row = db
    .prepare("SELECT 1 FROM step_attempts WHERE workflow_run_id = ? AND kind = 'signal-wait' LIMIT 1")
    .get(workflow);
  return row !== undefined;
}

/** Waits that are over would count as steps for ever. */
export function dropWaits(db: DatabaseSync, workflow: string): void {
  db.prepare('DELETE FROM workflow_signals WHERE workflow_run_id = ?').run(workflow);
  db.prepare("DELETE FROM step_attempts WHERE workflow_run_id = ? AND kind = 'signal-wait'").run(workflow);
}

/** The workflow of a run: its idempotency key is the run's id. */
export function workflowOf(db: DatabaseSync, run: string): { id: string; input: unknown } | undefined {
  const row = db
    .prepare(`SELECT id, input FROM workflow_runs WHERE ${OURS} AND idempotency_key = ?`)
    .get(run);
  return row && { id: String(row['id']), input: JSON.parse(String(row['input'])) as unknown };
}

/** Removes the workflows of runs with all that belongs to them. */
export function dropWorkflows(db: DatabaseSync, runs: readonly string[]): void {
  const signals = db.prepare('DELETE FROM workflow_signals WHERE workflow_run_id = ?');
  const steps = db.prepare('DELETE FROM step_attempts WHERE workflow_run_id = ?');
  const workflows = db.prepare('DELETE FROM workflow_runs WHERE id = ?');
  for (const run of runs) {
    const id = workflowOf(db, run)?.id;
    if (id !== undefined) for (const statement of [signals, steps, workflows]) statement.run(id);
  }
}
