import pino from 'pino';
import type { Flow } from '#shared/flow.ts';
import type { Services } from '#engine';
import { createHost } from '../../server/base/adapters/node-host.ts';
import type { LiveFlow } from '../../server/flows/service/flow-types.ts';
import type { RunHub } from '../../server/execution/runs/run-types.ts';
import { createMemoryHistory } from '../../server/execution/history/memory-history.ts';
import { createRunHub } from '../../server/execution/runs/run-hub.ts';
import { createSubFlows } from '../../server/execution/starts/sub-flows.ts';
import { createLocalEngine } from '../local-engine.ts';
import {
  type BenchContext,
  calibration,
  interleave,
  type Line,
  median,
  perCall,
  type Scenario,
  slownessOf,
} from '../harness.ts';

const ITEMS = Array.from({ length: 10_000 }, (_, i) => i);

/** What a loop over a flow costs an item: the item's own run, with its line in the history, included. */
export const forEach: Scenario = {
  name: 'for-each',
  title: 'For each of 10,000 items, a flow of two nodes is run',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const { live } = await createLocalEngine();
    const map = { operator: 'core.map', params: { value: '{{ input + 1 }}' } };
    const pause = { operator: 'logic.delay', params: { ms: 0 } };
    const flows = [
      rowFlow('plain', map),
      rowFlow('waiting', pause),
      loopFlow('plain'),
      loopFlow('waiting'),
      eachFlow(),
      bodyFlow(),
    ];
    const hub = createHub(new Map(flows.map((flow) => [flow.id, live(flow)])));
    const cases = {
      plain: () => timeLoop(hub, live(loopFlow('plain'))),
      waiting: () => timeLoop(hub, live(loopFlow('waiting'))),
      each: () => timeLoop(hub, live(eachFlow())),
      body: () => timeLoop(hub, live(bodyFlow())),
      calibration: perCall(calibration),
    };
    await interleave(cases, 2);
    const ns = await interleave(cases, quick ? 3 : 15);
    await hub.drain(0);
    const slowness = slownessOf(median(ns.calibration));
    return [
      {
        name: 'a flow that ends at once',
        figure: median(ns.plain) / ITEMS.length / 1000,
        unit: 'µs',
        bar: { kind: 'at most', value: 20 },
        slowness,
        note: 'per item, recorded by the defaults',
      },
      {
        name: 'a flow that waits for a timer of 0 ms, 100 at a time',
        figure: median(ns.waiting) / ITEMS.length / 1000,
        unit: 'µs',
        note: 'per item',
      },
      {
        name: 'a node with `each` (core.map with two fields), against the loop over a flow that ends at once',
        figure: median(ns.each) / median(ns.plain),
        unit: 'x',
        bar: { kind: 'at most', value: 0.2 },
        note: `${(median(ns.each) / ITEMS.length / 1000).toFixed(2)} µs per item`,
      },
      {
        name: 'a loop with a body of two nodes, against the same loop over a flow of two nodes',
        figure: median(ns.body) / median(ns.plain),
        unit: 'x',
        bar: { kind: 'at most', value: 0.5 },
        note: `${(median(ns.body) / ITEMS.length / 1000).toFixed(2)} µs per item, rounds recorded`,
      },
    ];
  },
};

function createHub(flows: ReadonlyMap<string, LiveFlow>): RunHub {
  const services: { -readonly [K in keyof Services]: Services[K] } = {};
  const runs = createRunHub({
    host: createHost(services),
    log: pino({ level: 'silent' }),
    history: createMemoryHistory(),
    maxRuns: 1000,
    variables: () => ({}),
  });
  services.flows = createSubFlows({ live: (id) => flows.get(id), runs });
  return runs;
}

/** Nanoseconds of a whole loop, to the turn in which the recorder has written its lines. */
async function timeLoop(hub: RunHub, flow: LiveFlow): Promise<number> {
  const started = process.hrtime.bigint();
  const run = hub.start({ flow, trigger: 'trigger', request: {}, output: ITEMS, source: 'http' });
  await new Promise<void>((resolve, reject) => {
    run.onEnd(({ error }) => (error ? reject(new Error(error.message)) : resolve()));
  });
  await new Promise((resolve) => setImmediate(resolve));
  return Number(process.hrtime.bigint() - started);
}

function rowFlow(id: string, node: Flow['nodes'][string]): Flow {
  return {
    format: 1,
    id,
    nodes: { trigger: { operator: 'trigger.manual' }, node },
    edges: [{ from: 'trigger.out', to: 'node.in' }],
  };
}

function loopFlow(flow: string): Flow {
  return rowFlow(`each_${flow}`, { operator: 'data.for-each', params: { flow, concurrency: 100 } });
}

function eachFlow(): Flow {
  const map = {
    operator: 'core.map',
    params: { value: { n: '{{ input }}', next: '{{ input + 1 }}' } },
    each: {},
  };
  return { ...rowFlow('each_alone', map), format: 2 };
}

function bodyFlow(): Flow {
  const map = { operator: 'core.map', params: { value: '{{ input + 1 }}' } };
  const edges = [
    { from: 'item.out', to: 'first.in' },
    { from: 'first.out', to: 'second.in' },
  ];
  const loop = {
    operator: 'data.for-each',
    params: { concurrency: 100 },
    body: { start: 'item', nodes: { first: map, second: map }, edges },
  };
  return { ...rowFlow('body_of_two', loop), format: 2 };
}
