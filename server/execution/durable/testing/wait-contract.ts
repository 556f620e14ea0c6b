import { describe, expect, test } from 'vitest';
import { WeftError } from '#engine';
import type { ContractBed } from './contract-bed.ts';
import { durableFlow, effectNode, until, waitNode } from './durable-bed.ts';

/** Waits for times and people. */
export function waitContract(bed: ContractBed): void {
  test('a time parks the run, and wakes it', async () => {
    const run = await bed.start(bed.row('f', { a: effectNode(), w: waitNode({ ms: 700 }), b: effectNode() }));
    const view = await bed.process.durable.settled(run);
    expect(view).toMatchObject({ status: 'waiting', waitingFor: [{ node: 'w', what: { kind: 'time' } }] });
    expect(bed.process.hub.inFlight).toBe(0);
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', passes: 2 });
    expect(bed.world.carried).toEqual(['a', 'b']);
  });

  test('a time that came while no process ran is handled at the start', async () => {
    const run = await bed.start(bed.row('f', { a: effectNode(), w: waitNode({ ms: 700 }), b: effectNode() }));
    await bed.parked(run);
    await bed.process.kill();
    await new Promise((resolve) => setTimeout(resolve, 750));
    await bed.boot();
    expect((await bed.process.durable.ended(run)).status).toBe('ok');
    expect(bed.world.carried).toEqual(['a', 'b']);
  });

  test('the clock of a run stands at its start over a wait and a restart', async () => {
    const now = effectNode({ give: '{{ now() }}' });
    const compare = { operator: 'core.map', params: { value: '{{ [nodes.a == now(), typeOf(nodes.a)] }}' } };
    const run = await bed.start(bed.row('f', { a: now, w: waitNode({ title: '?' }), b: compare }));
    await bed.parked(run);
    await bed.restart();
    bed.world.waits.decide(run, 'w', 'yes');
    expect(await bed.process.durable.ended(run)).toMatchObject({
      status: 'ok',
      answer: { body: [true, 'string'] },
    });
  });

  test('the time of a run goes on while it waits', async () => {
    const run = await bed.start(
      bed.row('f', { w: waitNode({ title: '?' }), b: effectNode() }, { timeoutMs: 1300 }),
    );
    expect(await bed.process.durable.settled(run)).toMatchObject({ status: 'waiting' });
    expect(await bed.process.durable.ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'run_timeout' },
    });
    expect(bed.world.carried).toEqual([]);
  });

  test('a park waits for running branches, and repeats none of them', async () => {
    const nodes = { w: waitNode({ title: '?' }), s: effectNode({ ms: 80 }), m: { operator: 'core.merge' } };
    const run = await bed.start(
      bed.world.flow(durableFlow('f', nodes, ['t > w', 't > s', 'w > m', 's > m'])),
    );
    await bed.parked(run);
    bed.world.waits.decide(run, 'w', 'yes');
    expect((await bed.process.durable.ended(run)).status).toBe('ok');
    expect(bed.world.carried).toEqual(['s']);
  });
}

export function answerContract(bed: ContractBed): void {
  describe('an answer', () => {
    const flow = () => bed.row('f', { a: effectNode(), w: waitNode({ title: 'May it?' }), b: effectNode() });

    test('that comes during the wait wakes the run', async () => {
      const run = await bed.start(flow());
      await bed.parked(run);
      bed.world.waits.decide(run, 'w', 'yes');
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'yes' } });
      expect(bed.world.carried).toEqual(['a', 'b']);
    });

    test('is asked for once the disk accepts the question; until then the run does not fail', async () => {
      const { waits } = bed.world;
      const { open } = waits;
      let refusals = 1;
      waits.open = (wait) =>
        refusals-- > 0 ? Promise.reject(new WeftError('storage_failed', 'full')) : open(wait);
      const run = await bed.start(flow());
      await bed.parked(run);
      bed.world.waits.decide(run, 'w', 'yes');
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'yes' } });
      expect(bed.world.carried).toEqual(['a', 'b']);
    });

    test('that comes before the wait is not lost', async () => {
      const early = bed.row('f', { a: effectNode({ ms: 50 }), w: waitNode({ title: 'May it?' }) });
      const run = await bed.start(early);
      await until(() => bed.world.carried.includes('a'));
      bed.world.waits.decide(run, 'w', 'early');
      expect(await bed.process.durable.ended(run)).toMatchObject({ answer: { body: 'early' } });
    });

    test('that was stored when the process died is found at the start', async () => {
      const run = await bed.start(flow());
      await bed.parked(run);
      await bed.process.kill();
      bed.world.waits.decide(run, 'w', 'late');
      await bed.boot();
      expect(await bed.process.durable.ended(run)).toMatchObject({ answer: { body: 'late' } });
      expect(bed.world.carried).toEqual(['a', 'b']);
    });

    test('that was taken is not waited for again after a crash', async () => {
      const run = await bed.start(
        bed.row('f', { w: waitNode({ title: 'May it?' }), b: effectNode({ held: 2 }) }),
      );
      await bed.parked(run);
      bed.world.waits.decide(run, 'w', 'yes');
      for (const times of [1, 2]) {
        await until(() => bed.world.carried.length === times);
        await bed.restart();
      }
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'yes' } });
      expect(bed.world.carried).toEqual(['b', 'b', 'b']);
    });

    test('that comes at any moment around the park is taken once', async () => {
      for (let i = 0; i < 5; i++) {
        const run = await bed.start(flow());
        await new Promise((resolve) => setTimeout(resolve, i));
        bed.world.waits.decide(run, 'w', i);
        expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: i } });
      }
    });

    test('that does not come in time counts as none', async () => {
      const run = await bed.start(bed.row('f', { w: waitNode({ title: 'May it?', ms: 700 }) }), 'in');
      expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'in' } });
    });
  });
}
