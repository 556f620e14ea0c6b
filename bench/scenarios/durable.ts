import { join } from 'node:path';
import type { Flow } from '#shared/flow.ts';
import type { LiveFlow } from '../../server/flows/service/flow-types.ts';
import type { Durable } from '../../server/execution/durable/create-durable-runs.ts';
import { createOpenWorkflowEngine } from '../../server/execution/durable/openworkflow/openworkflow-engine.ts';
import { createWorld, durableFlow, effectNode } from '../../server/execution/durable/testing/durable-bed.ts';
import {
  type BenchContext,
  type Line,
  measureSlowness,
  median,
  percentile,
  type Scenario,
} from '../harness.ts';

const STEPS = 10;

/** Durable runs of ten steps that do nothing: from the start to the recorded end, on the disk. */
export const durable: Scenario = {
  name: 'durable',
  title: 'Durable runs of 10 steps',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const world = await createWorld((folder) => {
      const engine = createOpenWorkflowEngine({ file: join(folder, 'durable.db'), full: false });
      return { engine, kill: () => engine.kill() };
    });
    try {
      const flow = world.flow(tenSteps());
      const process = await world.boot();
      await oneByOne(process.durable, flow, 20);
      const slowness = measureSlowness();
      const times = await oneByOne(process.durable, flow, quick ? 50 : 500);
      const perSecond = await sideBySide(process.durable, flow, quick ? 100 : 1000);
      const bar = { kind: 'at most', value: 10 } as const;
      return [
        { name: 'one run, median', figure: median(times), unit: 'ms', bar, slowness },
        { name: 'one run, 99 of 100', figure: percentile(times, 99), unit: 'ms' },
        { name: 'runs side by side', figure: perSecond, unit: '/s' },
      ];
    } finally {
      await world.remove();
    }
  },
};

function tenSteps(): Flow {
  const names = Array.from({ length: STEPS }, (_, i) => `n${i}`);
  const nodes = Object.fromEntries(names.map((name) => [name, effectNode()]));
  return durableFlow(
    'ten',
    nodes,
    ['t', ...names].slice(0, -1).map((name, i) => `${name} > ${names[i]}`),
  );
}

async function oneByOne(runs: Durable, flow: LiveFlow, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    await one(runs, flow);
    times.push(performance.now() - began);
  }
  return times;
}

/** How many a second. */
async function sideBySide(runs: Durable, flow: LiveFlow, count: number): Promise<number> {
  const began = performance.now();
  await Promise.all(Array.from({ length: count }, () => one(runs, flow)));
  return (count / (performance.now() - began)) * 1000;
}

async function one(runs: Durable, flow: LiveFlow): Promise<void> {
  const request = { flow, trigger: 't', request: {}, output: 1, source: 'manual' as const };
  const { run } = await runs.start(request);
  const { status } = await runs.ended(run);
  if (status !== 'ok') throw new Error(`A run ended as ${status}.`);
}
