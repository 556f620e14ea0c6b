import { describe, expect, test } from 'vitest';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { Plan } from '#engine';
import type { Gap } from '../history/follower.ts';
import { UNKNOWN_END } from '../history/follower.ts';
import { createMemoryHistory } from '../history/memory-history.ts';
import { fakeFlow, type FakeRun } from './testing/fake-run.ts';
import { createHubBed, seqs } from './testing/hub-bed.ts';

const atOnce = (run: FakeRun) => run.finish();

describe('starting runs', () => {
  test('the engine gets id, input, variables and the usual time limit', () => {
    const { start } = createHubBed({ variables: () => ({ greeting: 'Hi' }) });
    const { options } = start();
    expect(options).toMatchObject({ output: { name: 'Ada' }, vars: { greeting: 'Hi' }, timeoutMs: 30_000 });
    expect(options.observer).toBeUndefined();
  });

  test('the usual time limit can be set', () => {
    expect(createHubBed({ timeouts: { runMs: 5 } }).start().options.timeoutMs).toBe(5);
  });

  test('a run in which a model takes part has more of it', () => {
    const flow = fakeFlow();
    const plan = { ...flow.compiled.plans.get('trigger'), asksModels: true } as Plan;
    const compiled = { ...flow.compiled, plans: new Map([['trigger', plan]]) };
    const { start } = createHubBed();
    expect(start('hello', {}, { flow: { ...flow, compiled } }).options.timeoutMs).toBe(300_000);
  });

  test('every run has another id', () => {
    const { start } = createHubBed();
    expect(new Set(Array.from({ length: 50 }, () => start().id)).size).toBe(50);
  });

  test('above the limit of runs new ones are refused, until one has ended', () => {
    const { hub, start } = createHubBed({ maxRuns: 2 });
    const first = start();
    start();
    expect(() => start()).toThrow(
      expect.objectContaining({ code: 'overloaded', headers: { 'retry-after': '1' } }),
    );
    expect(hub.inFlight).toBe(2);
    first.finish();
    expect(hub.inFlight).toBe(1);
    expect(() => start()).not.toThrow();
  });

  test('while the event loop is late and many runs are in flight, new runs are refused', () => {
    const { load, start } = createHubBed();
    for (let i = 0; i < 32; i++) start();
    load.late = true;
    expect(() => start()).toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }));
    load.late = false;
    expect(() => start()).not.toThrow();
  });

  test('an event loop that is late for another reason refuses nobody', () => {
    const { load, start } = createHubBed();
    load.late = true;
    expect(() => start()).not.toThrow();
  });

  test('a trigger that the flow does not have is named', () => {
    const { start } = createHubBed();
    expect(() => start('hello', {}, { trigger: 'other' })).toThrow(/hello has no trigger other/);
  });

  test('a run can be cancelled while it runs, and not afterwards', () => {
    const { hub, start } = createHubBed();
    const run = start();
    expect(hub.cancel(run.id, 'stop')).toBe(true);
    expect(run.cancelled).toEqual(['stop']);
    run.finish('cancelled');
    expect(hub.cancel(run.id, 'stop')).toBe(false);
    expect(hub.cancel('unknown', 'stop')).toBe(false);
  });

  test('the counts add up', () => {
    const { hub, start } = createHubBed({ maxRuns: 4 });
    start().finish('ok');
    start().finish('failed', { code: 'stopped', message: 'no' });
    start().finish('cancelled');
    for (let i = 0; i < 4; i++) start();
    expect(() => start()).toThrow();
    expect(hub.stats()).toEqual({
      inFlight: 4,
      started: 7,
      ok: 1,
      failed: 1,
      cancelled: 1,
      refused: 1,
      dropped: 0,
      lostValues: 0,
      untraced: 0,
      flows: new Map([['hello', expect.objectContaining({ count: 3 })]]),
      failures: new Map(),
    });
  });
});

