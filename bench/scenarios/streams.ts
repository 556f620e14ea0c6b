import { start } from '#engine';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { createLocalEngine, type LocalEngine } from '../local-engine.ts';
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

const ITEMS = 1_000_000;
/** Map, filter and reduce; making the stream of a list is not counted. */
const OPERATORS = 3;
const REQUEST = Object.freeze({});

/** A million items through three operators with an expression each, all in one process, nothing recorded. */
export const streams: Scenario = {
  name: 'streams',
  title: 'A million items through map, filter and reduce',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const engine = await createLocalEngine();
    const items = Array.from({ length: quick ? ITEMS / 10 : ITEMS }, (_, i) => i);
    const [one, two] = [line(), twice()].map((flow) => itemSteps(engine, flow, items));
    const cases = {
      one: one as () => Promise<number>,
      two: two as () => Promise<number>,
      calibration: perCall(calibration),
    };
    await interleave(cases, 1);
    const samples = await interleave<keyof typeof cases, number>(cases, quick ? 3 : 9);
    return [
      {
        name: 'built-in operators, one consumer each',
        figure: median(samples.one),
        unit: '/s',
        bar: { kind: 'at least', value: 2_000_000 },
        slowness: slownessOf(median(samples.calibration)),
        note: 'item-steps',
      },
      {
        name: 'the same, with a second consumer',
        figure: median(samples.two),
        unit: '/s',
        note: 'item-steps, those of the second left out',
      },
    ];
  },
};

/** A function that runs the flow once and gives its item-steps a second. */
function itemSteps({ host, plan }: LocalEngine, flow: Flow, items: readonly number[]): () => Promise<number> {
  const compiled = plan(flow);
  return () =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const run = start(compiled, { id: 'run', request: REQUEST, output: items, vars: REQUEST }, host);
      run.onEnd(({ status, error }) => {
        if (status === 'ok') resolve((items.length * OPERATORS) / ((performance.now() - started) / 1000));
        else reject(new Error(error?.message));
      });
    });
}

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
