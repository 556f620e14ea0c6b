import { describe, expect, test } from 'vitest';
import { WeftError } from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { SharedPlaces } from '../runs/shared-places.ts';
import { Scheduler, type Starting } from './scheduler.ts';
import { MemorySchedules } from './testing/memory-schedules.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-05-01T12:30:00Z');

const hourly = (durable: boolean, params: object = {}): Flow => ({
  format: 1,
  id: 'hourly',
  nodes: { clock: { operator: 'trigger.schedule', params: { cron: '0 * * * *', ...params } } },
  edges: [],
  settings: { durable },
});

/** The state that outlives a server. */
interface Disk {
  readonly seen: MemorySchedules;
  /** Runs by their key; true while they are in progress. */
  readonly runs: Map<string, boolean>;
}

const newDisk = (): Disk => ({ seen: new MemorySchedules(), runs: new Map() });

/** The clock and the elapsed time; they differ only if the clock is set. */
interface Clock {
  now: number;
  elapsed?: number;
}

/** A run in progress, which its entry in `ends` ends. */
function laterRun(ends: (() => Promise<void>)[]) {
  const listeners: (() => void)[] = [];
  const run = { outcome: undefined as object | undefined, onEnd: (fn: () => void) => listeners.push(fn) };
  ends.push(async () => {
    run.outcome = { status: 'ok' };
    for (const listener of listeners) listener();
    await new Promise((resolve) => setImmediate(resolve));
  });
  return run;
}

/** A server over one disk, with a test clock; `look` lets the time pass that a timer waits for. */
function server(
  clock: Clock,
  disk: Disk,
  {
    inProgress = false,
    endsLater = false,
    places,
  }: { inProgress?: boolean; endsLater?: boolean; places?: SharedPlaces } = {},
) {
  const started: unknown[] = [];
  let live: LiveFlow | undefined;
  let look: () => void = () => {};
  let failure: Error | undefined;
  const timer = (_ms: number, act: () => void) => {
    look = act;
    return () => {};
  };
  const warned: string[] = [];
  const log = {
    info: () => {},
    warn: (...args: unknown[]) => void warned.push(String(args[1])),
    error: () => {},
  };
  const host = { now: () => clock.now, timer };
  const store = disk.seen;
  const scheduler = new Scheduler({ store, host, log, elapsed: () => clock.elapsed ?? clock.now, places });
  const run = { outcome: inProgress ? undefined : { status: 'ok' }, onEnd: () => {} };
  const ends: (() => Promise<void>)[] = [];
  const starting: Starting = {
    live: () => live,
    hold: (_flow, start) => start(),
    runs: {
      accepts: () => true,
      start({ output }) {
        started.push(output);
        if (endsLater) return laterRun(ends) as unknown as ReturnType<Starting['runs']['start']>;
        return run as unknown as ReturnType<Starting['runs']['start']>;
      },
    },
    durable: {
      async start({ output }, { key = '' } = {}) {
        if (failure) throw failure;
        const created = !disk.runs.has(key);
        if (created) started.push(output);
        if (created) disk.runs.set(key, inProgress);
        return { run: key, created };
      },
      async ended(run) {
        disk.runs.set(run, false);
        return {} as never;
      },
      list: async () =>
        [...disk.runs.values()]
          .filter((isRunning) => isRunning)
          .map(() => ({ trigger: 'clock', source: 'schedule' })) as never,
    },
  };
  return {
    started,
    /** With `endsLater`: ends the next run that is in progress. */
    end: () => ends.shift()?.(),
    warned,
    store,
    show(flow: Flow | undefined): void {
      live = flow && ({ id: flow.id, flow } as unknown as LiveFlow);
      scheduler.flowChanged('hourly');
    },
    list: () => scheduler.list(() => live),
    begin: (fromNow = false) => scheduler.begin(starting, { fromNow }),
    /** Runs that start from then on are on disk afterwards. */
    async look() {
      look();
      await new Promise((resolve) => setImmediate(resolve));
    },
    /** Durable runs cannot be started until it is called without an error. */
    fail: (error?: Error) => void (failure = error),
  };
}

