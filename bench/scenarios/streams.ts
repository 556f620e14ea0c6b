import { start } from '#engine';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { createEngineParts } from '../engine-parts.ts';
import { type BenchContext, type Line, type Scenario, measureSlowness, median } from '../harness.ts';

const ITEMS = 1_000_000;
/** Map, filter and reduce; making the stream of a list is not counted. */
const OPERATORS = 3;
const REQUEST = Object.freeze({});

/** A million items through three operators with an expression each, all in one process, nothing recorded. */
export const streams: Scenario = {
  name: 'streams',
  title: 'A million items through map, filter and reduce',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const { host, plan } = await createEngineParts();
    const items = Array.from({ length: quick ? ITEMS / 10 : ITEMS }, (_, i) => i);
    const rounds = quick ? 3 : 9;
    const pace = async (flow: Flow): Promise<number> => {
      const compiled = plan(flow);
      const once = (): Promise<number> =>
        new Promise((resolve, reject) => {
          const started = performance.now();
          const run = start(compiled, { id: 'run', request: REQUEST, output: items, vars: REQUEST }, host);
          run.onEnd(({ status, error }) => {
            if (status === 'ok') resolve((items.length * OPERATORS) / ((performance.now() - started) / 1000));
            else reject(new Error(error?.message));
          });
        });
      await once();
      const figures: number[] = [];
      for (let round = 0; round < rounds; round++) figures.push(await once());
      return median(figures);
    };
    const slowness = measureSlowness();
    return [
      {
        name: 'built-in operators, one consumer each',
        figure: await pace(line()),
        unit: '/s',
        bar: { kind: 'at least', value: 2_000_000 },
        slowness,
        note: 'item-steps',
      },
      {
        name: 'the same, each item to two consumers',
        figure: await pace(twice()),
        unit: '/s',
        note: 'item-steps',
      },
    ];
  },
};

const nodes: Record<string, FlowNode> = {
  trigger: { operator: 'trigger.manual' },
  list: { operator: 'core.streamify' },
  map: { operator: 'core.map', params: { value: '{{ input * 2 }}' } },
  filter: { operator: 'core.transform-stream', params: { mode: 'filter', keep: '{{ item >= 0 }}' } },
  sum: { operator: 'core.reduce', params: { value: '{{ acc + item }}' } },
};

function line(): Flow {
  const edges = ['trigger list', 'list map', 'map filter', 'filter sum'].map(edge);
  return { format: 1, id: 'line', nodes, edges };
}

/** The filtered stream goes to a second fold too. */
function twice(): Flow {
  const flow = line();
  const count: FlowNode = { operator: 'core.reduce', params: { value: '{{ acc + 1 }}', initial: 0 } };
  const merge: FlowNode = { operator: 'core.merge' };
  const edges = ['filter count', 'sum merge', 'count merge'].map(edge);
  return { ...flow, id: 'twice', nodes: { ...nodes, count, merge }, edges: [...flow.edges, ...edges] };
}

function edge(ends: string): Flow['edges'][number] {
  const [from, to] = ends.split(' ');
  return { from: `${from}.out`, to: `${to}.in` };
}
