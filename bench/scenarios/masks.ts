import pino from 'pino';
import { createMemoryHistory } from '../../server/execution/history/memory-history.ts';
import { createRunHub } from '../../server/execution/runs/run-hub.ts';
import { createRedactor } from '../../server/base/secrets/redactor.ts';
import { createLocalEngine, type LocalEngine } from '../local-engine.ts';
import { chainFlow } from '../flows.ts';
import { type BenchContext, interleave, type Line, median, type Scenario, sink } from '../harness.ts';

const SECRETS = 20;
const NODES = 10;
/** Runs between two turns of the event loop, in which the recorder writes. */
const BATCH = 50;
const BATCHES = 4;
const OUTPUT = { name: 'Ada Lovelace', age: 18, text: 'Thank you, Ada: 1 item(s) on their way.' };

/** Records that are written a second of a flow under load, at most: 200 each 100 ms (`run-recorder.ts`). */
const RECORDS_PER_SECOND = 2000;

/** What it costs full records that secrets are looked for in all of them. */
export const masks: Scenario = {
  name: 'masks',
  title: `Masks of ${SECRETS} secrets in full records of runs of ${NODES} nodes, against no secrets`,
  async run({ quick }: BenchContext): Promise<Line[]> {
    const engine = await createLocalEngine();
    const cases = { without: timer(engine, 0), masked: timer(engine, SECRETS) };
    await interleave(cases, 5);
    const us = await interleave(cases, quick ? 5 : 81);
    const added = median(us.masked.map((masked, i) => masked - (us.without[i] as number)));
    return [
      {
        name: 'share of a second that the masks of a flow with full records take',
        figure: (added * RECORDS_PER_SECOND) / 10_000,
        unit: '%',
        bar: { kind: 'at most', value: 2 },
        note: `a record takes ${median(us.masked).toFixed(1)} µs with its run, against ${median(us.without).toFixed(1)} µs`,
      },
    ];
  },
};

/** Measures microseconds of this thread for a run of which every event is written. */
function timer({ host, live }: LocalEngine, secrets: number): () => Promise<number> {
  const redactor = createRedactor();
  for (let i = 0; i < secrets; i++) redactor.add(`sk-bench-${i}-9f8a7b6c5d4e3f2a1b0c-${i * 7919}`);
  const log = pino({ level: 'silent' });
  const history = createMemoryHistory();
  const hub = createRunHub({ host, log, history, redactor, maxRuns: 1000, variables: () => ({}) });
  const flow = live({ ...chainFlow('chain', NODES), settings: { record: 'full' } });
  const request = { flow, trigger: 'trigger', request: {}, output: OUTPUT, source: 'http' } as const;
  return async () => {
    const before = process.threadCpuUsage();
    for (let batch = 0; batch < BATCHES; batch++) {
      for (let i = 0; i < BATCH; i++) sink.value = hub.start({ ...request, record: 'full' }).outcome;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / (BATCHES * BATCH);
  };
}