async function begun(clock: Clock, disk: Disk, flow: Flow, how = {}) {
  const one = server(clock, disk, how);
  one.show(flow);
  one.begin();
  await one.look();
  return one;
}

test('a server that starts none lists them, and neither reads nor notes anything', async () => {
  const [clock, disk] = [{ now: START }, newDisk()];
  const one = server(clock, disk);
  expect(await one.list()).toEqual([]);
  one.show(hourly(true, { timezone: 'Asia/Kolkata' }));
  const schedule = { flow: 'hourly', node: 'clock', cron: '0 * * * *', timezone: 'Asia/Kolkata' };
  expect(await one.list()).toEqual([{ ...schedule, next: '2026-05-01T13:30:00.000Z' }]);
  expect(
    await disk.seen.last({ flow: 'hourly', node: 'clock', pattern: '0 * * * * Asia/Kolkata' }),
  ).toBeUndefined();
  one.begin();
  expect(await one.list()).toMatchObject([{ ...schedule, seenTo: '2026-05-01T12:30:00.000Z' }]);
  one.show(undefined);
  expect(await one.list()).toEqual([]);
});

describe.each([
  ['in memory', false],
  ['that outlive the process', true],
])('scheduled runs %s', (_kind, durable) => {
  test('times that passed while the server was down are late', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    await begun(clock, disk, hourly(durable));
    clock.now += 3 * HOUR;
    const { started } = await begun(clock, disk, hourly(durable));
    expect(started).toEqual([{ at: '2026-05-01T15:00:00.000Z', late: true, input: null }]);
  });

  test('times that another server handled are not started', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    await begun(clock, disk, hourly(durable));
    clock.now += 3 * HOUR;
    const one = server(clock, disk);
    one.show(hourly(durable));
    one.begin(true);
    await one.look();
    expect(one.started).toEqual([]);
    clock.now += HOUR;
    await one.look();
    expect(one.started).toHaveLength(1);
  });

  test('times of a pause start nothing, also where they are seen to only after a restart or after the pause', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const place = { flow: 'hourly', node: 'clock' };
    const first = await begun(clock, disk, hourly(durable, { catchUp: 'all' }));
    await disk.seen.pause(place, { by: 'Ada', at: clock.now });
    clock.now += HOUR;
    await first.look();
    expect(first.started).toEqual([]);
    // Down from 13:30 on; it goes on at 15:30.
    clock.now += 2 * HOUR;
    await disk.seen.resume(place, clock.now);
    clock.now += HOUR;
    const second = await begun(clock, disk, hourly(durable, { catchUp: 'all' }));
    expect(second.started).toEqual([{ at: '2026-05-01T16:00:00.000Z', late: true, input: null }]);
    clock.now += HOUR;
    await second.look();
    expect(second.started).toHaveLength(2);
  });

  test('times stay due while the disk cannot say whether their schedule is paused', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const { started, look } = await begun(clock, disk, hourly(durable));
    clock.now = Date.parse('2026-05-01T13:00:00Z');
    disk.seen.isUnreadable = true;
    await look();
    expect(started).toEqual([]);
    disk.seen.isUnreadable = false;
    await look();
    expect(started).toHaveLength(1);
  });

  test('times that passed while the flow was not live are not started', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const { started, show, look } = await begun(clock, disk, hourly(durable));
    show(undefined);
    await look();
    clock.now += 3 * HOUR;
    show(hourly(durable));
    await look();
    expect(started).toEqual([]);
    clock.now = Date.parse('2026-05-01T16:00:00Z');
    await look();
    expect(started).toEqual([{ at: '2026-05-01T16:00:00.000Z', late: false, input: null }]);
  });

  test('a flow that is taken away and comes back repeats no start, even if the clock was set back', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const { started, show, look } = await begun(clock, disk, hourly(durable));
    clock.now = Date.parse('2026-05-01T13:00:10Z');
    await look();
    expect(started).toHaveLength(1);
    show(undefined);
    await look();
    clock.now = START;
    show(hourly(durable));
    await look();
    clock.now = Date.parse('2026-05-01T13:00:20Z');
    await look();
    expect(started).toHaveLength(1);
  });

  test('a clock that jumps ahead catches up as the schedule asks, and one that jumps back repeats nothing', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const { started, look } = await begun(clock, disk, hourly(durable, { catchUp: 'all' }));
    clock.now += 3 * HOUR;
    await look();
    expect(started).toHaveLength(3);
    clock.now -= 2 * HOUR;
    for (let i = 0; i < 4; i++) {
      await look();
      clock.now += HOUR / 2;
    }
    expect(started).toHaveLength(3);
    clock.now = START + 4 * HOUR;
    await look();
    expect(started).toHaveLength(4);
  });

  test.each([
    ['none', 0],
    ['latest', 1],
  ] as const)(
    'seconds that passed while the server was down for twenty of them: with catchUp %s %i run',
    async (catchUp, runs) => {
      const [clock, disk] = [{ now: START + 500 }, newDisk()];
      const flow = hourly(durable, { cron: '* * * * * *', catchUp });
      await begun(clock, disk, flow);
      clock.now += 20_000;
      const { started, look } = await begun(clock, disk, flow);
      expect(started).toHaveLength(runs);
      clock.now += 1000;
      await look();
      expect(started).toHaveLength(runs + 1);
      expect(started.at(-1)).toMatchObject({ late: false });
    },
  );

  test('a clock that is set ahead by two hours starts one run for all of them, with a warning', async () => {
    const [clock, disk] = [{ now: START + 500, elapsed: 0 }, newDisk()];
    const { started, warned, look } = await begun(clock, disk, hourly(durable, { cron: '* * * * * *' }));
    clock.now += 2 * HOUR;
    clock.elapsed += 900;
    await look();
    expect(started).toEqual([{ at: '2026-05-01T14:30:00.000Z', late: true, input: null }]);
    expect(warned).toEqual([expect.stringContaining('the clock was set ahead')]);
  });

  test('a clock that is set back is reported, while the server runs and at its start', async () => {
    const [clock, disk] = [{ now: START, elapsed: 0 }, newDisk()];
    const { warned, look } = await begun(clock, disk, hourly(durable));
    clock.now = Date.parse('2026-05-01T13:00:00Z');
    clock.elapsed += HOUR / 2;
    await look();
    clock.now -= 150 * 60_000;
    clock.elapsed += 20_000;
    await look();
    expect(warned).toEqual([expect.stringContaining('the clock was set back')]);
    const next = await begun(clock, disk, hourly(durable));
    expect(next.warned).toEqual([expect.stringContaining('the clock is behind')]);
  });

  test('a clock set back by days goes on from there', async () => {
    const [clock, disk] = [{ now: START + 48 * HOUR }, newDisk()];
    await begun(clock, disk, hourly(durable));
    clock.now = START;
    const { started, look } = await begun(clock, disk, hourly(durable));
    clock.now = Date.parse('2026-05-01T13:00:00Z');
    await look();
    expect(started).toEqual([{ at: '2026-05-01T13:00:00.000Z', late: false, input: null }]);
  });

  test('a run is skipped while the previous one is in progress, unless the schedule allows it', async () => {
    for (const [overlap, runs] of [
      ['skip', 1],
      ['allow', 2],
    ] as const) {
      const [clock, disk] = [{ now: START }, newDisk()];
      const { started, look } = await begun(clock, disk, hourly(durable, { overlap }), { inProgress: true });
      for (let i = 0; i < 2; i++) {
        clock.now += HOUR;
        await look();
      }
      expect(started).toHaveLength(runs);
    }
  });
});

