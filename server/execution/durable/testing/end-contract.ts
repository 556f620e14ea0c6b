import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import type { ContractBed } from './contract-bed.ts';
import { durableFlow, effectNode, until, waitNode } from './durable-bed.ts';

/** Ends of runs, deletion, retries on another version, and reports. */
export function endContract(bed: ContractBed): void {
  test('a run that waits is cancelled, and its waits are closed', async () => {
    const run = await bed.start(
      bed.row('f', { a: effectNode(), w: waitNode({ title: '?' }), b: effectNode() }),
    );
    await bed.parked(run);
    expect(bed.world.waits.open_.size).toBe(1);
    expect(await bed.process.durable.cancel(run, 'ann')).toBe(true);
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'cancelled', cancelledBy: 'ann' });
    await until(() => bed.world.waits.open_.size === 0);
    expect(await bed.process.durable.cancel(run, 'bob')).toBe(false);
    expect(bed.world.carried).toEqual(['a']);
  });

  test('a run in a step is cancelled, also when the process dies before it has ended', async () => {
    const run = await bed.start(bed.row('f', { a: effectNode({ ms: 5000 }), b: effectNode() }));
    await until(() => bed.world.carried.includes('a'));
    expect(await bed.process.durable.cancel(run, 'ann')).toBe(true);
    expect((await bed.process.durable.ended(run)).status).toBe('cancelled');
    const nodes = { c: effectNode(), d: effectNode({ ms: 5000 }), e: effectNode() };
    const other = await bed.start(bed.row('g', nodes));
    await until(() => bed.world.carried.includes('d'));
    expect(await bed.process.durable.cancel(other, 'ann')).toBe(true);
    await bed.restart();
    expect((await bed.process.durable.ended(other)).status).toBe('cancelled');
    expect(bed.world.carried).toEqual(['a', 'c', 'd']);
  });

  test('a shutdown leaves runs where they are', async () => {
    const run = await bed.start(
      bed.row('f', { a: effectNode(), b: effectNode({ ms: 80 }), c: effectNode() }),
    );
    await until(() => bed.world.carried.includes('b'));
    await bed.process.stop();
    await bed.boot();
    expect((await bed.process.durable.ended(run)).status).toBe('ok');
    expect(bed.world.carried).toEqual(['a', 'b', 'c']);
  });

  test('every end is reported, even if the process died before', async () => {
    const run = await bed.start(bed.row('f', { a: effectNode({ ms: 30 }) }));
    await until(() => bed.world.carried.length === 1);
    await bed.restart();
    await until(() => bed.world.ended.some((end) => end.run === run));
    expect(bed.world.ended.filter((end) => end.run === run)[0]).toMatchObject({ status: 'ok' });
  });

  test('a run that waits or has ended is in the history by then, as a process that dies leaves it', async () => {
    const nodes = { a: effectNode(), w: waitNode({ title: '?' }), b: effectNode() };
    const run = await bed.start(bed.row('f', nodes));
    await bed.parked(run);
    expect(await bed.world.history.get(run)).toMatchObject({ status: 'waiting' });
    bed.world.waits.decide(run, 'w', 'yes');
    await bed.process.durable.ended(run);
    expect(await bed.world.history.get(run)).toMatchObject({ status: 'ok', recorded: true });
    const events = (await bed.world.history.events(run, 0)).map(
      ({ json }) => JSON.parse(json) as { kind: string },
    );
    expect(events.at(-1)).toMatchObject({ kind: 'run-finished' });
  });
}

export function forgetContract(bed: ContractBed): void {
  test('a run that has ended is deleted with its values and its waits, and its key is free again', async () => {
    const nodes = { a: effectNode({ give: 'x'.repeat(100_000) }), w: waitNode({ title: '?' }) };
    const flow = bed.row('f', nodes);
    const run = await bed.start(flow, 1, 'order 7');
    const { durable } = bed.process;
    await bed.parked(run);
    expect(await durable.forget([run, 'nobody'])).toEqual({ gone: [], left: [run] });
    bed.world.waits.decide(run, 'w', 'yes');
    await durable.ended(run);
    expect(existsSync(join(bed.world.folder, 'values', run))).toBe(true);
    expect(await durable.forget([run, 'nobody'])).toEqual({ gone: [run], left: [] });
    expect(await durable.get(run)).toBeUndefined();
    expect(await durable.list({ limit: 10 })).toEqual([]);
    expect(existsSync(join(bed.world.folder, 'values', run))).toBe(false);
    expect(await bed.world.waits.answer(run, 'w')).toBeUndefined();
    await expect(durable.ended(run)).rejects.toMatchObject({ code: 'run_not_found' });
    expect(await bed.start(flow, 1, 'order 7')).not.toBe(run);
  });
}