describe('the list of runs', () => {
  test('holds runs in progress and ended ones, the newest first', async () => {
    const { hub, start, host } = createHubBed();
    const first = start();
    host.advance(10);
    const second = start();
    host.advance(5);
    second.finish('failed', { code: 'stopped', message: 'no', data: { secret: 1 } });
    const third = start('other');
    const list = await hub.list({ limit: 10 });
    expect(list.map((row) => [row.run, row.status, row.ms])).toEqual([
      [third.id, 'running', undefined],
      [second.id, 'failed', 5],
      [first.id, 'running', undefined],
    ]);
    expect(list[1]?.error).toEqual({ code: 'stopped', message: 'no' });
    expect((await hub.list({ limit: 10, status: 'running' })).map((row) => row.run)).toEqual([
      third.id,
      first.id,
    ]);
    expect((await hub.list({ limit: 10, flow: 'other' })).map((row) => row.run)).toEqual([third.id]);
    expect((await hub.list({ limit: 1, before: third.id })).map((row) => row.run)).toEqual([second.id]);
  });

  test('a run is found as soon as it has ended, before any timer has gone off', async () => {
    const { hub, start } = createHubBed({ script: atOnce });
    const run = start();
    expect(await hub.get(run.id)).toMatchObject({ run: run.id, status: 'ok', source: 'http', flow: 'hello' });
  });

  test('an unknown run is undefined to all readers', async () => {
    const { hub } = createHubBed();
    expect(await hub.get('x')).toBeUndefined();
    expect(await hub.events('x', 0)).toBeUndefined();
    expect(await hub.watch('x', 0, () => {})).toBeUndefined();
  });

  test('lines reach the history in batches without anyone reading', async () => {
    const { history, host, start } = createHubBed({ script: atOnce });
    const run = start('hello', { record: 'summary' });
    expect(await history.get(run.id)).toBeUndefined();
    host.advance(100);
    expect((await history.get(run.id))?.status).toBe('ok');
  });
});

describe('what is recorded whole', () => {
  const recorded = async (bed: ReturnType<typeof createHubBed>) =>
    (await bed.hub.list({ limit: 100 })).toReversed().map((row) => row.recorded);

  test('one success a second, derived after the end, without an observer', async () => {
    const bed = createHubBed({ script: atOnce });
    const [first, second] = [bed.start(), bed.start()];
    bed.host.advance(1000);
    bed.start();
    expect(first.observed).toBe(false);
    expect(await recorded(bed)).toEqual([true, false, true]);
    expect(await bed.hub.events(first.id, 0)).toEqual(first.emitted);
    expect(await bed.hub.events(second.id, 3)).toEqual([
      { kind: 'gap', from: 4, to: UNKNOWN_END, reason: 'not-recorded' },
    ]);
  });

  test('failures up to ten a second', async () => {
    const bed = createHubBed({ script: (run) => run.finish('failed', { code: 'stopped', message: 'no' }) });
    for (let i = 0; i < 12; i++) bed.start();
    expect(await recorded(bed)).toEqual([...Array(10).fill(true), false, false]);
  });

  test('everything when the flow says full, with an observer from the start', async () => {
    const bed = createHubBed({ script: atOnce });
    const runs = [1, 2, 3].map(() => bed.start('hello', { record: 'full' }));
    expect(runs.every((run) => run.options.observer !== undefined)).toBe(true);
    expect(await recorded(bed)).toEqual([true, true, true]);
    expect(await bed.hub.events(runs[2]?.id ?? '', 0)).toEqual(runs[2]?.emitted);
  });

  test('everything that a start asks for, whatever the flow says', async () => {
    const bed = createHubBed({ script: atOnce });
    const run = bed.start('hello', { record: 'off' }, { record: 'full', source: 'test' });
    expect(await bed.hub.get(run.id)).toMatchObject({ recorded: true, source: 'test' });
  });

  test('only lines when the flow says summary, even of failures', async () => {
    const bed = createHubBed({ script: (run) => run.finish('failed', { code: 'stopped', message: 'no' }) });
    bed.start('hello', { record: 'summary' });
    expect(await recorded(bed)).toEqual([false]);
  });

  test('nothing when the flow says off; its runs are counted all the same', async () => {
    const bed = createHubBed({ script: atOnce });
    const run = bed.start('hello', { record: 'off' });
    expect(await bed.hub.list({ limit: 10 })).toEqual([]);
    expect(await bed.hub.get(run.id)).toBeUndefined();
    expect(bed.hub.stats().ok).toBe(1);
  });

  test('a run that someone watched, although another success was kept in that second', async () => {
    const bed = createHubBed();
    bed.start().finish();
    const run = bed.start();
    await bed.hub.watch(run.id, 0, () => {});
    run.output('late');
    run.finish();
    expect(await bed.hub.events(run.id, 0)).toEqual(run.emitted);
  });

  test('large values are kept as their size and beginning, and credentials not at all', async () => {
    const bed = createHubBed();
    const run = bed.start('hello', { record: 'full' });
    run.output('x'.repeat(100_000));
    run.output({ headers: { authorization: 'Bearer s3cret' } });
    run.finish();
    const events = (await bed.hub.events(run.id, 0)) as RunEvent[];
    expect(events[1]).toMatchObject({ seq: 2, value: { $large: { size: 100_002 } } });
    expect(JSON.stringify(events)).not.toContain('s3cret');
  });

  test('a run that says too much keeps its outputs and its end, with the hole announced', async () => {
    const bed = createHubBed();
    const run = bed.start('hello', { record: 'full' });
    const text = 'x'.repeat(60_000);
    for (let i = 0; i < 200; i++) run.emit({ kind: 'log', level: 'info', text: 'line', data: text });
    run.output('still here');
    run.finish();
    const events = (await bed.hub.events(run.id, 0)) as (RunEvent | Gap)[];
    const gap = events.find((event) => event.kind === 'gap') as Gap;
    expect(gap).toMatchObject({ to: 201, reason: 'over-limit' });
    expect(gap.from).toBeGreaterThan(100);
    expect(seqs(events).slice(-2)).toEqual([202, 203]);
  });
});

