import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CrashingPostgres,
  freePort,
  newDatabaseOf,
  startCrashingPostgres,
} from '../../../server/storage/database/testing/postgres-server.ts';
import { type RestateNode, startRestate } from '../../../tests/services/restate-server.ts';
import { signInBy } from '../../../tests/support/client.ts';
import { startServer, type TestServer } from '../../../tests/support/server.ts';
import { pause } from '../part.ts';
import { type Gate, openDoor, openGate } from './gate.ts';

export type Engine = 'openworkflow' | 'restate';

/** One of the processes, with a door of its own to the database. */
export interface Process {
  readonly name: string;
  readonly gate: Gate;
  /** Undefined while it is not there, or does not answer yet. */
  readonly url: string | undefined;
  /** A fault happens to it. */
  isFaulty: boolean;
  /** `shiftMs`: how wrong its clock is. */
  start(shiftMs?: number): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** When its event loop stood still. */
  stalls(): { readonly at: number; readonly until: number }[];
  /** Everything that it printed, in all of its lives. */
  output(): string;
}

/** Four real processes on one real database, and with Restate on three nodes of it. */
export interface Cluster extends AsyncDisposable {
  readonly processes: readonly Process[];
  readonly postgres: CrashingPostgres;
  readonly restate: readonly RestateNode[];
  /** The database, without a gate. */
  readonly url: string;
  /** Of somebody who may do everything. */
  readonly headers: Readonly<Record<string, string>>;
}

const PROCESSES = 4;
const START_LIMIT_MS = 600_000;
const PASSWORD = 'of the chaos';
const SECRETS_KEY = '11'.repeat(32);
const preload = (name: string): string =>
  `--import=${fileURLToPath(new URL(`../../../tests/support/${name}`, import.meta.url))}`;

export async function startCluster(engine: Engine, folder: string): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  // Half-open connections stay with the database until it is started again.
  const database = stack.use(await startCrashingPostgres('max_connections=500'));
  const url = await newDatabaseOf(database.url);
  const restate = engine === 'restate' ? await startRestate(3) : [];
  stack.defer(async () => void (await Promise.all(restate.map((node) => node.kill()))));
  const ports = await Promise.all(Array.from({ length: PROCESSES }, () => freePort()));
  const more = engine === 'restate' ? await restateEnv(restate, ports, stack) : {};
  const processes: Process[] = [];
  for (const [i, port] of ports.entries()) {
    const gate = stack.use(await openGate({ host: '127.0.0.1', port: Number(new URL(url).port) }));
    const env = {
      ...more,
      WEFT_DATABASE_URL: throughGate(url, gate, `p${i}`),
      WEFT_RESTATE_PORT: String(port),
    };
    const one = makeProcess(`p${i}`, gate, { folder: join(folder, `p${i}`), env });
    stack.defer(() => one.kill());
    processes.push(one);
  }
  const server = await (processes[0] as OwnProcess).begin();
  const { headers } = await signInBy(PASSWORD, server);
  await Promise.all(processes.slice(1).map((one) => one.start()));
  const all = stack.move();
  return {
    processes,
    postgres: database,
    restate,
    url,
    headers,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function throughGate(url: string, { port }: Gate, name: string): string {
  const address = new URL(url);
  address.port = String(port);
  address.searchParams.set('application_name', name);
  return address.href;
}

async function restateEnv(
  nodes: readonly RestateNode[],
  ports: readonly number[],
  stack: AsyncDisposableStack,
): Promise<Record<string, string>> {
  const door = async (to: readonly number[]): Promise<string> =>
    `http://127.0.0.1:${stack.use(await openDoor(to)).port}`;
  const portOf = (url: string): number => Number(new URL(url).port);
  return {
    WEFT_RESTATE_URL: await door(nodes.map((node) => portOf(node.url))),
    WEFT_RESTATE_ADMIN_URL: await door(nodes.map((node) => portOf(node.adminUrl))),
    WEFT_RESTATE_SERVICE_URL: await door(ports),
  };
}

interface OwnProcess extends Process {
  begin(shiftMs?: number): Promise<TestServer>;
}

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

function envOf(shiftMs: number): Record<string, string> {
  const options = [preload('tell-process.mjs'), ...(shiftMs === 0 ? [] : [preload('shifted-clock.mjs')])];
  return {
    WEFT_SECRETS_KEY: SECRETS_KEY,
    WEFT_ADMIN_PASSWORD: PASSWORD,
    WEFT_OUTBOUND_ALLOW: '127.0.0.1',
    NODE_OPTIONS: options.join(' '),
    TEST_CLOCK_SHIFT: String(shiftMs),
  };
}

function makeProcess(name: string, gate: Gate, { folder, env }: Place): OwnProcess {
  let server: TestServer | undefined;
  const lives: string[] = [];
  const stalls = join(folder, 'stalls');
  const [flows, data] = [join(folder, 'flows'), join(folder, 'data')];
  for (const one of [flows, data]) mkdirSync(one, { recursive: true });
  const begin = async (shiftMs = 0): Promise<TestServer> => {
    const own = { ...envOf(shiftMs), TEST_PROCESS: name, TEST_STALLS: stalls, ...env };
    server = await startServer({ flows, data, env: own });
    return server;
  };
  return {
    name,
    gate,
    get url() {
      return server?.url;
    },
    isFaulty: false,
    begin,
    start: (shiftMs) => insisted(() => begin(shiftMs)),
    async kill() {
      const dying = server;
      server = undefined;
      if (dying === undefined) return;
      await dying.stop('SIGKILL');
      lives.push(dying.output());
      writeFileSync(join(folder, 'output.log'), lives.join('\n-- killed\n'));
    },
    freeze() {
      server?.process.kill('SIGSTOP');
    },
    thaw() {
      server?.process.kill('SIGCONT');
    },
    stalls: () => readStalls(stalls),
    output: () => [...lives, server?.output() ?? ''].join('\n'),
  };
}

/** The database may be away: whoever starts a process starts it again. */
async function insisted(start: () => Promise<unknown>): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return void (await start());
    } catch (error) {
      if (performance.now() > limit) throw error;
      await pause(200);
    }
  }
}

function readStalls(file: string): { at: number; until: number }[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [at = 0, until = 0] = line.split(' ').map(Number);
    return { at, until };
  });
}
