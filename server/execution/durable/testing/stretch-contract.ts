import { describe, expect, test } from 'vitest';
import { STRETCH } from '#engine';
import type { FlowNode } from '#shared/flow.ts';
import type { ContractBed } from './contract-bed.ts';
import { durableFlow, effectNode, until, waitNode } from './durable-bed.ts';

const ITEMS = STRETCH + 250;
const CONCURRENCY = 8;
const list = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** `a` for each item, in a body of a loop, as a node with `each`, and in a flow. */
const loops: Readonly<Record<string, (bed: ContractBed) => FlowNode>> = {
  'a body': () => overBody({ a: effectNode() }),
  'a node with `each`': () => effectNode({}, { each: { maxItems: 1_000_000, concurrency: CONCURRENCY } }),
  'a called flow': (bed) => {
    bed.world.flow(durableFlow('inner', { a: effectNode() }, ['t > a']));
    return { operator: 'data.for-each', params: { ...params, flow: 'inner' } };
  },
};
const params = { maxItems: 1_000_000, concurrency: CONCURRENCY };

function overBody(nodes: Record<string, FlowNode>, start = 'item'): FlowNode {
  const names = [start, ...Object.keys(nodes)];
  const edges = names.slice(1).map((to, i) => ({ from: `${names[i]}.out`, to: `${to}.in` }));
  return { operator: 'data.for-each', params, body: { start, nodes, edges } };
}

