import { setTimeout as sleep } from 'node:timers/promises';
import { OpenWorkflow } from 'openworkflow';
import { BackendPostgres } from 'openworkflow/postgres';
import { createPostgresEngine } from '../server/execution/durable/postgres/postgres-engine.ts';
import { createWorld, durableFlow, effectNode } from '../server/execution/durable/testing/durable-bed.ts';
import { openPostgres } from '../server/storage/database/postgres/open-postgres.ts';
import { noticeKeys } from '../server/storage/database/testing/bus.ts';
import { openPostgresBus } from '../server/storage/database/postgres/postgres-bus.ts';
import { weftMigrations } from '../server/storage/database/weft-tables.ts';
import type { StepSpec } from './step-workers.ts';

/** One of several processes that execute runs of steps: by the library's own worker, or as a server does. */
interface Worker {
  /** Starts this number of runs. */
  start(count: number): Promise<void>;
  /** Asks the database for nothing until it starts again, or for little. */
  rest(): Promise<void>;
  /** Runs that have ended in this process. */
  ended(): number;
}

/** Runs that the library's worker executes at once: its rate hardly differs between 10 and 100. */
const AT_ONCE = 25;

const spec = JSON.parse(process.argv[2] ?? '') as StepSpec;
const worker = await (spec.by === 'library' ? library(spec) : weft(spec));

process.on('message', (message: { readonly start: number } | 'rest') => {
  const done = message === 'rest' ? worker.rest() : worker.start(message.start);
  done.catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.on('disconnect', () => process.exit());
let told = -1;
setInterval(() => {
  const ended = worker.ended();
  if (ended !== told) process.send?.({ ended, cpuMs: cpu() });
  told = ended;
}, 10);

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function library({ url, steps, ms }: StepSpec): Promise<Worker> {
  const backend = await BackendPostgres.connect(url, { schema: 'plain', runMigrations: false });
  const flows = new OpenWorkflow({ backend });
  let ended = 0;
  const workflow = flows.defineWorkflow({ name: 'steps' }, async ({ step }) => {
    for (let i = 0; i < steps; i++)
      await step.run({ name: `n${i}` }, async () => {
        if (ms > 0) await sleep(ms);
        return i;
      });
    ended++;
    return null;
  });
  const executing = flows.newWorker({ concurrency: AT_ONCE });
  return {
    async start(count) {
      await executing.start();
      await Promise.all(Array.from({ length: count }, () => workflow.run({})));
    },
    rest: () => executing.stop(),
    ended: () => ended,
  };
}

/** On a busy machine the first connections may take too long; the caller of a real server would repeat too. */
async function started(start: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await start());
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'storage_failed') throw error;
    }
  }
}

async function weft({ url, steps, ms }: StepSpec): Promise<Worker> {
  const world = await createWorld(async () => {
    const sql = await openPostgres(url, weftMigrations);
    const bus = await openPostgresBus(url, console.error, noticeKeys);
    const node = crypto.randomUUID();
    const engine = createPostgresEngine({ sql, url, bus, node, now: Date.now, complain: console.error });
    return { engine, kill: () => engine.kill() };
  });
  const names = Array.from({ length: steps }, (_, i) => `n${i}`);
  const nodes = Object.fromEntries(names.map((name) => [name, effectNode({ ms })]));
  const edges = names.map((name, i) => `${i === 0 ? 't' : `n${i - 1}`} > ${name}`);
  const flow = world.flow(durableFlow('steps', nodes, edges));
  const { durable } = await world.boot();
  const request = { flow, trigger: 't', request: {}, output: 1, source: 'manual' as const };
  return {
    async start(count) {
      await Promise.all(Array.from({ length: count }, () => started(() => durable.start(request))));
    },
    rest: async () => {},
    ended: () => world.ended.length,
  };
}
