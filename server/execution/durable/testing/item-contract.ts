import { describe, expect, test } from 'vitest';
import type { FlowBody, FlowNode } from '#shared/flow.ts';
import type { ContractBed } from './contract-bed.ts';
import { durableFlow, effectNode, until, waitNode } from './durable-bed.ts';

/** Nodes that run once for each item of a list. */
export function itemContract(bed: ContractBed): void {
  describe('a node with `each`', () => {
    test('repeats after a crash only the items in flight, under the same keys', async () => {
      const each = { concurrency: 2 };
      const flow = bed.row('f', { a: effectNode({ ms: 100 }, { each }), b: effectNode() });
      const run = await bed.start(flow, ['x', 'y', 'z', 'u', 'v', 'w']);
      await until(async () => (await bed.process.engine.steps(run)).length >= 3);
      await bed.restart();
      expect(await bed.process.durable.ended(run)).toMatchObject({
        status: 'ok',
        answer: { body: ['x', 'y', 'z', 'u', 'v', 'w'] },
      });
      const executed = bed.world.carried.filter((node) => node === 'a').length;
      // At most two were in flight.
      expect(executed).toBeLessThanOrEqual(6 + each.concurrency);
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

/** Nodes with bodies: each step of each round has its own record. */
export function bodyContract(bed: ContractBed): void {
  const loop = (nodes: Record<string, FlowNode>, params: object = {}): FlowNode => {
    const names = ['item', ...Object.keys(nodes)];
    const edges = names.slice(1).map((to, i) => ({ from: `${names[i]}.out`, to: `${to}.in` }));
    return { operator: 'data.for-each', params: { ...params }, body: { start: 'item', nodes, edges } };
  };

  describe('a body', () => {
    test('repeats after a crash only the steps in flight, under the same keys', async () => {
      const flow = bed.row('f', {
        loop: loop({ a: effectNode({ ms: 10 }), b: effectNode({ ms: 10 }) }, { concurrency: 2 }),
        after: effectNode(),
      });
      const run = await bed.start(flow, ['x', 'y', 'z', 'u']);
      await until(async () => (await bed.process.engine.steps(run)).length >= 3);
      await bed.restart();
      expect(await bed.process.durable.ended(run)).toMatchObject({
        status: 'ok',
        answer: { body: ['x', 'y', 'z', 'u'] },
      });
      for (const node of ['a', 'b']) {
        const executed = bed.world.carried.filter((one) => one === node).length;
        expect(executed).toBeGreaterThanOrEqual(4);
        expect(executed).toBeLessThanOrEqual(6);
        expect(new Set(bed.world.keys.get(node))).toEqual(
          new Set(['x', 'y', 'z', 'u'].map((_, round) => `${run}:loop#${round}:${node}`)),
        );
      }
    });

    test('waits for people in a body of a body, over a crash', async () => {
      const inner = { ...loop({ w: waitNode({ title: '?' }) }), operator: 'core.group' };
      const group = { ...inner, body: { ...(inner.body as FlowBody), start: 'inside' } };
      const edges = [{ from: 'inside.out', to: 'w.in' }];
      const flow = bed.row('f', {
        loop: loop({ a: effectNode(), g: { ...group, body: { ...group.body, edges } } }, { concurrency: 2 }),
      });
      const run = await bed.start(flow, [1, 2]);
      await bed.parked(run);
      const keys = (await bed.process.durable.get(run))?.waitingFor?.map(({ key }) => key).sort();
      expect(keys).toEqual(['loop#0/g/w', 'loop#1/g/w']);
      await bed.restart();
      bed.world.waits.decide(run, 'loop#1/g/w', 'second');
      bed.world.waits.decide(run, 'loop#0/g/w', 'first');
      expect(await bed.process.durable.ended(run)).toMatchObject({
        status: 'ok',
        answer: { body: ['first', 'second'] },
      });
      expect(bed.world.carried).toEqual(['a', 'a']);
    });

    test('is tried again for an item that failed', async () => {
      const params = { attempts: 3, retryDelayMs: 1, concurrency: 1 };
      const flow = bed.row('f', { loop: loop({ a: effectNode(), b: effectNode({ failures: 2 }) }, params) });
      const run = await bed.start(flow, ['x', 'y']);
      expect(await bed.process.durable.ended(run)).toMatchObject({
        status: 'ok',
        answer: { body: ['x', 'y'] },
      });
      expect(bed.world.carried).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b']);
      expect(new Set(bed.world.keys.get('b'))).toEqual(new Set([0, 1].map((n) => `${run}:loop#${n}:b`)));
    });

    test.each([
      ['repeats', { operator: 'data.repeat-until', params: { until: '{{ index == 2 }}', delayMs: 200 } }, 0],
      ['tries an item again', { params: { attempts: 3, retryDelayMs: 200 } }, 2],
    ])('%s while another node waits', async (_, more, failures) => {
      const nodes = {
        w: waitNode({ title: '?' }),
        l: { ...loop({ a: effectNode({ failures }) }), ...more },
        m: { operator: 'core.merge' },
      };
      const flow = bed.world.flow(durableFlow('f', nodes, ['t > w', 't > l', 'w > m', 'l > m']));
      const run = await bed.start(flow, [1]);
      await until(() => bed.world.carried.length === 3, 10_000);
      await bed.parked(run);
      bed.world.waits.decide(run, 'w', 'yes');
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok' });
      expect(bed.world.carried).toEqual(['a', 'a', 'a']);
    });

    test('that failed is retried from the step that failed in it', async () => {
      const inner = { ...loop({ b: effectNode({ failures: 1 }), c: effectNode() }), operator: 'core.group' };
      const group = (start: string): FlowNode => ({
        ...inner,
        body: {
          ...(inner.body as FlowBody),
          start,
          edges: [
            { from: `${start}.out`, to: 'b.in' },
            { from: 'b.out', to: 'c.in' },
          ],
        },
      });
      for (const [id, node] of [
        ['f', loop({ a: effectNode(), g: group('inside') }, { concurrency: 1 })],
        ['g', { ...loop({ a: effectNode(), g: group('inside') }), operator: 'core.group' }],
      ] as const) {
        bed.world.carried.length = 0;
        const run = await bed.start(bed.row(id, { node, after: effectNode() }), ['x', 'y']);
        expect((await bed.process.durable.ended(run)).status).toBe('failed');
        expect(bed.world.carried).toEqual(['a', 'b']);
        const { run: again } = await bed.process.durable.retry(run);
        expect(await bed.process.durable.ended(again)).toMatchObject({
          status: 'ok',
          answer: { body: ['x', 'y'] },
        });
        const rest = id === 'f' ? ['a', 'b', 'c'] : [];
        expect(bed.world.carried).toEqual(['a', 'b', 'b', 'c', ...rest, 'after']);
      }
    });

    test('keeps what became of a step whose error was handled in it', async () => {
      const off = effectNode({ failures: 1 }, { onError: 'continue', fallback: { out: 'none' } });
      const flow = bed.row('f', {
        g: { ...loop({ off, b: effectNode({ failures: 1 }) }), operator: 'core.group' },
      });
      const run = await bed.start(flow);
      expect((await bed.process.durable.ended(run)).status).toBe('failed');
      const { run: again } = await bed.process.durable.retry(run);
      expect(await bed.process.durable.ended(again)).toMatchObject({
        status: 'ok',
        answer: { body: 'none' },
      });
      expect(bed.world.carried).toEqual(['off', 'b', 'b']);
    });
  });
}
