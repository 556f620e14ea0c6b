import { loadavg } from 'node:os';
import { BackendPostgres } from 'openworkflow/postgres';
import postgres from 'postgres';
import { migrateWorkflows } from '../../server/execution/durable/postgres/workflows.ts';
import { openPostgres } from '../../server/storage/database/postgres/open-postgres.ts';
import { newDatabaseOf, startPostgres } from '../../server/storage/database/testing/postgres-server.ts';
import { weftMigrations } from '../../server/storage/database/weft-tables.ts';
import { databaseCpu } from '../database-cpu.ts';
import { type BenchContext, interleave, type Line, median, medianRatio, type Scenario } from '../harness.ts';
import { startStepWorkers, type StepSpec, type StepWorkers } from '../step-workers.ts';

const STEPS = 10;
const WORKERS = 4;
const MANY = 8;
/** For the smoke test. */
const FEW = 2;
/** Of steps that wait for something outside, in milliseconds. */
const WAIT_MS = 50;
/** Runs that each worker has at once while steps wait: few, since the steps are to cost the time and not the processors. */
const RUNS_EACH = 2;
/** More connections than PostgreSQL's default of 100 would allow so many processes. */
const SETTINGS = ['max_connections=300', 'fsync=off'];

/** What one turn took: wall time, and processor time of the workers and of the database. */
interface Turn {
  readonly ms: number;
  readonly workersMs: number;
  readonly databaseMs: number;
}

/** Durable runs of ten steps on PostgreSQL, against the library's own worker on the same server; and how they grow with the workers. */
export const clusterSteps: Scenario = {
  name: 'cluster-steps',
  title: `Durable runs of ${STEPS} steps on PostgreSQL, in several processes`,
  async run(ctx: BenchContext): Promise<Line[]> {
    const server = await startPostgres(SETTINGS);
    return [...(await againstLibrary(server, ctx)), await growth(server, ctx)];
  },
};

async function makeTables(server: string): Promise<string> {
  const url = await newDatabaseOf(server);
  await (await openPostgres(url, weftMigrations)).close();
  await migrateWorkflows(url);
  await (await BackendPostgres.connect(url, { schema: 'plain' })).stop();
  return url;
}

async function againstLibrary(server: string, { quick, say }: BenchContext): Promise<Line[]> {
  const url = await makeTables(server);
  const spec = { url, steps: STEPS, ms: 0 };
  await using library = await startStepWorkers(quick ? FEW : WORKERS, { ...spec, by: 'library' });
  await using weft = await startStepWorkers(quick ? FEW : WORKERS, { ...spec, by: 'weft' });
  const runs = quick ? 40 : 1000;
  const database = await databaseCpu(url);
  const turn = (workers: StepWorkers) => async (): Promise<Turn> => {
    const before = database();
    const { ms, cpuMs: workersMs } = await workers.run(runs);
    return { ms, workersMs, databaseMs: database() - before };
  };
  const both = { library: turn(library), weft: turn(weft) };
  // Their first runs meet code that is not compiled yet, and tables of which PostgreSQL knows nothing: it looks at them within a minute.
  if (!quick) {
    await interleave(both, 1);
    await analyze(url);
  }
  const rounds = await interleave(both, quick ? 1 : 4);
  const [plain, ours] = [rounds.library, rounds.weft];
  for (const [at, one] of ours.entries())
    say(`${runs} runs: library ${told(plain[at] as Turn, runs)}; weft ${told(one, runs)}`);
  const rate = (all: readonly Turn[]): string =>
    `${Math.round((runs * STEPS * 1000) / median(all.map(({ ms }) => ms)))}`;
  const cpu = ({ workersMs, databaseMs }: Turn): number => workersMs + databaseMs;
  const us = (all: readonly Turn[]): string => `${Math.round((median(all.map(cpu)) * 1000) / runs)} µs`;
  return [
    {
      name: `steps a second, ${quick ? FEW : WORKERS} workers, against the library's own`,
      figure: medianRatio(
        plain.map(({ ms }) => ms),
        ours.map(({ ms }) => ms),
      ),
      unit: 'x',
      bar: { kind: 'at least', value: 1.5 },
      note: `${rate(ours)} against ${rate(plain)} a second, load of the machine ${loadavg()[0]?.toFixed(0)}`,
    },
    {
      name: '  in processor time of the workers and the database together',
      figure: medianRatio(plain.map(cpu), ours.map(cpu)),
      unit: 'x',
      note: `${us(ours)} a run against ${us(plain)}`,
    },
  ];
}

async function analyze(url: string): Promise<void> {
  const client = postgres(url, { max: 1 });
  await client`ANALYZE`;
  await client.end();
}

function told({ ms, workersMs, databaseMs }: Turn, runs: number): string {
  const each = (total: number): number => Math.round((total * 1000) / runs);
  return `${Math.round((runs * STEPS * 1000) / ms)} steps/s, ${each(workersMs)} + ${each(databaseMs)} µs a run`;
}

/** Whether eight workers do eight times as much as one, if the steps wait and hardly cost a processor. */
async function growth(server: string, { quick }: BenchContext): Promise<Line> {
  const url = await makeTables(server);
  const spec: StepSpec = { by: 'weft', url, steps: STEPS, ms: WAIT_MS };
  await using one = await startStepWorkers(1, spec);
  const workers = quick ? FEW : MANY;
  await using many = await startStepWorkers(workers, { ...spec, url: await makeTables(server) });
  const turn = (all: StepWorkers, count: number) => async () => (await all.run(count * RUNS_EACH)).ms;
  const both = { one: turn(one, 1), many: turn(many, workers) };
  await interleave(both, quick ? 1 : 3);
  const times = await interleave(both, quick ? 1 : 15);
  const [alone, together] = [median(times.one), median(times.many)];
  return {
    name: `growth from 1 to ${workers} workers, steps that wait ${WAIT_MS} ms`,
    figure: medianRatio(times.one, times.many),
    unit: 'x',
    bar: { kind: 'at least', value: 0.9 },
    note: `${RUNS_EACH} runs each at once took ${Math.round(together)} ms against ${Math.round(alone)} ms; the work of a step is simulated by a timer, load of the machine ${loadavg()[0]?.toFixed(0)}`,
  };
}
