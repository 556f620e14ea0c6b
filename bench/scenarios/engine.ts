import { start } from '#engine';
import { createLocalEngine, paramsOf } from '../local-engine.ts';
import { chainFlow, fanFlow } from '../flows.ts';
import { type BenchContext, type Line, type Scenario, timeCalls } from '../harness.ts';

const LENGTH = 100;
const WIDTH = 1000;
const REQUEST = Object.freeze({});
const INPUT = Object.freeze({ name: 'Ada', age: 18 });

/** The engine alone: no recorder, no HTTP, and the time of the expressions taken off. */
export const engine: Scenario = {
  name: 'engine',
  title: 'Engine alone, per node, without expressions',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const { host, plan } = await createLocalEngine();
    const chain = plan(chainFlow('chain', LENGTH));
    const fan = plan(fanFlow('fan', WIDTH));
    const options = { id: 'run', request: REQUEST, output: INPUT, vars: REQUEST };
    const evaluate = paramsOf(chain, 'n0');
    const { ns, slowness } = await timeCalls(
      {
        chain: () => start(chain, options, host).outcome,
        fan: () => start(fan, options, host).outcome,
        expression: () => evaluate(INPUT),
      },
      quick ? 15 : 75,
    );
    const expression = `expression ${ns.expression.toFixed(1)} ns taken off`;
    return [
      {
        name: `linear chain of ${LENGTH} core.map`,
        figure: ns.chain / LENGTH - ns.expression,
        unit: 'ns',
        bar: { kind: 'at most', value: 60 },
        slowness,
        note: expression,
      },
      {
        name: `fan-out to ${WIDTH} and in again`,
        figure: ns.fan / WIDTH - ns.expression,
        unit: 'ns',
        bar: { kind: 'at most', value: 200 },
        slowness,
        note: expression,
      },
      {
        name: 'machine against the reference',
        figure: slowness,
        unit: 'x',
        note: 'calibration loop; above 1 is slower',
      },
    ];
  },
};
