import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryEngine } from './testing/memory-engine.ts';
import { createOpenWorkflowEngine } from './openworkflow/openworkflow-engine.ts';
import { RunTable } from './openworkflow/run-table.ts';
import { createWorld, durableFlow, until, waitNode } from './testing/durable-bed.ts';

test('a run with a request to end that was not woken before the process died ends after the start', async () => {
  const fileOf = (folder: string): string => join(folder, 'durable.db');
  const world = await createWorld((folder) => {
    const engine = createOpenWorkflowEngine({ file: fileOf(folder), full: false });
    return { engine, kill: () => engine.kill() };
  });
  onTestFinished(() => world.remove());
  const before = await world.boot();
  const flow = world.flow(durableFlow('f', { w: waitNode({ title: '?' }) }, ['t > w']));
  const { run } = await before.durable.start({
    flow,
    trigger: 't',
    request: {},
    output: 1,
    source: 'manual',
  });
  await until(async () => (await before.durable.get(run))?.status === 'waiting');
  await before.kill();
  const db = new DatabaseSync(fileOf(world.folder));
  new RunTable(db).cancel(run, 'ann');
  db.close();
  const after = await world.boot();
  const end = await after.durable.ended(run, AbortSignal.timeout(5000));
  expect(end).toMatchObject({ status: 'cancelled', cancelledBy: 'ann' });
});

test('a decision that could not reach the engine, because its thread had died, is passed to the next one', async () => {
  let lost = 0;
  const world = await createWorld((_, host) => {
    const engine = createMemoryEngine(host);
    const wake = engine.wake.bind(engine);
    engine.wake = async (run) => {
      if (lost++ === 0) throw new Error('The thread ended.');
      await wake(run);
    };
    return { engine, kill: async () => {} };
  });
  onTestFinished(() => world.remove());
  const { durable } = await world.boot();
  const flow = world.flow(durableFlow('f', { w: waitNode({ title: '?' }) }, ['t > w']));
  const { run } = await durable.start({ flow, trigger: 't', request: {}, output: 1, source: 'manual' });
  await until(async () => (await durable.get(run))?.status === 'waiting');
  world.waits.decide(run, 'w', 'yes');
  expect(await durable.ended(run, AbortSignal.timeout(8000))).toMatchObject({ status: 'ok' });
});
