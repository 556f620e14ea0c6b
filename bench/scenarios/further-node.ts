import pino from 'pino';
import type { LiveFlow } from '../../server/flows/service/flow-types.ts';
import type { RunHub } from '../../server/execution/runs/run-types.ts';
import { createMemoryHistory } from '../../server/execution/history/memory-history.ts';
import { createRunHub } from '../../server/execution/runs/run-hub.ts';
import { createLocalEngine, type LocalEngine } from '../local-engine.ts';
import { chainFlow } from '../flows.ts';
import {
  type BenchContext,
  calibration,
  interleave,
  type Line,
  median,
  perCall,
  type Scenario,
  sink,
  slownessOf,
} from '../harness.ts';

const SHORT = 1;
const LONG = 101;
/** Runs between two turns of the event loop, in which the recorder writes. */
const BATCH = 200;

/** What one more pure node costs in a flow whose runs are recorded by the defaults. */
export const furtherNode: Scenario = {
  name: 'further-node',
  title: 'Each further pure node in a recorded flow (expression included)',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const engine = await createLocalEngine();
    const ns = await timeHub(engine, 'default', quick ? [10, 7] : [40, 31]);
    // With a hub of its own: what it keeps would be garbage in the way of the others.
    const full = await timeHub(engine, 'full', quick ? [1, 3] : [2, 15]);
    return [
      {
        name: 'default recording',
        figure: (ns.long - ns.short) / (LONG - SHORT) / 1000,
        unit: 'µs',
        bar: { kind: 'at most', value: 0.3, stretch: 0.15 },
        slowness: slownessOf(ns.calibration),
        note: `a run of ${SHORT + 1} nodes takes ${(ns.short / 1000).toFixed(2)} µs, of ${LONG + 1} ${(ns.long / 1000).toFixed(1)} µs`,
      },
      {
        name: 'full recording',
        figure: (full.long - full.short) / (LONG - SHORT) / 1000,
        unit: 'µs',
        note: `a run of ${SHORT + 1} nodes takes ${(full.short / 1000).toFixed(2)} µs, of ${LONG + 1} ${(full.long / 1000).toFixed(1)} µs`,
      },
    ];
  },
};

/** Medians of nanoseconds per run, in turns. */
async function timeHub(
  { host, live }: LocalEngine,
  record: 'default' | 'full',
  [batches, rounds]: readonly [number, number],
): Promise<Record<'short' | 'long' | 'calibration', number>> {
  const hub = createRunHub({
    host,
    log: pino({ level: 'silent' }),
    history: createMemoryHistory(),
    maxRuns: 1000,
    variables: () => ({}),
  });
  const flow = (length: number): LiveFlow =>
    live({ ...chainFlow(`chain_${length}`, length), settings: { record } });
  const [short, long] = [flow(SHORT), flow(LONG)];
  const cases = {
    short: () => timeRuns(hub, short, batches),
    long: () => timeRuns(hub, long, batches),
    calibration: perCall(calibration),
  };
  await interleave(cases, 2);
  const ns = await interleave(cases, rounds);
  await hub.drain(0);
  return { short: median(ns.short), long: median(ns.long), calibration: median(ns.calibration) };
}

/** Nanoseconds per run, with the recorder's work between the batches. */
async function timeRuns(hub: RunHub, flow: LiveFlow, batches: number): Promise<number> {
  const output = { name: 'Ada', age: 18 };
  const request = { flow, trigger: 'trigger', request: {}, output, source: 'http' } as const;
  const started = process.hrtime.bigint();
  for (let batch = 0; batch < batches; batch++) {
    for (let i = 0; i < BATCH; i++) sink.value = hub.start(request).outcome;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Number(process.hrtime.bigint() - started) / (batches * BATCH);
}
