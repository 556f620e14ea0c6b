import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Pass, StoredRun } from '../port.ts';
import { createOpenWorkflowEngine } from './openworkflow-engine.ts';
import { RunTable } from './run-table.ts';

test('a run that was stored when the process died begins with its given steps', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-durable-'));
  const file = join(folder, 'durable.db');
  const steps = [{ key: 'a', result: '\n{"v":1}' }];
  const db = new DatabaseSync(file);
  const run = { run: 'r1', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 1, steps };
  new RunTable(db).add(run);
  db.close();
  const engine = createOpenWorkflowEngine({ file, full: false });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  expect(await engine.steps('r1')).toEqual(steps);
  const pass = await new Promise<Pass>((resolve) => {
    engine.begin({
      async carryOn(handedOut) {
        resolve(handedOut);
        return { kind: 'suspended' };
      },
      parked: () => {},
      ended: () => {},
    });
  });
  expect(pass).toMatchObject({ run: { run: 'r1' }, steps });
});

test('the engine waits while another process recovers or copies its database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-durable-'));
  const file = join(folder, 'durable.db');
  const other = new DatabaseSync(file);
  other.exec(
    'PRAGMA journal_mode = WAL; PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE held (n); BEGIN EXCLUSIVE',
  );
  const engine = createOpenWorkflowEngine({ file, full: false });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  const started = engine.start({ run: 'r1', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 1 });
  // If the engine gives up, it does so at its first attempt.
  expect(await Promise.race([started.catch(() => 'refused'), delay(1500, 'waits')])).toBe('waits');
  other.close();
  expect(await started).toEqual({ run: 'r1', created: true });
});

test('runs that ended long ago are removed as a whole or not at all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-durable-'));
  const file = join(folder, 'durable.db');
  const engine = createOpenWorkflowEngine({ file, full: false });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  const { promise, resolve } = Promise.withResolvers<StoredRun>();
  engine.begin({
    carryOn: async () => ({ kind: 'ended', status: 'ok', end: '{}', at: 5 }),
    parked: () => {},
    ended: resolve,
  });
  await engine.start({ run: 'r1', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 1 });
  await promise;
  await engine.told('r1');
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec("CREATE TRIGGER refuse BEFORE DELETE ON workflow_runs BEGIN SELECT RAISE(ABORT, 'no'); END");
  await expect(engine.prune(10)).rejects.toMatchObject({ code: 'storage_failed' });
  expect(await engine.get('r1')).toMatchObject({ status: 'ok' });
  db.exec('DROP TRIGGER refuse');
  expect(await engine.prune(10)).toEqual(['r1']);
  expect(db.prepare('SELECT count(*) AS left FROM workflow_runs').get()).toEqual({ left: 0 });
  db.close();
});

test('a run whose end was stored when the process died is not handed out again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'durable.db');
  const passes: string[] = [];
  const process = async (): Promise<void> => {
    const engine = createOpenWorkflowEngine({ file, full: false });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    engine.begin({
      async carryOn({ run }) {
        passes.push(run.run);
        return { kind: 'ended', status: 'ok', end: '{}', at: 5 };
      },
      parked: () => {},
      ended: ({ run }) => run === `r${passes.length}` && resolve(engine.told(run)),
    });
    const run = `r${passes.length + 1}`;
    await engine.start({ run, flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 1 });
    await promise;
    await engine.close();
  };
  await process();
  const db = new DatabaseSync(file);
  db.exec("UPDATE workflow_runs SET status = 'running', worker_id = 'dead', finished_at = NULL");
  db.close();
  await process();
  expect(passes).toEqual(['r1', 'r2']);
});
