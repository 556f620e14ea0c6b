import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Bus, createLocalBus } from '../../../storage/database/bus.ts';
import { openPostgres } from '../../../storage/database/postgres/open-postgres.ts';
import type { Sql } from '../../../storage/database/sql.ts';
import { migratedDatabase } from '../../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../../storage/database/weft-tables.ts';
import type { Pass, PassEnd, RecordedStep } from '../port.ts';
import { SharedRows } from '../postgres/shared-rows.ts';
import { Passes } from './passes.ts';
import type { Reason } from './run-object.ts';
import { RESTATE } from './run-rows.ts';

let sql: Sql;

beforeAll(async () => {
  sql = await openPostgres(await migratedDatabase(), weftMigrations);
});
afterAll(() => sql.close());

/** A server that executes runs which wait for a time, and the answers that Restate gets for one of them. */
function server(rows: SharedRows) {
  const passes = new Passes({
    rows,
    bus: createLocalBus(() => {}),
    node: 'n',
    now: () => 1000,
    complain: () => {},
  });
  const parked: PassEnd = { kind: 'parked', waitingFor: '[{"key":"w"}]', until: 1500 };
  passes.begin({ carryOn: async () => parked, parked: () => {}, ended: () => {} });
  return (run: string, why: Reason, parks: number) => {
    const { signal } = new AbortController();
    return passes.attempt({ run, why, parks, known: [], signal }).next();
  };
}

test('C6: a run is parked again if the server died before Restate knew of it, and has its timer then', async () => {
  const rows = new SharedRows(sql);
  await rows.add({ run: 'r', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 0 });
  const first = { settled: { kind: 'parked', in: 500, parks: 1 } };
  expect(await server(rows)('r', 'start', 0)).toEqual(first);
  // This was not recorded: the same invocation comes to another server.
  const again = { settled: { kind: 'parked', in: 500, parks: 2 } };
  expect(await server(rows)('r', 'start', 0)).toEqual(again);
  // A wake that an earlier pass has seen has nothing to do.
  expect(await server(rows)('r', 'wake', 2)).toEqual({ settled: { kind: 'idle' } });
});

type LocalBus = ReturnType<typeof createLocalBus>;

/** The buses of two servers, connected. */
function pair(): readonly [Pick<Bus, 'publish' | 'subscribe'>, Pick<Bus, 'publish' | 'subscribe'>] {
  const buses = [createLocalBus(() => {}), createLocalBus(() => {})] as const;
  const end = (own: LocalBus, other: LocalBus): Pick<Bus, 'publish' | 'subscribe'> => ({
    publish: (topic, name = '') => other.receive(topic, name),
    subscribe: own.subscribe,
  });
  return [end(buses[0], buses[1]), end(buses[1], buses[0])];
}

test('C4: handed-over results stay until they are recorded, whichever server requests them', async () => {
  const rows = new SharedRows(sql);
  await rows.add({ run: 's', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 0 });
  let executed = 0;
  const carryOn = async ({ steps, step }: Pass): Promise<PassEnd> => {
    if (!steps.some(({ key }) => key === 'a')) await step('a', async () => `,\n{"v":${++executed}}`);
    return { kind: 'parked', waitingFor: '[{"key":"w"}]', until: 1500 };
  };
  const servers = pair().map((bus) => {
    const passes = new Passes({ rows, bus, node: 'n', now: () => 1000, complain: () => {} });
    passes.begin({ carryOn, parked: () => {}, ended: () => {} });
    return passes;
  }) as [Passes, Passes];
  const attempt = (at: Passes, known: readonly RecordedStep[] = []) => {
    const connection = new AbortController();
    const of = { run: 's', why: 'start' as const, parks: 0, known, signal: connection.signal };
    return { ...at.attempt(of), cut: () => connection.abort() };
  };
  const steps = [{ key: 'a', result: ',\n{"v":1}' }];
  const [one, other] = servers;
  // Each attempt loses its connection before Restate has recorded its results.
  for (const at of [one, other, other, one]) {
    const lost = attempt(at);
    expect(await lost.next()).toEqual({ steps });
    lost.cut();
  }
  const last = attempt(other);
  expect(await last.next()).toEqual({ steps });
  last.recorded();
  expect(await last.next()).toMatchObject({ settled: { kind: 'parked' } });
  expect(executed).toBe(1);
  expect(await rows.getText('handed:s')).toBeUndefined();
});

test('RSC1, C4: a pass whose process stood still asks whose its run is, and does nothing more if it is another one’s', async () => {
  const rows = new SharedRows(sql);
  await rows.add({ run: 't', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 0 });
  const bus = createLocalBus(() => {});
  const passes = new Passes({ rows, bus, node: 'n', now: () => 1000, complain: () => {} });
  const begun = Promise.withResolvers<Pass>();
  const lost: string[] = [];
  const carryOn = (pass: Pass): Promise<PassEnd> => {
    begun.resolve(pass);
    return new Promise(() => {});
  };
  passes.begin({ carryOn, parked: () => {}, ended: () => {}, lost: (run) => void lost.push(run) });
  const { signal } = new AbortController();
  void passes.attempt({ run: 't', why: 'start', parks: 0, known: [], signal }).next();
  const { claim } = await begun.promise;
  expect(claim?.isFresh()).toBe(true);
  const { now } = Date;
  let stoodStillMs = 60_000;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + stoodStillMs);
  onTestFinished(() => clock.mockRestore());
  // Its timer may come before what it was about to send.
  passes.beat();
  expect(claim?.isFresh()).toBe(false);
  await claim?.prove();
  expect(claim?.isFresh()).toBe(true);
  await rows.begin({ run: 't', workflow: RESTATE, attempt: 2 });
  stoodStillMs = 120_000;
  expect(claim?.isFresh()).toBe(false);
  await expect(claim?.prove()).rejects.toThrow('executed elsewhere');
  expect(lost).toEqual(['t']);
  expect(claim?.isFresh()).toBe(false);
});
