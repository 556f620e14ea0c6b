import { expect, test } from 'vitest';
import { RunLimits } from '../runs/run-limits.ts';
import { liveFlow } from '../../api/triggers/testing/live-flow.ts';
import type { Pass, StoredRun } from './port.ts';
import { Turns } from './turns.ts';

/** Runs and their recorded steps, which outlive the turns of one process. */
type Disk = Map<string, { status: StoredRun['status']; steps: string[] }>;

const flow = liveFlow('f', {}, { maxRuns: 1 });
const request = { method: 'POST', query: {}, params: {}, headers: {}, body: {} };
const stored = (run: string, status: StoredRun['status'] = 'pending'): StoredRun => ({
  run,
  flow: 'f',
  version: 'v',
  input: '',
  startedAt: 0,
  status,
  passes: 1,
});

/** The turns of one process over the disk. */
async function process(disk: Disk) {
  const woken: string[] = [];
  const steps = (run: string) => disk.get(run)?.steps ?? [];
  const turns = new Turns({
    limits: new RunLimits(),
    engine: {
      steps: async (run) => steps(run).map((key) => ({ key, result: '' })),
      wake: async (run) => void woken.push(run),
    },
    request: () => request,
    flow: async () => flow,
    complain(error) {
      throw error;
    },
  });
  await turns.recover([...disk].map(([run, { status }]) => stored(run, status)));
  const carryOn = (run: string, more: Partial<StoredRun> = {}): Promise<boolean> => {
    if (!disk.has(run)) disk.set(run, { status: 'running', steps: [] });
    const pass: Pass = {
      run: { ...stored(run), ...more },
      steps: [],
      async step(key, fn) {
        disk.get(run)?.steps.push(key);
        return fn();
      },
    };
    return turns.mayGoOn(pass, { flow, request });
  };
  return { woken, turns, carryOn };
}

test('runs begin one after the other, in the order in which they were started', async () => {
  const { carryOn, turns, woken } = await process(new Map());
  expect([await carryOn('r1'), await carryOn('r2'), await carryOn('r3'), await carryOn('r2')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  turns.ended('r1');
  expect(woken).toEqual(['r2']);
  expect([await carryOn('r3'), await carryOn('r2')]).toEqual([false, true]);
});

test('after a restart runs that had begun keep their places, also while they wait for people, and the others keep their order', async () => {
  const disk: Disk = new Map();
  const before = await process(disk);
  for (const run of ['r1', 'r2', 'r3']) await before.carryOn(run);
  const { carryOn, turns, woken } = await process(disk);
  expect([await carryOn('r3'), await carryOn('r2'), await carryOn('r4')]).toEqual([false, false, false]);
  turns.ended('r1');
  expect(woken).toEqual(['r2']);
  expect(await carryOn('r2')).toBe(true);
});

test('a run that is cancelled before its turn does not delay the others', async () => {
  const { carryOn, turns, woken } = await process(new Map());
  for (const run of ['r1', 'r2', 'r3']) await carryOn(run);
  expect(await carryOn('r2', { cancelledBy: 'somebody' })).toBe(true);
  turns.ended('r2');
  turns.ended('r1');
  expect(woken).toEqual(['r3']);
});
