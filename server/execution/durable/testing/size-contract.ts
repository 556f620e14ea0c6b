import { expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import type { ContractBed } from './contract-bed.ts';
import { durableFlow, effectNode, until, waitNode } from './durable-bed.ts';

/** More steps than an engine may support on its own; some have a limit of 1,000. */
const MANY = 1100;
const MS = 30_000;

function carriedIn(bed: ContractBed): (count: number) => Promise<void> {
  return (count) => until(() => bed.world.carried.length >= count, MS);
}

/** Kills the process after about these numbers of steps. */
async function killAt(bed: ContractBed, counts: readonly number[]): Promise<void> {
  for (const count of counts) {
    await carriedIn(bed)(count + Math.floor(Math.random() * 100));
    await bed.restart();
  }
}

/** A step with many parts. */
export function loopContract(bed: ContractBed): void {
  const carried = carriedIn(bed);

  test('a loop within a step: a kill, a stop and a failure repeat no item that ended', async () => {
    const params = { items: 300, fails: 250 };
    const nodes = { a: { operator: 'test.loop', params }, z: effectNode() };
    const run = await bed.start(bed.row('f', nodes));
    await killAt(bed, [50]);
    await carried(200);
    await bed.process.stop(5000);
    const ended = bed.world.carried.length;
    await bed.boot();
    expect((await bed.process.durable.ended(run)).error).toMatchObject({ node: 'a' });
    const { run: again } = await bed.process.durable.retry(run);
    expect(await bed.process.durable.ended(again)).toMatchObject({ status: 'ok', answer: { body: 300 } });
    const items = bed.world.carried.filter((name) => name !== 'z');
    const repeated = items.filter((name, i) => items.indexOf(name) !== i);
    // Those in flight at the kill, and the failed one with its parallel steps.
    expect(repeated.length).toBeLessThanOrEqual(10);
    expect(items.slice(0, ended).filter((name) => items.slice(ended).includes(name))).toEqual([]);
    expect(new Set(items).size).toBe(300);
  });
}

/** Runs with very many steps. */
export function sizeContract(bed: ContractBed): void {
  const carried = carriedIn(bed);

  test('1,500 steps in sequence: each is executed once, and once more if a kill hit it', async () => {
    const run = await bed.start(bed.row('f', effects(1500)));
    await killAt(bed, [300, 700, 1200]);
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', passes: 4 });
    const again = bed.world.carried.filter((node, i) => bed.world.carried.indexOf(node) !== i);
    expect(again.length).toBeLessThanOrEqual(3);
    expect([...new Set(bed.world.carried)]).toEqual(Object.keys(effects(1500)));
  });

  test('1,500 parallel steps: only those in flight are repeated', async () => {
    const nodes = effects(1500);
    const names = Object.keys(nodes);
    const edges = [...names.map((name) => `t > ${name}`), ...names.map((name) => `${name} > m`)];
    const settings = { concurrency: 20 };
    const flow = durableFlow('wide', { ...nodes, m: { operator: 'core.merge' } }, edges, settings);
    const run = await bed.start(bed.world.flow(flow));
    await killAt(bed, [1100]);
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', passes: 2 });
    expect(new Set(bed.world.carried).size).toBe(1500);
    expect(bed.world.carried.length).toBeLessThanOrEqual(1500 + 20);
  });

  test('an effect for each of 1,500 items: no finished item is repeated', async () => {
    const stream = { s: { operator: 'core.streamify' }, u: { operator: 'core.unstreamify' } };
    const flow = bed.row('f', { s: stream.s, a: effectNode(), u: stream.u });
    const list = Array.from({ length: 1500 }, (_, i) => i);
    const run = await bed.start(flow, list);
    await killAt(bed, [600, 1200]);
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: list } });
    expect(new Set(bed.world.keys.get('a')).size).toBe(1500);
    expect(bed.world.carried.length).toBeLessThanOrEqual(1502);
  });

  test('after many steps a run waits, fails and is retried like any other', async () => {
    const tail = { w: waitNode({ title: '?' }), x: effectNode({ failures: 1 }), z: effectNode() };
    const run = await bed.start(bed.row('f', { ...effects(MANY), ...tail }));
    await until(async () => (await bed.process.durable.get(run))?.status === 'waiting', MS);
    await bed.restart();
    bed.world.waits.decide(run, 'w', 'yes');
    expect((await bed.process.durable.ended(run)).error).toMatchObject({ node: 'x' });
    const { run: again } = await bed.process.durable.retry(run);
    await carried(MANY + 2);
    await bed.restart();
    expect(await bed.process.durable.ended(again)).toMatchObject({ status: 'ok', answer: { body: 'yes' } });
    const repeated = bed.world.carried.slice(MANY + 1);
    expect(repeated.filter((node) => node !== 'x' && node !== 'z')).toEqual([]);
    expect(new Set(bed.world.keys.get('x')).size).toBe(1);
  });

  test('after many steps a run is cancelled like any other', async () => {
    const nodes = { ...effects(MANY), x: effectNode({ ms: 20_000 }), z: effectNode() };
    const run = await bed.start(bed.row('f', nodes));
    await carried(MANY + 1);
    expect(await bed.process.durable.cancel(run, 'ann')).toBe(true);
    await bed.restart();
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'cancelled', cancelledBy: 'ann' });
    expect(bed.world.carried).toHaveLength(MANY + 1);
  });
}

function effects(count: number): Record<string, FlowNode> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, effectNode()]));
}
