import { BackendPostgres } from 'openworkflow/postgres';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import { newDatabase } from '../../../storage/database/testing/postgres-server.ts';
import { type Claimed, migrateWorkflows, SCHEMA, Workflows } from './workflows.ts';

/** The library's workflows on a real PostgreSQL, as two servers see them. */
let url: string;
let library: BackendPostgres;
const opened: Workflows[] = [];

beforeAll(async () => {
  url = await newDatabase();
  // Several servers start at once.
  await Promise.all([1, 2, 3].map(() => migrateWorkflows(url)));
  library = await BackendPostgres.connect(url, { runMigrations: false, schema: SCHEMA });
});
afterAll(async () => {
  await library.stop();
  for (const one of opened) await one.close();
});

function server(leaseMs = 60_000): Workflows {
  const made = new Workflows({ url, now: Date.now, leaseMs });
  opened.push(made);
  return made;
}

async function claimed(by: Workflows): Promise<Claimed> {
  const found = await by.claim();
  if (found === undefined) throw new Error('nothing is due');
  return found;
}

const kept = (n: number) => ({ n, result: `,\n{"v":${n}}` });

describe('the batched record of steps, which goes past the library', () => {
  test('is what the library would have written and can read', async () => {
    const [ours, peer] = [server(), server()];
    const [first, second] = [await ours.create('a'), await ours.create('b')];
    const claims = [await claimed(ours), await claimed(ours)];
    expect(new Set(claims.map(({ workflow }) => workflow))).toEqual(new Set([first, second]));
    const [one, other] = claims as [Claimed, Claimed];
    const nasty = { n: 1, result: 'a\\b "q" \u0001 \\u0000 {x,y} \u{1F600}' };
    const made = [
      ours.record(one, 'x', kept(0)),
      ours.record(other, 'x', kept(0)),
      ours.record(one, 'y,"{', nasty),
    ];
    expect(await Promise.all(made)).toEqual([true, true, true]);
    const { steps, next } = await peer.steps(one.workflow);
    expect(next).toBe(2);
    expect(steps).toEqual([
      { key: 'x', result: kept(0).result },
      { key: 'y,"{', result: nasty.result },
    ]);
    const own = { workflowRunId: other.workflow, workerId: other.worker };
    const attempt = await library.createStepAttempt({
      ...own,
      stepName: 'z',
      kind: 'function',
      config: {},
      context: null,
    });
    const output = { ...kept(1) };
    await library.completeStepAttempt({ ...own, stepAttemptId: attempt.id, output });
    const { data } = await library.listStepAttempts({ workflowRunId: other.workflow });
    const shape = ({ id: _, stepName: __, output: ___, ...rest }: (typeof data)[number]): object => ({
      ...rest,
      startedAt: null,
      finishedAt: null,
      createdAt: null,
      updatedAt: null,
    });
    expect(data).toHaveLength(2);
    expect(shape(data[0] as (typeof data)[number])).toEqual(shape(data[1] as (typeof data)[number]));
  });

  test('C1, C2: is refused for all but the claimant, without affecting other records', async () => {
    const [slow, quick] = [server(1), server()];
    const run = await slow.create('zombie');
    const zombie = await claimed(slow);
    let owner: Claimed | undefined;
    await eventually(async () => expect((owner = await quick.claim())).toBeDefined());
    expect(owner).toMatchObject({ workflow: run, attempt: zombie.attempt + 1 });
    const of = owner as Claimed;
    const mixed = await Promise.all([
      quick.record(zombie, 'late', kept(0)),
      quick.record(of, 'step', kept(0)),
      quick.record({ ...of, worker: 'nobody' }, 'late', kept(1)),
    ]);
    expect(mixed).toEqual([false, true, false]);
    expect((await quick.steps(run)).steps.map(({ key }) => key)).toEqual(['step']);
    expect(await slow.renew(zombie)).toBe(false);
    await expect(slow.complete(zombie)).rejects.toThrow();
    await quick.complete(of);
    expect(await quick.record(of, 'after the end', kept(1))).toBe(false);
  });

  test('C1: is refused if another server gets the claim while it waits for the row', async () => {
    const ours = server();
    await ours.create('taken');
    const of = await claimed(ours);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    let recorded: Promise<boolean> | undefined;
    await sql.begin(async (tx) => {
      await tx.unsafe(`UPDATE ${SCHEMA}.workflow_runs SET worker_id = 'another' WHERE id = $1`, [
        of.workflow,
      ]);
      recorded = ours.record(of, 'step', kept(0));
      await eventually(async () => {
        const [row] = await tx`SELECT count(*)::int AS n FROM pg_locks AS l JOIN pg_stat_activity USING (pid)
            WHERE datname = current_database() AND NOT granted AND locktype = 'transactionid'`;
        expect(row?.['n']).toBe(1);
      });
    });
    expect(await recorded).toBe(false);
    expect((await ours.steps(of.workflow)).steps).toEqual([]);
    await ours.complete({ ...of, worker: 'another' });
    await sql.end();
  });

  test('C2: a step that is recorded twice because the first answer was lost is read once', async () => {
    const ours = server();
    await ours.create('again');
    const of = await claimed(ours);
    for (const n of [0, 1, 1, 2, 1]) expect(await ours.record(of, `s${n}`, kept(n))).toBe(true);
    const { steps, next } = await ours.steps(of.workflow);
    expect(next).toBe(3);
    expect(steps).toEqual([0, 1, 2].map((n) => ({ key: `s${n}`, result: kept(n).result })));
    await ours.complete(of);
  });

  test('steps that arrive together are written together, whatever they contain', async () => {
    const ours = server();
    await ours.create('many');
    const of = await claimed(ours);
    const results = await Promise.all(
      Array.from({ length: 1200 }, (_, n) => ours.record(of, `s${n}`, { n, result: `,\n${'x'.repeat(n)}` })),
    );
    expect(results).not.toContain(false);
    const { steps } = await ours.steps(of.workflow);
    expect(steps.map(({ key }) => key)).toEqual(Array.from({ length: 1200 }, (_, n) => `s${n}`));
    await ours.complete(of);
  });
});

