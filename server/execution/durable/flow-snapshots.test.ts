import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHost } from '../../base/adapters/node-host.ts';
import { liveFlow } from '../../api/triggers/testing/live-flow.ts';
import { FlowSnapshots, flowText, type SharedText, variablesText } from './flow-snapshots.ts';
import { createMemoryEngine } from './testing/memory-engine.ts';
import { createOpenWorkflowEngine } from './openworkflow/openworkflow-engine.ts';
import type { DurableEngine } from './port.ts';
import { startPruning } from './pruning.ts';
import { until } from './testing/durable-bed.ts';

/** Shared texts are deleted with the last run that needs them. */

function tempFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-snapshots-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'durable.db');
}

const openWorkflow = (file = tempFile()): DurableEngine => createOpenWorkflowEngine({ file, full: false });
const engines: [name: string, open: () => DurableEngine][] = [
  ['memory', () => createMemoryEngine(createHost())],
  ['OpenWorkflow on SQLite', openWorkflow],
];

/** Runs called `over…` end at once, in 1970, and the others wait. */
function shelfOver(engine: DurableEngine) {
  onTestFinished(() => engine.close());
  const snapshots = new FlowSnapshots(engine, { live: () => undefined, revive: () => liveFlow('f') });
  engine.begin({
    carryOn: async ({ run: { run } }) =>
      run.startsWith('over')
        ? { kind: 'ended', status: 'ok', end: '{}', at: 1 }
        : { kind: 'parked', waitingFor: '[]' },
    parked: () => {},
    ended: ({ run }) => void engine.told(run),
  });
  const settled = (run: string): Promise<void> =>
    until(async () => {
      const { status = 'pending' } = (await engine.get(run)) ?? {};
      return status !== 'pending' && status !== 'running';
    });
  const start = async (run: string, needed: readonly SharedText[]): Promise<void> => {
    await snapshots.holding(needed, () => {
      const texts = needed.map(({ name }) => name);
      return engine.start({ run, flow: 'f', version: 'v', input: '{}', texts, startedAt: 0 });
    });
    await settled(run);
  };
  const prune = async (): Promise<void> => {
    for (let gone: string[] = []; gone.length === 0; ) gone = await engine.prune(2);
    await snapshots.tidy();
  };
  const left = async (...of: SharedText[]): Promise<boolean[]> =>
    Promise.all(of.map(async ({ name }) => (await engine.getText(name)) !== undefined));
  return { snapshots, start, settled, prune, left };
}

const [a, b] = [flowText(liveFlow('a')), flowText(liveFlow('b'))];
const [one, two] = [variablesText({ n: 1 }), variablesText({ n: 2 })];

describe.each(engines)('texts of flows and variables over %s', (_, open) => {
  test('are deleted with the last run that needs them, and stored again with the next', async () => {
    const { start, prune, left } = shelfOver(open());
    await start('over1', [a, one]);
    await start('waits', [b, one]);
    await prune();
    expect(await left(a, b, one)).toEqual([false, true, true]);
    await start('later', [a, two]);
    expect(await left(a, b, one, two)).toEqual([true, true, true, true]);
  });

  test('stay for a start in progress even if no run needs them yet', async () => {
    const { snapshots, start, prune, left } = shelfOver(open());
    const begun = Promise.withResolvers<void>();
    const held = snapshots.holding([b, two], () => begun.promise);
    await start('over1', [a, two]);
    await prune();
    expect(await left(a, b, two)).toEqual([false, true, true]);
    begun.resolve();
    await held;
    await snapshots.tidy();
    expect(await left(b, two)).toEqual([false, false]);
  });

  test('are deleted when old runs are pruned', async () => {
    const engine = open();
    const { snapshots, start, left } = shelfOver(engine);
    await start('over1', [a, one]);
    let tick = (): void => {};
    const stop = startPruning({
      engine,
      snapshots,
      host: {
        now: Date.now,
        timer(_ms, fn) {
          tick = fn;
          return () => {};
        },
      },
      forget: () => {},
      complain(error) {
        throw error;
      },
    });
    onTestFinished(stop);
    await until(async () => {
      tick();
      return !(await left(a))[0];
    });
    expect(await left(one)).toEqual([false]);
  });
});

test('a file of an earlier release loses no text while it has runs whose needs are unknown', async () => {
  const file = tempFile();
  const earlier = openWorkflow(file);
  await earlier.putText(a.name, 'text');
  await earlier.start({ run: 'waits', flow: 'a', version: 'v', input: '{}', texts: [], startedAt: 0 });
  await earlier.close();
  const db = new DatabaseSync(file);
  db.exec('ALTER TABLE weft_runs DROP COLUMN texts');
  db.close();
  const { start, settled, prune, left } = shelfOver(openWorkflow(file));
  await settled('waits');
  await start('over1', [b, one]);
  await prune();
  expect(await left(a, b, one)).toEqual([true, true, true]);
});