test('with `overlap: skip` late runs in memory start one after the other, and what comes meanwhile after them', async () => {
  const [clock, disk] = [{ now: START }, newDisk()];
  const flow = hourly(false, { catchUp: 'all' });
  await begun(clock, disk, flow);
  clock.now += 3 * HOUR;
  const { started, end, look, warned } = await begun(clock, disk, flow, { endsLater: true });
  expect(started).toMatchObject([{ at: '2026-05-01T13:00:00.000Z', late: true }]);
  clock.now += HOUR;
  await end();
  await end();
  expect(started).toHaveLength(3);
  await end();
  await look();
  expect(started).toHaveLength(4);
  expect(started.at(-1)).toMatchObject({ at: '2026-05-01T16:00:00.000Z' });
  expect(warned).toEqual([]);
});

test('with `overlap: skip` a late run waits until the place of the one before it is free', async () => {
  const answers = [{}, undefined, {}, {}].map((place) => place && { leave: () => {}, whenLost: () => {} });
  const places = { take: async () => answers.shift() } as unknown as SharedPlaces;
  const [clock, disk] = [{ now: START }, newDisk()];
  const flow = hourly(false, { catchUp: 'all' });
  await begun(clock, disk, flow, { places });
  clock.now += 2 * HOUR;
  const { started, look } = await begun(clock, disk, flow, { places });
  expect(started).toHaveLength(1);
  await look();
  expect(started).toHaveLength(2);
});

