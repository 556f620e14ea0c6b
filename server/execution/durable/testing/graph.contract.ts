import { fc } from '../../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { ContractBed } from './contract-bed.ts';
import { durableFlow, effectNode } from './durable-bed.ts';

export function graphContract(bed: ContractBed): void {
  test('any graph gives the same result with crashes as without, and no finished step is repeated', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.array(fc.nat(30), { maxLength: 3 }), async (flow, crashes) => {
        const live = bed.world.flow(flow);
        const calm = await bed.process.durable.ended(await bed.start(live));
        bed.world.carried.length = 0;
        const run = await bed.start(live);
        for (const ms of crashes) {
          await new Promise((resolve) => setTimeout(resolve, ms));
          await bed.restart();
        }
        const end = await bed.process.durable.ended(run);
        expect({ status: end.status, answer: end.answer }).toEqual({
          status: calm.status,
          answer: calm.answer,
        });
        const most = Math.max(0, ...countsOf(bed.world.carried));
        expect(most).toBeLessThanOrEqual(1 + crashes.length);
      }),
      { numRuns: 6 },
    );
  });
}

/** Graphs of effects with random durations; each node depends on one or two before it. */
export const graphs: fc.Arbitrary<Flow> = fc
  .array(fc.record({ ms: fc.nat(12), on: fc.array(fc.nat(), { minLength: 1, maxLength: 2 }) }), {
    minLength: 2,
    maxLength: 7,
  })
  .map((list) => {
    const nodes: Record<string, FlowNode> = { end: { operator: 'core.merge' } };
    const edges: string[] = [];
    list.forEach(({ ms, on }, i) => {
      nodes[`m${i}`] = { operator: 'core.merge' };
      nodes[`n${i}`] = effectNode({ ms, give: `{{ [input, ${i}] }}` });
      const sources = new Set(on.map((at) => (i === 0 ? 't' : `n${at % i}`)));
      for (const source of sources) edges.push(`${source} > m${i}`);
      edges.push(`m${i} > n${i}`, `n${i} > end`);
    });
    return durableFlow('graph', nodes, edges);
  });

function countsOf(list: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts.values()];
}
