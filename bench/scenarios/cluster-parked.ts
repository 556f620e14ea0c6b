import { loadavg } from 'node:os';
import postgres from 'postgres';
import { migrateWorkflows, SCHEMA, Workflows } from '../../server/execution/durable/postgres/workflows.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { databaseCpu } from '../database-cpu.ts';
import { type BenchContext, interleave, type Line, median, medianRatio, type Scenario } from '../harness.ts';

const PARKED = 100_000;
const CLAIMS = 20;

/** As the library leaves runs that wait for people. */
const PARK = `INSERT INTO ${SCHEMA}.workflow_runs (namespace_id, id, workflow_name, status, config, input, attempts, available_at,
    created_at, updated_at)
  SELECT 'default', gen_random_uuid(), 'flow-run', 'running', '{}', '{}', 1, NOW() + INTERVAL '100 years', NOW(), NOW()
  FROM generate_series(1, $1::int)`;
/** As the library itself has it: without Weft's indexes, and with the one of its own that Weft drops for them. */
const AS_LIBRARY = `DROP INDEX ${SCHEMA}.weft_deadlines, ${SCHEMA}.weft_due;
  CREATE INDEX ON ${SCHEMA}.workflow_runs (namespace_id, status, available_at, created_at)`;

/** How long a claim of the library takes beside runs that are parked. */
export const clusterParked: Scenario = {
  name: 'cluster-parked',
  title: 'Claims of durable runs on PostgreSQL beside parked ones',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const parked = quick ? PARKED / 10 : PARKED;
    await using none = await open(0);
    await using many = await open(parked);
    await using bare = await open(parked, AS_LIBRARY);
    const cases = { none: () => claims(none), many: () => claims(many), bare: () => claims(bare) };
    await interleave(cases, 1);
    const times = await interleave(cases, quick ? 3 : 11);
    const ms = (all: readonly number[]): string => `${median(all).toFixed(2)} ms`;
    const load = `load of the machine ${loadavg()[0]?.toFixed(0)}`;
    return [
      {
        name: `processor time of a claim, ${parked.toLocaleString('en')} parked runs against none`,
        figure: medianRatio(times.many, times.none),
        unit: 'x',
        bar: { kind: 'at most', value: 1.1 },
        note: `${ms(times.many)} against ${ms(times.none)}, ${load}`,
      },
      {
        name: '  the same without the indexes that Weft adds to the library’s table',
        figure: medianRatio(times.bare, times.none),
        unit: 'x',
        note: ms(times.bare),
      },
    ];
  },
};

interface Database extends AsyncDisposable {
  readonly workflows: Workflows;
  /** Processor time of PostgreSQL so far, in milliseconds. */
  readonly cpuMs: () => number;
}

async function open(parked: number, then?: string): Promise<Database> {
  const url = await newDatabase();
  await migrateWorkflows(url);
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await client.unsafe(PARK, [parked]);
    if (then !== undefined) await client.unsafe(then);
    // As autovacuum does by itself, some time after so many writes.
    await client.unsafe(`VACUUM ANALYZE ${SCHEMA}.workflow_runs`);
  } finally {
    await client.end();
  }
  const workflows = new Workflows({ url, now: Date.now });
  return { workflows, cpuMs: await databaseCpu(url), [Symbol.asyncDispose]: () => workflows.close() };
}

/** Processor time of the database for a claim of a run that was just started, in milliseconds. */
async function claims({ workflows, cpuMs }: Database): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < CLAIMS; at++) {
    await workflows.create(`run${at}`);
    const before = cpuMs();
    const claimed = await workflows.claim();
    times.push(cpuMs() - before);
    if (claimed === undefined) throw new Error('A run that was started could not be claimed.');
    await workflows.complete(claimed);
  }
  return median(times);
}
