import { mkdtempSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BackendSqlite } from 'openworkflow/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { costRatio } from '../../../../tests/support/cost.ts';
import {
  addStep,
  arrangeIndexes,
  dropWaits,
  dropWorkflows,
  nextDue,
  releaseLeases,
  stepsOf,
  waitsOf,
  WORKFLOW,
  workflowOf,
} from './workflow-table.ts';

function opened(): { backend: BackendSqlite; db: DatabaseSync } {
  const folder = mkdtempSync(join(tmpdir(), 'weft-workflows-'));
  const backend = BackendSqlite.connect(join(folder, 'durable.db'));
  onTestFinished(async () => {
    await backend.stop();
    rmSync(folder, { recursive: true });
  });
  return { backend, db: (backend as unknown as { db: DatabaseSync }).db };
}

async function claimed(): Promise<{ db: DatabaseSync; workflow: string }> {
  const { backend, db } = opened();
  await backend.createWorkflowRun({
    workflowName: WORKFLOW,
    version: null,
    idempotencyKey: 'run',
    config: {},
    context: null,
    input: { run: 'run' },
    parentStepAttemptNamespaceId: null,
    parentStepAttemptId: null,
    availableAt: null,
    deadlineAt: null,
  });
  const run = await backend.claimWorkflowRun({ workerId: 'me', leaseDurationMs: 1000 });
  return { db, workflow: String(run?.id) };
}

const step = (workflow: string, owner: string) => ({
  workflow,
  owner,
  key: 'a',
  kept: { n: 0, result: 'x' },
});

test('only the claimant of a workflow can record a step', async () => {
  const { db, workflow } = await claimed();
  expect(addStep(db, step(workflow, 'another'))).toBe(false);
  expect(stepsOf(db, workflow).steps).toEqual([]);
  expect(addStep(db, step(workflow, 'me'))).toBe(true);
  expect(stepsOf(db, workflow)).toEqual({ steps: [{ key: 'a', result: 'x' }], next: 1 });
  releaseLeases(db);
  expect(addStep(db, step(workflow, 'me'))).toBe(false);
});

test('no statement reads a table from end to end, however many runs are stored', async () => {
  const { db, workflow } = await claimed();
  const asked = new Set<string>();
  const prepare = db.prepare.bind(db);
  db.prepare = (sql, options) => {
    asked.add(sql);
    return prepare(sql, options);
  };
  addStep(db, step(workflow, 'me'));
  stepsOf(db, workflow);
  waitsOf(db, workflow);
  dropWaits(db, workflow);
  nextDue(db);
  releaseLeases(db);
  workflowOf(db, 'run');
  dropWorkflows(db, ['run']);
  db.prepare = prepare;
  expect(workflowOf(db, 'run')).toBeUndefined();
  const scans = [...asked].flatMap((sql) => {
    const values = Array.from({ length: sql.match(/\?/g)?.length ?? 0 }, () => '');
    const rows = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    return rows.map(({ detail }) => String(detail)).filter((detail) => detail.startsWith('SCAN'));
  });
  expect(asked.size).toBeGreaterThan(8);
  expect(scans).toEqual([]);
});

test('a claim costs the same with many parked workflows as with few', () => {
  const claimBeside = (count: number): (() => void) => {
    const { backend, db } = opened();
    arrangeIndexes(db);
    db.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO workflow_runs (namespace_id, id, workflow_name, status, config, attempts, available_at, created_at, updated_at)
      SELECT 'default', 'w' || i, '${WORKFLOW}', 'running', '{}', 1, '2999-01-01T00:00:00.000Z', '', '' FROM n`);
    return () => void backend.claimWorkflowRun({ workerId: 'me', leaseDurationMs: 1000 });
  };
  expect(costRatio(claimBeside(100), claimBeside(20_000))).toBeLessThan(6);
});
