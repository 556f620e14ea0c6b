import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContractBed } from './contract-bed.ts';
import { durableFlow, effectNode, until, waitNode } from './durable-bed.ts';

/** Steps and their records. */
export function stepContract(bed: ContractBed): void {
  test('a run ends with its answer, which survives a restart', async () => {
    const run = await bed.start(bed.row('f', { a: effectNode(), b: effectNode() }), { x: [1] });
    const end = await bed.process.durable.ended(run);
    expect(end).toMatchObject({
      status: 'ok',
      answer: { status: 200, body: { x: [1] } },
      flow: 'f',
      passes: 1,
    });
    await bed.restart();
    expect(await bed.process.durable.ended(run)).toEqual(end);
    expect(bed.world.carried).toEqual(['a', 'b']);
  });

  test('a second start with the same key gives the first run', async () => {
    const flow = bed.row('f', { a: effectNode() });
    const first = await bed.start(flow, 1, 'order 7');
    await bed.process.durable.ended(first);
    expect(await bed.start(flow, 1, 'order 7')).toBe(first);
    await bed.restart();
    expect(await bed.start(flow, 2, 'order 7')).toBe(first);
    expect(bed.world.carried).toEqual(['a']);
  });

  test('a crash repeats the step in flight, under the same idempotency key, and no other step', async () => {
    const run = await bed.start(
      bed.row('f', { a: effectNode(), b: effectNode({ held: 1 }), c: effectNode() }),
    );
    await until(() => bed.world.carried.includes('b'));
    await bed.restart();
    const end = await bed.process.durable.ended(run);
    expect(end).toMatchObject({ status: 'ok', passes: 2 });
    expect(bed.world.carried).toEqual(['a', 'b', 'b', 'c']);
    expect(new Set(bed.world.keys.get('b'))).toEqual(new Set([`${run}:b`]));
  });

  test('parallel steps are recorded individually', async () => {
    const nodes = { a: effectNode(), b: effectNode({ ms: 20 }), c: effectNode({ held: 1 }) };
    const join_ = { operator: 'core.merge' };
    const flow = bed.world.flow(
      durableFlow('f', { ...nodes, m: join_ }, ['t > a', 't > b', 't > c', 'a > m', 'b > m', 'c > m']),
    );
    const run = await bed.start(flow);
    await until(async () => bed.world.carried.length === 3);
    // Two of the three have ended and are on the disk; the long one is in flight.
    await until(async () => (await bed.process.engine.steps(run)).length === 2);
    await bed.restart();
    expect((await bed.process.durable.ended(run)).status).toBe('ok');
    expect(bed.world.carried.slice(3)).toEqual(['c']);
  });

  test('a failed attempt is recorded, and retried by the interpreter', async () => {
    const retry = { attempts: 3, backoffMs: 1, factor: 1, jitter: 0 };
    const flow = bed.row('f', { a: effectNode({ failures: 2 }, { retry }), b: effectNode({ held: 1 }) });
    const run = await bed.start(flow);
    await until(() => bed.world.carried.includes('b'));
    await bed.restart();
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok' });
    expect(bed.world.carried).toEqual(['a', 'a', 'a', 'b', 'b']);
    expect(new Set(bed.world.keys.get('a')).size).toBe(1);
  });

  test('a failure ends the run with its error', async () => {
    const run = await bed.start(bed.row('f', { a: effectNode({ failures: 9 }) }));
    expect(await bed.process.durable.ended(run)).toMatchObject({
      status: 'failed',
      error: { code: 'node_failed', node: 'a', message: 'not yet' },
    });
  });
}

export function valueContract(bed: ContractBed): void {
  test('a large result is kept whole', async () => {
    const give = 'x'.repeat(300_000);
    const run = await bed.start(bed.row('f', { a: effectNode({ give }), w: waitNode({ title: '?' }) }));
    await bed.parked(run);
    await bed.restart();
    bed.world.waits.decide(run, 'w', undefined);
    expect((await bed.process.durable.ended(run)).answer?.body).toBe(give);
    expect(bed.world.carried).toEqual(['a']);
  });

  test('an answer that is too large to be stored fails its run, once', async () => {
    const nodes = { a: effectNode(), m: { operator: 'core.map', params: { value: '{{ [input, input] }}' } } };
    const run = await bed.start(bed.row('f', nodes), 'x'.repeat(6_000_000));
    const end = await bed.process.durable.ended(run);
    expect(end).toMatchObject({ status: 'failed', passes: 1, error: { code: 'durable_result_too_large' } });
    expect(end.answer).toBeUndefined();
    expect(bed.world.carried).toEqual(['a']);
  });

  test('a secret is nowhere on the disk in clear', async () => {
    const secret = 'hunter2-and-more';
    bed.world.redactor.add(secret);
    const run = await bed.start(bed.row('f', { a: effectNode(), w: waitNode({ title: '?' }) }), {
      token: secret,
    });
    await bed.parked(run);
    await bed.restart();
    bed.world.waits.decide(run, 'w', undefined);
    expect((await bed.process.durable.ended(run)).answer?.body).toEqual({ token: secret });
    expect(filesBelow(bed.world.folder).filter((file) => readFileSync(file).includes(secret))).toEqual([]);
  });

  test('a stream that reads from outside is recorded as a whole', async () => {
    const nodes = {
      s: { operator: 'test.items', params: { list: [1, 2, 3] } },
      u: { operator: 'core.unstreamify' },
      w: waitNode({ title: '?' }),
    };
    const run = await bed.start(bed.row('f', nodes));
    await bed.parked(run);
    await bed.restart();
    bed.world.waits.decide(run, 'w', undefined);
    expect((await bed.process.durable.ended(run)).answer?.body).toEqual([1, 2, 3]);
    expect(bed.world.carried).toEqual(['s']);
  });

  test('a run whose caller cannot be given an address is refused and not executed', async () => {
    const flow = bed.row('f', { a: effectNode() });
    bed.world.failLinks(1);
    await expect(bed.start(flow)).rejects.toThrow('The disk is full.');
    expect(await bed.process.durable.list({ limit: 10 })).toEqual([]);
    await bed.process.durable.ended(await bed.start(flow));
    expect(bed.world.carried).toEqual(['a']);
  });

  test('a step that could not be recorded is executed again until it can be', async () => {
    const run = await bed.start(bed.row('f', { a: effectNode(), b: effectNode() }));
    bed.world.failWrites(1);
    expect(await bed.process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 1 } });
    expect(bed.world.carried).toContain('b');
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => statSync(file).isFile());
}
