import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrateWorkflows } from '../../server/execution/durable/postgres/workflows.ts';
import { openPostgres } from '../../server/storage/database/postgres/open-postgres.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { weftMigrations } from '../../server/storage/database/weft-tables.ts';
import { restateProgram } from '../../tests/runner/services.ts';
import { freePort } from '../../tests/services/proxy-suite.ts';
import { startRestate } from '../../tests/services/restate-server.ts';
import { type BenchContext, type Line, median, percentile, type Scenario } from '../harness.ts';

export interface TakeoverSpec {
  /** A database with the tables. */
  readonly url: string;
  /** Absent: OpenWorkflow on the database. */
  readonly restate?: {
    readonly url: string;
    readonly adminUrl: string;
    /** Where Restate reaches whichever server is there. */
    readonly door: number;
    readonly port: number;
  };
}

const WORKER = fileURLToPath(new URL('../takeover-worker.ts', import.meta.url));
const LEASE_MS = 3000;
/** Of a run before its server is killed, in milliseconds at most: any moment between two renewals of its claim. */
const LIFE_MS = 2000;
const LIMIT_MS = 60_000;

/** Of two servers the one that executes a run is killed (-9): how long until the other one goes on with it. */
export const clusterTakeover: Scenario = {
  name: 'cluster-takeover',
  title: 'A durable run whose server was killed (-9): until another one goes on with it',
  async run(ctx: BenchContext): Promise<Line[]> {
    const samples = ctx.quick ? 2 : 20;
    const url = await newDatabase();
    await (await openPostgres(url, weftMigrations)).close();
    await migrateWorkflows(url);
    const lease = await takeovers([{ url }, { url }], samples, ctx);
    const bar = { kind: 'at most', value: LEASE_MS + 1000 } as const;
    const lines = [
      lineOf('OpenWorkflow on PostgreSQL, lease of 3 s, the longest', Math.max(...lease), lease, bar),
    ];
    if (ctx.quick) return lines;
    if (!existsSync(restateProgram)) return [...lines, ...notThere()];
    return [...lines, await withRestate(samples, ctx)];
  },
};

function lineOf(name: string, figure: number, all: readonly number[], bar: Line['bar']): Line {
  const [shortest, middle] = [Math.min(...all), median(all)].map(Math.round);
  const load = loadavg()[0]?.toFixed(0);
  return {
    name,
    figure,
    unit: 'ms',
    bar,
    note: `${all.length} times, median ${middle} ms, shortest ${shortest} ms, load of the machine ${load}`,
  };
}

function notThere(): Line[] {
  process.stderr.write('  not measured: Restate, which `npm run test:services` installs\n');
  return [];
}

async function withRestate(samples: number, ctx: BenchContext): Promise<Line> {
  const url = await newDatabase();
  await (await openPostgres(url, weftMigrations)).close();
  const [node] = await startRestate();
  if (node === undefined) throw new Error('Restate did not start.');
  const ports = [await freePort(), await freePort()];
  const door = await openDoor(ports);
  try {
    const specs = ports.map((port) => ({
      url,
      restate: { url: node.url, adminUrl: node.adminUrl, door: door.port, port },
    }));
    const all = await takeovers(specs, samples, ctx);
    return lineOf('Restate, 99 of 100', percentile(all, 99), all, { kind: 'at most', value: 1500 });
  } finally {
    door.close();
    await node.kill();
  }
}

/** Each in turn: a run is started, the server that began it is killed, and the other one begins it again. */
async function takeovers(
  specs: readonly TakeoverSpec[],
  samples: number,
  { say }: BenchContext,
): Promise<number[]> {
  const servers = await Promise.all(specs.map(startServer));
  const times: number[] = [];
  try {
    for (let at = 0; at < samples; at++) {
      const run = `takeover${String(at).padStart(4, '0')}`;
      const begun = servers.map((server) => server.begins(run, 1));
      servers[at % servers.length]?.child.send({ start: run });
      const owner = await inTime(Promise.race(begun.map(async (one, which) => one.then(() => which))));
      await sleep(Math.random() * LIFE_MS);
      const others = servers.filter((_, which) => which !== owner);
      const again = Promise.race(others.map((other) => other.begins(run, 2)));
      servers[owner]?.child.kill('SIGKILL');
      const killed = performance.now();
      await inTime(again);
      times.push(performance.now() - killed);
      servers[owner] = await startServer(specs[owner] as TakeoverSpec);
      say(`takeover ${at + 1} after ${Math.round(times.at(-1) ?? 0)} ms`);
    }
    return times;
  } finally {
    for (const { child } of servers) child.kill('SIGKILL');
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = sleep(LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error('nobody went on with a run within a minute');
  });
  return Promise.race([work, late]);
}

interface Server {
  readonly child: ChildProcess;
  /** Resolves once it begins this pass of the run. */
  begins(run: string, pass: number): Promise<void>;
}

async function startServer(spec: TakeoverSpec): Promise<Server> {
  const child = fork(WORKER, [JSON.stringify(spec)], { stdio: ['ignore', 'ignore', 2, 'ipc'] });
  await once(child, 'message');
  return {
    child,
    begins: (run, pass) =>
      new Promise((resolve) => {
        child.on('message', (told: { readonly run: string; readonly passes: number }) => {
          if (told.run === run && told.passes === pass) resolve();
        });
      }),
  };
}

/** Connections go to the first of the ports that takes them. */
async function openDoor(ports: readonly number[]): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    const attempt = ([port, ...others]: readonly number[]): void => {
      if (port === undefined) return void client.destroy();
      const upstream = connect(port, '127.0.0.1');
      const refused = (): void => attempt(others);
      upstream.once('error', refused).once('connect', () => {
        upstream.off('error', refused).on('error', () => upstream.destroy());
        upstream.on('close', () => client.destroy());
        client.on('close', () => upstream.destroy());
        upstream.pipe(client).pipe(upstream);
      });
    };
    attempt(ports);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
