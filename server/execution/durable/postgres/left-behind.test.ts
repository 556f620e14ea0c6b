import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import { createLocalBus } from '../../../storage/database/bus.ts';
import { openPostgres } from '../../../storage/database/postgres/open-postgres.ts';
import { POSTGRES_CLOCK } from '../../../storage/database/postgres/node-rows.ts';
import { DEFAULT_PROJECT, type Sql } from '../../../storage/database/sql.ts';
import { weftMigrations } from '../../../storage/database/weft-tables.ts';
import type { EngineHost, NewRun, Pass, PassEnd, StoredRun } from '../port.ts';
import { createPostgresEngine } from './postgres-engine.ts';
import { SharedRows } from './shared-rows.ts';
import { SharedTurns } from './shared-turns.ts';
import { durableDatabase } from './testing/durable-database.ts';

/** Work that a server left by dying is finished by another one, without any notice. */
let url: string;
let sql: Sql;
let rows: SharedRows;

beforeAll(async () => {
  url = await durableDatabase();
  sql = await openPostgres(url, weftMigrations);
  rows = new SharedRows(sql);
});
afterAll(async () => {
  await sql.close();
});

const OK: PassEnd = { kind: 'ended', status: 'ok', end: '{"v":{}}', at: 1 };
const PARKED: PassEnd = { kind: 'parked', waitingFor: '[{"key":"w"}]' };

interface Server {
  readonly engine: ReturnType<typeof createPostgresEngine>;
  readonly passes: string[];
  readonly ended: string[];
  readonly woken: StoredRun[];
}

/** A server of its own, which receives no notices. */
function server(
  carryOn: (pass: Pass) => PassEnd | Promise<PassEnd> = () => OK,
  node: string = crypto.randomUUID(),
): Server {
  const bus = createLocalBus(() => {});
  const engine = createPostgresEngine({
    sql,
    url,
    bus,
    node,
    now: Date.now,
    leaseMs: 1000,
    complain: () => {},
  });
  onTestFinished(() => engine.close());
  const [passes, ended, woken]: [string[], string[], StoredRun[]] = [[], [], []];
  const host: EngineHost = {
    async carryOn(pass) {
      passes.push(pass.run.run);
      return carryOn(pass);
    },
    parked: () => {},
    ended: ({ run }) => {
      ended.push(run);
      void engine.told(run);
    },
    woken: (run) => void woken.push(run),
  };
  engine.begin(host);
  return { engine, passes, ended, woken };
}

const run = (id: string, startedAt = Date.now()): NewRun => {
  return { run: id, flow: 'f', version: 'v', input: '{}', texts: [], startedAt };
};

test('a run that was accepted, but has no workflow, is executed', async () => {
  await rows.add(run('accepted', Date.now() - 60_000));
  const { ended } = server();
  await eventually(() => expect(ended).toContain('accepted'));
});

test('C6: a process whose clock is an hour behind finds such a run too', async () => {
  await rows.add(run('by-others', Date.now() - 60_000));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await rows.unmade()).toContain('by-others');
  await rows.remove(['by-others']);
});

test('C1, C4: a process that was suspended for longer than its lease begins no step of a run that another one has', async () => {
  const begun = Promise.withResolvers<Pass>();
  const end = Promise.withResolvers<PassEnd>();
  const { engine, passes } = server((pass) => {
    begun.resolve(pass);
    return end.promise;
  });
  await engine.start(run('frozen'));
  const pass = await begun.promise;
  await sql.run(`UPDATE weft_workflows.workflow_runs SET worker_id = 'other', available_at = now() + interval '1 hour'
    WHERE input->>'run' = 'frozen'`);
  // As by SIGSTOP: this process does nothing for longer than a lease.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  const step = vi.fn(async () => 'done');
  await expect(pass.step('late', step)).rejects.toThrow('executed elsewhere');
  expect(step).not.toHaveBeenCalled();
  expect(passes).toEqual(['frozen']);
  end.resolve(OK);
});

