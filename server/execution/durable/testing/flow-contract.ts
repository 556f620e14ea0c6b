import { describe, expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import type { ContractBed } from './contract-bed.ts';
import { effectNode, until, waitNode } from './durable-bed.ts';

const call = (flow: string, params: object = {}): FlowNode => ({
  operator: 'flow.call',
  params: { flow, ...params },
});
const each = (flow: string, params: object = {}): FlowNode => ({
  operator: 'data.for-each',
  params: { flow, ...params },
});

/** Flows that steps call: they are durable with the run. */
export function calledFlowContract(bed: ContractBed): void {
  const executed = (node: string): number => bed.world.carried.filter((one) => one === node).length;

  describe('a called flow', () => {
    test('repeats after a crash only the step in flight, under the same key', async () => {
      bed.row('inner', { a: effectNode(), b: effectNode({ held: 1 }), c: effectNode() });
      const run = await bed.start(bed.row('f', { call: call('inner'), after: effectNode() }), 'x');
      await until(() => executed('b') === 1);
      await bed.restart();
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'x' } });
      expect(bed.world.carried).toEqual(['a', 'b', 'b', 'c', 'after']);
      expect(bed.world.keys.get('b')).toEqual([`${run}:call:b`, `${run}:call:b`]);
    });

    test('waits for people, in a flow that a flow calls for each item, over a crash', async () => {
      bed.row('ask', { a: effectNode(), w: waitNode({ title: '?' }), b: effectNode() });
      bed.row('middle', { before: effectNode(), inner: call('ask') });
      const run = await bed.start(bed.row('f', { loop: each('middle', { concurrency: 2 }) }), [1, 2, 3]);
      await bed.parked(run);
      const waiting = async (): Promise<string[]> =>
        ((await bed.process.durable.get(run))?.waitingFor ?? []).map(({ key }) => key).sort();
      expect(await waiting()).toEqual(['loop/0/inner/w', 'loop/1/inner/w']);
      await bed.restart();
      bed.world.waits.decide(run, 'loop/1/inner/w', 'second');
      await until(async () => (await waiting()).includes('loop/2/inner/w'));
      await bed.parked(run);
      await bed.restart();
      bed.world.waits.decide(run, 'loop/0/inner/w', 'first');
      bed.world.waits.decide(run, 'loop/2/inner/w', 'third');
      expect(await bed.process.durable.ended(run)).toMatchObject({
        status: 'ok',
        answer: { body: ['first', 'second', 'third'] },
      });
      for (const node of ['before', 'a', 'b']) expect(executed(node)).toBe(3);
    });

    test('goes on in each of the rounds that were in progress, and repeats none that has ended', async () => {
      const rounds = { operator: 'data.repeat-until', params: { flow: 'inner', until: '{{ index == 3 }}' } };
      bed.row('inner', { a: effectNode(), b: effectNode({ ms: 10 }) });
      const run = await bed.start(bed.row('f', { rounds }), 'x');
      await until(() => executed('b') === 3);
      await bed.restart();
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'x' } });
      expect(executed('a')).toBe(4);
      expect(executed('b')).toBeLessThanOrEqual(5);
      expect(new Set(bed.world.keys.get('b'))).toEqual(
        new Set([0, 1, 2, 3].map((round) => `${run}:rounds#${round}:b`)),
      );
    });

    test('keeps the version that the run saw first, in every round, place and pass', async () => {
      const first = {
        a: effectNode({ give: 'old' }),
        w: waitNode({ title: '?' }),
        c: effectNode({ give: 'old' }),
      };
      bed.row('inner', first);
      const run = await bed.start(
        bed.row('f', { loop: each('inner', { concurrency: 1 }), last: call('inner') }),
        [1, 2],
      );
      await bed.parked(run);
      bed.row('inner', { a: effectNode({ give: 'new' }), changed: effectNode({ give: 'new' }) });
      await bed.restart();
      for (const key of ['loop/0/w', 'loop/1/w', 'last/w']) {
        await until(async () =>
          ((await bed.process.durable.get(run))?.waitingFor ?? []).some((one) => one.key === key),
        );
        bed.world.waits.decide(run, key, 'yes');
      }
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'old' } });
      expect(bed.world.carried).toEqual(['a', 'c', 'a', 'c', 'a', 'c']);
    });

    test('is cancelled with the run that waits in it', async () => {
      bed.row('ask', { w: waitNode({ title: '?' }), b: effectNode() });
      bed.row('middle', { inner: call('ask') });
      const run = await bed.start(bed.row('f', { outer: call('middle'), after: effectNode() }));
      await bed.parked(run);
      await bed.process.durable.cancel(run, 'Ada');
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'cancelled' });
      expect(bed.world.carried).toEqual([]);
    });

    test('that fails is handled by the step that calls it, and tried again with new records', async () => {
      bed.row('inner', { a: effectNode(), b: effectNode({ failures: 1 }) });
      const retry = { attempts: 2, backoffMs: 1, factor: 1, jitter: 0 };
      const run = await bed.start(bed.row('f', { call: { ...call('inner'), retry } }), 'x');
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'x' } });
      expect(bed.world.carried).toEqual(['a', 'b', 'a', 'b']);
    });

    test('that failed with its run is retried with it', async () => {
      bed.row('inner', { a: effectNode(), b: effectNode({ failures: 1 }), c: effectNode() });
      for (const [id, node] of [
        ['f', call('inner')],
        ['g', each('inner', { concurrency: 1 })],
      ] as const) {
        bed.world.carried.length = 0;
        const run = await bed.start(bed.row(id, { node, after: effectNode() }), ['x', 'y']);
        expect((await bed.process.durable.ended(run)).status).toBe('failed');
        expect(bed.world.carried).toEqual(['a', 'b']);
        const { run: again } = await bed.process.durable.retry(run);
        expect(await bed.process.durable.ended(again)).toMatchObject({ status: 'ok' });
        const rest = id === 'f' ? ['b', 'c', 'after'] : ['b', 'c', 'a', 'b', 'c', 'after'];
        expect(bed.world.carried).toEqual(['a', 'b', ...rest]);
      }
    });

    test('leaves no record of its own for a pass that ended without it', async () => {
      bed.row('ask', { w: waitNode({ title: '?' }) });
      const run = await bed.start(bed.row('f', { call: call('ask') }), 'x');
      await bed.parked(run);
      bed.world.waits.decide(run, 'call/w', 'yes');
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'yes' } });
      const { started, ok, cancelled, inFlight } = bed.process.hub.stats();
      expect({ started, ok, cancelled, inFlight }).toEqual({ started: 2, ok: 2, cancelled: 0, inFlight: 0 });
    });
  });
}