test('a parked workflow continues with its signal, or at its time, and not with the signal of an earlier park', async () => {
  const ours = server();
  const run = await ours.create('waits');
  const first = await claimed(ours);
  await ours.park(first, 'wake:waits#1');
  expect(await ours.isIdle(run)).toBe(true);
  await ours.signal('wake:waits#0');
  expect(await ours.claim()).toBeUndefined();
  await ours.signal('wake:waits#1');
  const second = await claimed(ours);
  expect(second).toMatchObject({ workflow: run, attempt: 2 });
  await ours.steps(run, second);
  await ours.park(second, 'wake:waits#2', Date.now() + 50);
  await ours.signal('wake:waits#1');
  let third: Claimed | undefined;
  await eventually(async () => expect((third = await ours.claim())).toBeDefined());
  await ours.complete(third as Claimed);
  await ours.remove([run]);
  expect(await library.getWorkflowRun({ workflowRunId: run })).toBeNull();
  expect((await library.listStepAttempts({ workflowRunId: run })).data).toEqual([]);
});

test('the check for due work agrees with what a claim would find', async () => {
  const one = server();
  expect([await one.isDue(), await one.claim()]).toEqual([false, undefined]);
  await one.create('due');
  expect(await one.isDue()).toBe(true);
  const held = await claimed(one);
  expect(await one.isDue()).toBe(false);
  await one.release(held, 0);
  expect(await one.isDue()).toBe(true);
  await one.complete(await claimed(one));
  expect([await one.isDue(), await one.claim()]).toEqual([false, undefined]);
});

test('a claim reads no run that is parked', async () => {
  const one = new Workflows({ url, now: Date.now });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const scans = async (): Promise<number> => {
    await sql`SELECT pg_stat_clear_snapshot()`;
    const [row] =
      await sql`SELECT idx_scan AS scans FROM pg_stat_user_indexes WHERE indexrelname = 'weft_deadlines'`;
    return Number(row?.['scans']);
  };
  await sql.unsafe(`INSERT INTO ${SCHEMA}.workflow_runs (namespace_id, id, workflow_name, status, config, input, attempts,
    available_at, created_at, updated_at) SELECT 'default', gen_random_uuid(), 'flow-run', 'running', '{}', '{}', 1,
    NOW() + INTERVAL '1 year', NOW(), NOW() FROM generate_series(1, 5000)`);
  await sql.unsafe(`VACUUM ANALYZE ${SCHEMA}.workflow_runs`);
  const before = await scans();
  await one.create('due');
  await one.complete(await claimed(one));
  // A connection's reads are counted at the latest when it ends.
  await one.close();
  // The library's query for passed deadlines finds an index without entries.
  await eventually(async () => expect(await scans()).toBeGreaterThan(before));
  await sql.end();
});

test('operations on one run read no others, even before PostgreSQL has statistics of the table', async () => {
  const own = await newDatabase();
  await migrateWorkflows(own);
  const [first, one] = [1, 2].map(() => new Workflows({ url: own, now: Date.now })) as [Workflows, Workflows];
  const sql = postgres(own, { max: 1, onnotice: () => {} });
  const read = async (): Promise<{ scans: number; rows: number }> => {
    await sql`SELECT pg_stat_clear_snapshot()`;
    const [row] = await sql`SELECT sum(idx_scan) AS scans, sum(idx_tup_read) + sum(seq_tup_read) AS rows
      FROM pg_stat_user_tables AS t JOIN (SELECT relid AS of, sum(idx_tup_read) AS idx_tup_read
      FROM pg_stat_user_indexes GROUP BY relid) AS i ON i.of = t.relid WHERE t.relname = 'workflow_runs'`;
    return { scans: Number(row?.['scans']), rows: Number(row?.['rows']) };
  };
  const others = 2000;
  await sql.unsafe(`INSERT INTO ${SCHEMA}.workflow_runs (namespace_id, id, workflow_name, status, config, input, attempts,
    worker_id, available_at, created_at, updated_at) SELECT 'default', gen_random_uuid(), 'flow-run', 'running', '{}', '{}', 1,
    'another', NOW() + INTERVAL '1 minute', NOW(), NOW() FROM generate_series(1, ${others})`);
  await first.create('mine');
  const mine = await claimed(first);
  // A connection's reads are counted at the latest when it ends.
  await first.close();
  const before = await read();
  for (let n = 0; n < 10; n++) {
    await one.record(mine, `s${n}`, kept(n));
    await one.renew(mine);
  }
  await one.complete(mine);
  await one.close();
  const done = 2 * 10 + 1;
  await eventually(async () => expect((await read()).scans - before.scans).toBeGreaterThanOrEqual(done));
  // The key's entries of earlier versions of the same row are read too.
  expect((await read()).rows - before.rows).toBeLessThan(others / 4);
  await sql.end();
});
