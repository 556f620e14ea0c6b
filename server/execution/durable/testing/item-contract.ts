import { describe, expect, test } from 'vitest';
import type { ContractBed } from './contract-bed.ts';
import { effectNode, until, waitNode } from './durable-bed.ts';

/** Nodes that run once for each item of a list. */
export function itemContract(bed: ContractBed): void {
  describe('a node with `each`', () => {
    test('repeats after a crash only the items in flight, under the same keys', async () => {
      const each = { concurrency: 2 };
      const flow = bed.row('f', { a: effectNode({ ms: 20 }, { each }), b: effectNode() });
      const run = await bed.start(flow, ['x', 'y', 'z', 'u', 'v', 'w']);
      await until(async () => (await bed.process.engine.steps(run)).length >= 3);
      await bed.restart();
      const kept = bed.world.carried.length;
      expect(await bed.process.durable.ended(run)).toMatchObject({
        status: 'ok',
        answer: { body: ['x', 'y', 'z', 'u', 'v', 'w'] },
      });
      const executed = bed.world.carried.filter((node) => node === 'a').length;
      // At most two were in flight.
      expect(executed).toBeLessThanOrEqual(6 + each.concurrency);
      expect(kept).toBeLessThan(executed + 1);
      expect(new Set(bed.world.keys.get('a'))).toEqual(
        new Set(Array.from({ length: 6 }, (_, index) => `${run}:a#${index}`)),
      );
    });

    test('parks the run when every item waits, even after others have ended', async () => {
      const flow = bed.row('f', {
        w: { ...waitNode({ title: '?' }), each: { concurrency: 2 } },
        b: effectNode(),
      });
      const run = await bed.start(flow, [1, 2, 3]);
      await bed.parked(run);
      bed.world.waits.decide(run, 'w#1', 'second');
      await until(async () =>
        ((await bed.process.durable.get(run))?.waitingFor ?? []).some(({ key }) => key === 'w#2'),
      );
      await bed.parked(run);
      await bed.restart();
      bed.world.waits.decide(run, 'w#0', 'first');
      bed.world.waits.decide(run, 'w#2', 'third');
      expect(await bed.process.durable.ended(run)).toMatchObject({
        status: 'ok',
        answer: { body: ['first', 'second', 'third'] },
      });
      expect(bed.world.carried).toEqual(['b']);
    });
  });
}
