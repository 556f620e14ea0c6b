import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Pass } from '../port.ts';
import { createOpenWorkflowEngine } from './openworkflow-engine.ts';
import { RunTable } from './run-table.ts';

test('a run that was written down when the process died begins with the steps that it was given', async () => {
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