describe('when the history fails', () => {
  test('runs go on, and what was lost is counted', async () => {
    const broken = {
      ...createMemoryHistory(),
      appendSummaries: () => Promise.reject(new Error('disk full')),
    };
    const { hub, start, host } = createHubBed({ history: broken, script: atOnce });
    for (let i = 0; i < 5; i++) start('hello', { record: 'summary' });
    host.advance(100);
    await hub.list({ limit: 1 });
    expect(hub.stats()).toMatchObject({ ok: 5, dropped: 5 });
  });

  test('a history that does not keep up costs bounded memory: runs beyond it are dropped and counted', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const memory = createMemoryHistory();
    const rows: RunSummary[] = [];
    const slow = {
      ...memory,
      async appendSummaries(batch: readonly RunSummary[]) {
        rows.push(...batch);
        await gate;
      },
    };
    const { hub, start } = createHubBed({ history: slow, script: atOnce });
    for (let i = 0; i < 200_010; i++) start('hello', { record: 'summary' });
    expect(hub.stats().dropped).toBe(10);
    open();
    await hub.list({ limit: 1 });
    expect(rows).toHaveLength(200_000);
    start('hello', { record: 'summary' });
    expect(hub.stats().dropped).toBe(10);
  });
});

describe('shutting down', () => {
  test('runs in progress may end, new ones are refused', async () => {
    const { hub, start } = createHubBed();
    const run = start();
    const drained = hub.drain(1000);
    expect(() => start()).toThrow(expect.objectContaining({ code: 'draining' }));
    run.finish();
    await drained;
    expect(run.cancelled).toEqual([]);
    expect((await hub.get(run.id))?.status).toBe('ok');
  });

  test('after the grace time the rest is cancelled and awaited', async () => {
    const { hub, host, start } = createHubBed();
    const [first, second] = [start(), start('hello', { record: 'full' })];
    const drained = hub.drain(1000);
    host.advance(999);
    expect(first.cancelled).toEqual([]);
    host.advance(1);
    await Promise.resolve();
    expect([first.cancelled, second.cancelled]).toEqual([['shutdown'], ['shutdown']]);
    first.finish('cancelled');
    second.finish('cancelled');
    await drained;
    expect(await hub.events(second.id, 0)).toEqual(second.emitted);
  });

  test('a run that never stops does not hold the shutdown up for ever', async () => {
    const { hub, host, start } = createHubBed();
    start();
    const drained = hub.drain(0);
    host.advance(0);
    await Promise.resolve();
    host.advance(2000);
    await expect(drained).resolves.toBeUndefined();
  });

  test('with nothing in progress it is done at once, and a second call waits for the first', async () => {
    const { hub } = createHubBed();
    await Promise.all([hub.drain(60_000), hub.drain(60_000)]);
    expect(hub.inFlight).toBe(0);
  });
});