test('with `overlap: skip` a run on another server holds back the next one until it is over', async () => {
  let isTaken = true;
  const places = {
    take: async () => (isTaken ? undefined : { leave: () => {}, whenLost: () => {} }),
  } as unknown as SharedPlaces;
  const [clock, disk] = [{ now: START }, newDisk()];
  const { started, look, warned, show, begin } = server(clock, disk, { places });
  show(hourly(false, { overlap: 'skip' }));
  begin();
  await look();
  clock.now += HOUR;
  await look();
  expect(started).toEqual([]);
  expect(warned.at(-1)).toContain('still in progress');
  isTaken = false;
  clock.now += HOUR;
  await look();
  expect(started).toHaveLength(1);
});

test('S2: a server that learns late of a new schedule starts the times that a dead server noted but did not start', async () => {
  const [clock, disk, places] = [{ now: START }, newDisk(), {} as SharedPlaces];
  const servers = [server(clock, disk, { places }), server(clock, disk, { places })] as const;
  for (const one of servers) {
    one.begin();
    await one.look();
  }
  const often = hourly(true, { cron: '*/2 * * * * *', catchUp: 'all', overlap: 'allow' });
  servers[0].show(often);
  await servers[0].look();
  clock.now += 2500;
  servers[1].show(often);
  for (let i = 0; i < 4; i++) await servers[1].look();
  expect(servers[1].started).toMatchObject([{ at: new Date(START + 2000).toISOString() }]);
});

describe('a scheduled run that outlives the process', () => {
  test('is started once when the process dies after its start and before the time is noted', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const dying = server(clock, disk);
    dying.show(hourly(true));
    dying.begin();
    await dying.look();
    clock.now += HOUR;
    disk.seen.refuses = true;
    await dying.look();
    expect(dying.started).toHaveLength(1);
    disk.seen.refuses = false;
    const next = server(clock, disk);
    next.show(hourly(true));
    next.begin();
    await next.look();
    expect(next.started).toEqual([]);
    const pattern = '0 * * * * UTC';
    expect(await next.store.last({ flow: 'hourly', node: 'clock', pattern })).toBe(
      Date.parse('2026-05-01T13:00:00Z'),
    );
  });

  test('is caught up after the previous one has ended', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const { started, show, begin, look } = server(clock, disk, { inProgress: true });
    show(hourly(true, { catchUp: 'all' }));
    begin();
    await look();
    clock.now += 3 * HOUR;
    await look();
    expect(started).toHaveLength(3);
  });

  test('is started later when it cannot be now, and given up if it never can', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const { started, show, begin, look, fail } = server(clock, disk);
    show(hourly(true));
    begin();
    await look();
    fail(new WeftError('storage_failed', 'The disk is full.'));
    clock.now += HOUR;
    await look();
    expect(started).toEqual([]);
    fail();
    await look();
    expect(started).toHaveLength(1);
    fail(new WeftError('durable_too_large', 'Too many steps.'));
    clock.now += HOUR;
    await look();
    fail();
    await look();
    expect(started).toHaveLength(1);
  });

  test('starts once the store can be read again, although it could not be when the flow went live', async () => {
    const [clock, disk] = [{ now: START }, newDisk()];
    const { started, show, begin, look } = server(clock, disk);
    const last = disk.seen.last.bind(disk.seen);
    disk.seen.last = () => Promise.reject(new WeftError('storage_failed', 'The disk is full.'));
    show(hourly(false));
    begin();
    await look();
    disk.seen.last = last;
    await look();
    clock.now += HOUR;
    await look();
    expect(started).toHaveLength(1);
  });
});