test('C4: a step that had begun when its process was suspended knows that its claim is in doubt, and whose it is', async () => {
  const begun = Promise.withResolvers<Pass>();
  const end = Promise.withResolvers<PassEnd>();
  const { engine } = server((pass) => {
    begun.resolve(pass);
    return end.promise;
  });
  await engine.start(run('in a step'));
  const { claim, step } = await begun.promise;
  const freshness: (boolean | undefined)[] = [];
  const sent = step('posts', async () => {
    freshness.push(claim?.isFresh());
    await sql.run(`UPDATE weft_workflows.workflow_runs SET worker_id = 'other', available_at = now() + interval '1 hour'
      WHERE input->>'run' = 'in a step'`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    freshness.push(claim?.isFresh());
    await claim?.prove();
    return 'sent';
  });
  await expect(sent).rejects.toThrow('executed elsewhere');
  expect(freshness).toEqual([true, false]);
  end.resolve(OK);
});

test('C7: an unreported end is reported by one of the other servers', async () => {
  await rows.add(run('unreported'));
  await rows.begin({ run: 'unreported', workflow: 'w', attempt: 1 });
  await rows.end(
    { run: 'unreported', workflow: 'w', attempt: 1 },
    { status: 'ok', end: '{}', at: 1 },
    'gone',
  );
  const nodes = ['one', 'two', 'three'];
  // A server that is not seen counts as dead, and its reports are taken over.
  for (const id of nodes)
    await sql.run(
      `INSERT INTO node (project, id, name, version, started_at, seen_at, applied, state)
        VALUES (?, ?, ?, '1', ${POSTGRES_CLOCK}, ${POSTGRES_CLOCK}, 0, 'up')`,
      DEFAULT_PROJECT,
      id,
      id,
    );
  const others = nodes.map((node) => server(undefined, node));
  const reports = (): string[] => others.flatMap(({ ended }) => ended).filter((one) => one === 'unreported');
  await eventually(() => expect(reports()).toHaveLength(1));
  const stored = await sql.first<{ told: number }>("SELECT told FROM durable_run WHERE run = 'unreported'");
  expect(stored?.told).toBe(1);
  expect(reports()).toHaveLength(1);
});

test('C6: a reason to continue that was only counted wakes the run', async () => {
  const first = server(({ run: { passes } }) => (passes === 1 ? PARKED : OK));
  await first.engine.start(run('counted'));
  await eventually(async () => expect((await rows.find('counted'))?.stored.status).toBe('waiting'));
  await rows.wake('counted');
  await eventually(async () => expect((await rows.find('counted'))?.stored.status).toBe('ok'));
});

test('SR1: only the last claim of a run writes', async () => {
  await rows.add(run('claims'));
  const [early, late] = [1, 2].map((attempt) => ({ run: 'claims', workflow: 'w', attempt }));
  await rows.begin(early as NonNullable<typeof early>);
  await rows.begin(late as NonNullable<typeof late>);
  const at = { status: 'ok', end: '{}', at: 1 } as const;
  expect(await rows.begin({ run: 'claims', workflow: 'w', attempt: 1 })).toBeUndefined();
  expect(await rows.begin({ run: 'claims', workflow: 'other', attempt: 9 })).toBeUndefined();
  expect(await rows.park({ run: 'claims', workflow: 'w', attempt: 1 }, '[]')).toBeUndefined();
  expect(await rows.end({ run: 'claims', workflow: 'w', attempt: 1 }, at, 'n')).toBe(false);
  expect(await rows.end({ run: 'claims', workflow: 'w', attempt: 2 }, at, 'n')).toBe(true);
  expect(await rows.end({ run: 'claims', workflow: 'w', attempt: 2 }, at, 'n')).toBe(false);
});

test('C8: a pass that was suspended takes no place for a run that has ended meanwhile', async () => {
  const limits = { groupOf: () => ({ name: 'still', most: 1 }) };
  const turns = new SharedTurns({ sql, limits, wake: async () => {}, complain: () => {}, now: Date.now });
  const limited = { flow: { flow: { settings: { maxRuns: 1 } } }, request: {} } as never;
  for (const id of ['still-1', 'still-2']) await rows.add(run(id));
  await rows.begin({ run: 'still-1', workflow: 'w', attempt: 1 });
  await rows.begin({ run: 'still-1', workflow: 'w', attempt: 2 });
  await rows.end({ run: 'still-1', workflow: 'w', attempt: 2 }, { status: 'ok', end: '{}', at: 1 }, 'other');
  expect(await turns.mayGoOn({ run: { run: 'still-1' } } as Pass, limited)).toBe(false);
  expect(await turns.mayGoOn({ run: { run: 'still-2' } } as Pass, limited)).toBe(true);
});

test('C8: a place that was just taken stays, however wrong the clock of the server that sweeps', async () => {
  const limits = { groupOf: () => ({ name: 'clock', most: 1 }) };
  const { now } = Date;
  const turns = new SharedTurns({ sql, limits, wake: async () => {}, complain: () => {}, now: () => now() });
  const limited = { flow: { flow: { settings: { maxRuns: 1, whenFull: 'reject' } } }, request: {} } as never;
  // Its row comes after its place.
  await turns.reserve('clock-1', limited);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
  onTestFinished(() => clock.mockRestore());
  await turns.sweep();
  await expect(turns.reserve('clock-2', limited)).rejects.toThrow();
});

test('a cancellation on one server reaches the pass on another, without any notice', async () => {
  const over = Promise.withResolvers<PassEnd>();
  const servers = [server(() => over.promise), server(() => over.promise)];
  await servers[0]?.engine.start(run('stopped'));
  await eventually(() => expect(servers.some(({ passes }) => passes.includes('stopped'))).toBe(true));
  const other = servers.find(({ passes }) => !passes.includes('stopped')) as Server;
  const executing = servers.find(({ passes }) => passes.includes('stopped')) as Server;
  expect(await other.engine.cancel('stopped', 'ann')).toBe(true);
  await eventually(() => expect(executing.woken).toMatchObject([{ run: 'stopped', cancelledBy: 'ann' }]));
  over.resolve({ ...OK, status: 'cancelled' } as PassEnd);
  await eventually(async () => expect((await rows.find('stopped'))?.stored.status).toBe('cancelled'));
});

test('C8, ST3: a waiting run gets the place of a run that no longer exists', async () => {
  const woken: string[] = [];
  const limits = { groupOf: () => ({ name: 'f', most: 1 }) };
  const wake = async (id: string): Promise<void> => void woken.push(id);
  const turns = new SharedTurns({ sql, limits, wake, complain: () => {}, now: Date.now });
  const limited = { flow: { flow: { settings: { maxRuns: 1 } } }, request: {} } as never;
  const pass = (id: string): Pass => ({ run: { run: id } }) as Pass;
  for (const id of ['turn-1', 'turn-2', 'turn-3']) await rows.add(run(id));
  expect(await turns.mayGoOn(pass('turn-1'), limited)).toBe(true);
  expect(await turns.mayGoOn(pass('turn-3'), limited)).toBe(false);
  expect(await turns.mayGoOn(pass('turn-2'), limited)).toBe(false);
  expect(await turns.mayGoOn(pass('turn-1'), limited)).toBe(true);
  await turns.sweep();
  expect(woken).toEqual([]);
  await rows.remove(['turn-1']);
  await sql.run('UPDATE durable_turn SET at = 0');
  await turns.sweep();
  expect(woken).toEqual(['turn-2']);
  expect(await turns.mayGoOn(pass('turn-3'), limited)).toBe(false);
  expect(await turns.mayGoOn(pass('turn-2'), limited)).toBe(true);
  await turns.ended('turn-2');
  expect(woken).toEqual(['turn-2', 'turn-3']);
});