export function versionContract(bed: ContractBed): void {
  test('an edit does not affect a run in progress', async () => {
    const nodes = (give: string) => ({ a: effectNode({ ms: 60 }), b: effectNode({ give }) });
    const run = await bed.start(bed.row('f', nodes('old')));
    await until(() => bed.world.carried.includes('a'));
    bed.row('f', nodes('a newer one'));
    await bed.restart();
    expect(await bed.process.durable.ended(run)).toMatchObject({ answer: { body: 'old' } });
  });

  test('a failed run is retried from its failed step', async () => {
    const run = await bed.start(
      bed.row('f', { a: effectNode(), b: effectNode({ failures: 1 }), c: effectNode() }),
    );
    expect((await bed.process.durable.ended(run)).status).toBe('failed');
    const { run: again } = await bed.process.durable.retry(run);
    expect(await bed.process.durable.ended(again)).toMatchObject({ status: 'ok', retryOf: run });
    expect(bed.world.carried).toEqual(['a', 'b', 'b', 'c']);
    expect(new Set(bed.world.keys.get('b')).size).toBe(1);
    await expect(bed.process.durable.retry(again)).rejects.toMatchObject({ code: 'run_not_retryable' });
    await expect(bed.process.durable.retry('nobody')).rejects.toMatchObject({ code: 'run_not_found' });
  });

  test('a step that was cut off by the failure of another one is executed again, and has not failed', async () => {
    const nodes = {
      first: effectNode({ ms: 40, failures: 1 }),
      beside: effectNode({ held: 1, give: 'beside' }),
      end: { operator: 'core.join', params: { inputs: [{ name: 'a' }, { name: 'b' }] } },
    };
    const edges = ['t > first', 't > beside', 'first > end.a', 'beside > end.b'];
    const run = await bed.start(bed.world.flow(durableFlow('cut', nodes, edges)));
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'failed' });
    const { run: again } = await bed.process.durable.retry(run);
    expect(await bed.process.durable.ended(again)).toMatchObject({ status: 'ok' });
    expect(bed.world.carried.toSorted()).toEqual(['beside', 'beside', 'first', 'first']);
  });

  test('a run has one retry at a time, however often it is requested', async () => {
    const run = await bed.start(bed.row('f', { a: effectNode({ failures: 2, ms: 50 }), b: effectNode() }));
    const { durable } = bed.process;
    await durable.ended(run);
    const [first, second] = await Promise.all([durable.retry(run), durable.retry(run)]);
    expect(second).toEqual(first);
    expect((await durable.ended(first.run)).status).toBe('failed');
    const third = await durable.retry(run);
    expect(third).not.toEqual(first);
    expect(await durable.ended(third.run)).toMatchObject({ status: 'ok', retryOf: run });
    expect(bed.world.carried).toEqual(['a', 'a', 'a', 'b']);
  });

  test('a retry on the live version keeps the results of unchanged nodes', async () => {
    const nodes = (b: FlowNode) => ({ a: effectNode(), b, c: effectNode() });
    const run = await bed.start(bed.row('f', nodes(effectNode({ failures: 9 }))));
    await bed.process.durable.ended(run);
    bed.row('f', nodes(effectNode({ give: 'mended' })));
    const { run: again } = await bed.process.durable.retry(run, { version: 'live' });
    expect(await bed.process.durable.ended(again)).toMatchObject({
      status: 'ok',
      answer: { body: 'mended' },
    });
    expect(bed.world.carried).toEqual(['a', 'b', 'b', 'c']);
  });
}

export function watchContract(bed: ContractBed): void {
  test('watchers see one sequence of events over parks and restarts', async () => {
    const run = await bed.start(
      bed.row('f', { a: effectNode(), w: waitNode({ title: '?' }), b: effectNode() }),
    );
    await bed.parked(run);
    const seen: { seq: number; kind: string }[] = [];
    await bed.process.hub.watch(run, 0, (event) => void ('seq' in event && seen.push(event)));
    expect(await bed.process.hub.get(run)).toMatchObject({ status: 'waiting' });
    bed.world.waits.decide(run, 'w', 'yes');
    await bed.process.durable.ended(run);
    await until(() => seen.at(-1)?.kind === 'run-finished');
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, i) => i + 1));
    expect(seen.filter(({ kind }) => kind === 'run-started')).toHaveLength(1);
    expect(seen.filter(({ kind }) => kind === 'node-waiting')).toHaveLength(1);
    const kept = await bed.process.hub.events(run, 0);
    expect(kept).toEqual(seen);
    expect(await bed.process.hub.get(run)).toMatchObject({ status: 'ok', recorded: true });
  });
}
