import { describe, expect, test } from 'vitest';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { ContractBed } from './contract-bed.ts';
import { effectNode, until, waitNode } from './durable-bed.ts';

/** Limits on runs in progress, and the fate of further runs. */
export function limitContract(bed: ContractBed): void {
  describe('beyond `maxRuns`, where the flow sets `reject`', () => {
    const flow = (): LiveFlow =>
      bed.row('f', { w: waitNode({ title: 'May it?' }) }, { maxRuns: 1, whenFull: 'reject' });
    const full = { code: 'too_many_runs', headers: { 'retry-after': '1' } };

    test('a run is refused, and nothing of it is stored; the place is free again when the previous run is over', async () => {
      const first = await bed.start(flow());
      await expect(bed.start(flow())).rejects.toMatchObject(full);
      await bed.parked(first);
      await expect(bed.start(flow())).rejects.toMatchObject(full);
      expect(await bed.process.durable.list({ limit: 10 })).toHaveLength(1);
      bed.world.waits.decide(first, 'w', 'yes');
      await bed.process.durable.ended(first);
      await bed.start(flow());
    });

    test('a second start with a key gives the first run', async () => {
      const first = await bed.start(flow(), 1, 'k');
      expect(await bed.start(flow(), 1, 'k')).toBe(first);
      await bed.process.durable.cancel(first, 'test');
      await bed.process.durable.ended(first);
      await until(async () => (await bed.start(flow(), 1, 'other')) !== first);
      expect(await bed.start(flow(), 1, 'k')).toBe(first);
    });

    test('runs of the previous process count from the start', async () => {
      const first = await bed.start(flow());
      await bed.parked(first);
      await bed.restart();
      await expect(bed.start(flow())).rejects.toMatchObject(full);
      bed.world.waits.decide(first, 'w', 'yes');
      await bed.process.durable.ended(first);
      await bed.start(flow());
    });

    test('a run that could not be stored takes no place', async () => {
      bed.world.failWrites(1);
      await expect(bed.start(flow())).rejects.toThrow('The disk is full.');
      await bed.start(flow());
    });
  });

  test('beyond `maxRuns` a run waits for its turn by default', async () => {
    const flow = bed.row('f', { a: effectNode(), w: waitNode({ title: 'May it?' }) }, { maxRuns: 1 });
    const [first, second] = [await bed.start(flow), await bed.start(flow)];
    await bed.parked(first);
    bed.world.waits.decide(first, 'w', 'yes');
    bed.world.waits.decide(second, 'w', 'yes');
    expect((await bed.process.durable.ended(second)).status).toBe('ok');
    expect(bed.world.carried).toEqual(['a', 'a']);
  });
}

/** The number of runs that are reported as waiting. */
export function countContract(bed: ContractBed): void {
  test('runs that wait for people or a time are counted, over restarts; one that waits for its turn is not', async () => {
    const nodes = { w: waitNode({ title: 'May it?' }) };
    const flow = bed.row('f', nodes, { maxRuns: 1 });
    const [first, behind, other] = [
      await bed.start(flow),
      await bed.start(flow),
      await bed.start(bed.row('g', nodes)),
    ];
    const waiting = (count: number): Promise<void> => until(() => bed.process.durable.waiting === count);
    for (const run of [first, behind, other]) await bed.parked(run);
    await waiting(2);
    await bed.restart();
    await waiting(2);
    bed.world.waits.decide(other, 'w', 'yes');
    await bed.process.durable.ended(other);
    await waiting(1);
    await bed.process.durable.cancel(first, 'test');
    await bed.process.durable.ended(first);
    await until(async () => bed.world.waits.open_.size === 1 && bed.process.durable.waiting === 1);
  });
}