/** Loops whose items are recorded by stretches. */
export function stretchContract(bed: ContractBed): void {
  const times = (node: string): number => bed.world.carried.filter((one) => one === node).length;
  const recorded = async (run: string): Promise<string[]> =>
    (await bed.process.engine.steps(run)).map(({ key }) => key);

  describe('a loop over many items', () => {
    test.each(Object.entries(loops))(
      '%s: kills repeat no item that ended, and few records are left',
      async (kind, node) => {
        const name = kind.includes('each') ? 'a' : 'loop';
        const flow = bed.row('f', { [name]: node(bed), z: effectNode({ give: 1 }) });
        const run = await bed.start(flow, list(ITEMS));
        for (const count of [STRETCH / 2, STRETCH + 50]) {
          await until(() => times('a') >= count);
          await bed.restart();
        }
        const end = await bed.process.durable.ended(run);
        expect(end).toMatchObject({ status: 'ok', answer: { body: 1 } });
        const keys = bed.world.keys.get('a') ?? [];
        expect(new Set(keys).size).toBe(ITEMS);
        expect(keys.length - ITEMS).toBeLessThanOrEqual(2 * CONCURRENCY);
        const left = await recorded(run);
        expect(left.filter((key) => /#(?:0-499|500-749)$/.test(key))).toHaveLength(2);
        // The loop and `z` have one each, and some stay for the order that they hold.
        expect(left.length).toBeLessThan(STRETCH / 5);
        expect(times('z')).toBe(1);
      },
    );

    test('the values of all stretches are the result, with what was left out and what failed', async () => {
      const items = list(ITEMS).map((item) => (item % 400 === 0 ? {} : { item }));
      const loop = overBody({
        a: effectNode(),
        m: { operator: 'core.map', params: { value: '{{ input.item }}' } },
      });
      const skipping = { ...loop, params: { ...params, onItemError: 'skip' } };
      const last = { operator: 'core.map', params: { value: '{{ nodes.loop }}' } };
      const flow = bed.row('f', { loop: skipping, w: waitNode({ title: '?' }), last });
      const run = await bed.start(flow, items);
      await bed.parked(run);
      await bed.restart();
      bed.world.waits.decide(run, 'w', 'yes');
      expect((await bed.process.durable.ended(run)).answer?.body).toEqual(
        list(ITEMS).filter((item) => item % 400 !== 0),
      );
      expect(times('a')).toBe(ITEMS);
    });

    test('a wait for people in a later stretch survives a crash, and nothing before it is repeated', async () => {
      const asks = STRETCH + 3;
      const body = overBody({
        a: effectNode(),
        i: { operator: 'logic.if', params: { condition: `{{ input == ${asks} }}` } },
        w: waitNode({ title: '?' }),
      });
      const edges = [
        { from: 'item.out', to: 'a.in' },
        { from: 'a.out', to: 'i.in' },
        { from: 'i.then', to: 'w.in' },
      ];
      const loop = { ...body, body: { ...(body.body as object), edges } } as FlowNode;
      const run = await bed.start(bed.row('f', { loop }), list(STRETCH + 10));
      await bed.parked(run);
      const before = times('a');
      await bed.restart();
      bed.world.waits.decide(run, `loop#${asks}/w`, 'yes');
      const { body: values } = (await bed.process.durable.ended(run)).answer as { body: unknown[] };
      expect(values.filter((one) => one !== null)).toEqual(['yes']);
      expect(before).toBe(STRETCH + 10);
      expect(times('a')).toBe(before);
    });

    test('nodes beside it end in the same order after a crash', async () => {
      const nodes = {
        loop: overBody({ a: effectNode() }),
        x: effectNode({ ms: 30 }),
        y: effectNode({ ms: 60 }),
        w: waitNode({ title: '?' }),
        m: { operator: 'core.merge' },
      };
      const edges = ['t > loop', 't > x', 't > y', 'x > m', 'y > m', 'loop > w', 'w > m'];
      const flow = bed.world.flow(durableFlow('f', nodes, edges));
      const run = await bed.start(flow, list(ITEMS));
      await bed.parked(run);
      await bed.restart();
      bed.world.waits.decide(run, 'w', 'yes');
      expect((await bed.process.durable.ended(run)).status).toBe('ok');
      expect([times('a'), times('x'), times('y')]).toEqual([ITEMS, 1, 1]);
    });

    test('rounds of a repetition: a kill repeats none that ended', async () => {
      const rounds = STRETCH + 100;
      const { body } = overBody({
        a: effectNode(),
        m: { operator: 'core.map', params: { value: '{{ input + 1 }}' } },
      });
      const params_ = { until: `{{ item == ${rounds} }}`, maxRounds: 1000 };
      const loop = { operator: 'data.repeat-until', params: params_, body } as FlowNode;
      const run = await bed.start(bed.row('f', { loop }), 0);
      await until(() => times('a') >= STRETCH + 20);
      await bed.restart();
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: rounds } });
      expect(times('a')).toBeLessThanOrEqual(rounds + 1);
      expect((await recorded(run)).length).toBeLessThan(STRETCH / 2);
    });

    test('a retry with a called flow that has changed works on all items again', async () => {
      const inner = (value: string): void => {
        const nodes = { a: effectNode(), m: { operator: 'core.map', params: { value } } };
        bed.world.flow(durableFlow('inner', nodes, ['t > a', 'a > m']));
      };
      inner('{{ input.item }}');
      const loop = { operator: 'data.for-each', params: { ...params, flow: 'inner' } };
      const items = list(STRETCH + 10).map((item) => (item > STRETCH ? {} : { item }));
      const run = await bed.start(bed.row('f', { loop }), items);
      expect((await bed.process.durable.ended(run)).error).toMatchObject({ code: 'missing_field' });
      expect(await recorded(run)).toContain('loop#0-499');
      inner('new');
      const { run: again } = await bed.process.durable.retry(run, { version: 'live' });
      const { answer } = await bed.process.durable.ended(again);
      expect(answer?.body).toEqual(items.map(() => 'new'));
    });

    test('a retry of a run that failed behind it repeats no item', async () => {
      const run = await bed.start(
        bed.row('f', { loop: overBody({ a: effectNode() }), z: effectNode({ failures: 1, give: 1 }) }),
        list(ITEMS),
      );
      expect((await bed.process.durable.ended(run)).error).toMatchObject({ node: 'z' });
      const { run: again } = await bed.process.durable.retry(run);
      expect(await bed.process.durable.ended(again)).toMatchObject({ status: 'ok', answer: { body: 1 } });
      expect(times('a')).toBe(ITEMS);
    });
  });
}

/** More items than a run may have records. */
export function longLoopContract(bed: ContractBed): void {
  test('a loop over 21,000 items records them all, and is killed on its way', {
    timeout: 300_000,
  }, async () => {
    const items = 21_000;
    const loop = overBody({ a: effectNode() });
    const run = await bed.start(bed.row('f', { loop, z: effectNode({ give: 1 }) }), list(items));
    const carried = (): number => bed.world.carried.length;
    for (const count of [3000, 12_000]) {
      await until(() => carried() >= count, 120_000);
      await bed.restart();
    }
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok' });
    const keys = bed.world.keys.get('a') ?? [];
    expect(new Set(keys).size).toBe(items);
    expect(keys.length - items).toBeLessThanOrEqual(2 * CONCURRENCY);
    expect((await bed.process.engine.steps(run)).length).toBeLessThan(2 * STRETCH);
  });
}
