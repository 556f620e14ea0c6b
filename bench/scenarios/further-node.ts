import pino from 'pino';
import type { LiveFlow, RunHub } from '../../server/context.ts';
import { createMemoryHistory } from '../../server/runs/memory-history.ts';
import { createRunHub } from '../../server/runs/run-hub.ts';
import { createEngineParts } from '../engine-parts.ts';
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
    const { host, live } = await createEngineParts();
    const log = pino({ level: 'silent' });
    const hub = createRunHub({
      host,
      log,
      history: createMemoryHistory(),
      maxRuns: 1000,
      variables: () => ({}),
    });
    const batches = quick ? 10 : 40;
    const timed = (flow: LiveFlow) => () => timeRuns(hub, flow, batches);
    const cases = {
      short: timed(live(chainFlow('short', SHORT))),
      long: timed(live(chainFlow('long', LONG))),
      full: timed(live({ ...chainFlow('full', LONG), settings: { record: 'full' } })),
      calibration: perCall(calibration),
    };
    await interleave(cases, 2);
    const ns = await interleave(cases, quick ? 7 : 31);
    await hub.drain(0);
    const short = median(ns.short);
    const further = (long: number): number => (long - short) / (LONG - SHORT) / 1000;
    return [
      {
        name: 'default recording',
        figure: further(median(ns.long)),
        unit: 'µs',
        bar: { kind: 'at most', value: 0.3, stretch: 0.15 },
        slowness: slownessOf(median(ns.calibration)),
        note: `a run of ${SHORT + 1} nodes takes ${(short / 1000).toFixed(2)} µs, of ${LONG + 1} ${(median(ns.long) / 1000).toFixed(1)} µs`,
      },
      { name: 'full recording', figure: further(median(ns.full)), unit: 'µs' },
    ];
  },
};

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
