import { Agent, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDatabaseOf, startPostgres } from '../../server/storage/database/testing/postgres-server.ts';
import { helloFlow } from '../flows.ts';
import { type BenchContext, type Line, median, percentile, type Scenario } from '../harness.ts';
import { assertGood, rawRequest, startLoader } from '../load.ts';
import { type Server, startWeft, tempFolder } from '../servers.ts';
import { type Session, signIn } from '../session.ts';

const PROCESSES = 8;
/** Twice as many as processes: connections go to them in turn, so each has two. */
const PROBES = 2 * PROCESSES;
/** Requests a second while flows are published: enough that one that is refused would be seen. */
const RATE = 100;
const SETTINGS = ['max_connections=300', 'fsync=off'];
const SECRETS_KEY = '11'.repeat(32);
const PATH = '/api/v1/awel/trigger/bench/hello?name=Ada';
const LOOK_MS = 10;
const LIMIT_MS = 60_000;

/** How soon what is changed counts everywhere: flows that are published under load, and keys that are revoked. */
export const clusterChanges: Scenario = {
  name: 'cluster-changes',
  title: `Changes that ${PROCESSES} processes on one PostgreSQL have to know of`,
  async run(ctx: BenchContext): Promise<Line[]> {
    const url = await newDatabaseOf(await startPostgres(SETTINGS));
    const env = { WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: SECRETS_KEY };
    using folder = tempFolder();
    const processes = ctx.quick ? 2 : PROCESSES;
    await using server = await startWeft(folder.path, {
      env: { ...env, WEFT_PROCESSES: String(processes) },
      anyCore: true,
    });
    const session = await signIn(server);
    return [
      ...(await publishing(server, session, ctx)),
      await revoking(server, session, ctx),
      await cutOff(session, env, ctx),
    ];
  },
};

const load = (): string => `load of the machine ${loadavg()[0]?.toFixed(0)}`;

// ------------------------------------------------------------------------------------------------------- publishing

async function publishing(server: Server, session: Session, { quick, say }: BenchContext): Promise<Line[]> {
  const flow = (version: number) =>
    helloFlow('hello', '/bench/hello', { template: `version ${version} of {{ input.name }}` });
  await session.text('/flows', 'POST', { text: JSON.stringify(flow(0)) });
  let { revision } = await session.get('hello');
  using probes = openProbes(server);
  await using loader = startLoader();
  const raw = rawRequest('GET', PATH);
  const spec = { port: server.port, status: 200, connections: PROBES, rate: RATE };
  const running = await loader.start({ ...spec, requests: [{ raw, body: '"version ', exact: false }] });
  const times: number[] = [];
  let late = 0;
  const publishes = quick ? 5 : 200;
  for (let at = 1; at <= publishes; at++) {
    const began = performance.now();
    ({ revision } = await session.save(flow(at), revision));
    times.push(performance.now() - began);
    const answers = await probes.ask({});
    late += answers.filter(({ text }) => !text.startsWith(`"version ${at} `)).length;
    if (at % 50 === 0) say(`${at} publishes`);
  }
  const result = await running.stop();
  assertGood(result);
  return [
    {
      name: 'publish until live on all of them, 99 of 100',
      figure: percentile(times, 99),
      unit: 'ms',
      bar: { kind: 'at most', value: 300 },
      note: `${publishes} publishes, median ${Math.round(median(times))} ms, ${load()}`,
    },
    {
      name: 'requests that were refused meanwhile, or met an older version once a publish was answered',
      figure: result.failed + late,
      unit: '',
      bar: { kind: 'at most', value: 0 },
      note: `of ${result.requests} requests under load, and ${publishes * PROBES} after the publishes`,
    },
  ];
}

// ------------------------------------------------------------------------------------------------------------- keys

interface Key {
  readonly id: string;
  readonly key: string;
}

async function makeKey(session: Session, name: string): Promise<Key> {
  return (JSON.parse(await session.text('/keys', 'POST', { name, scopes: ['flows:read'] })) as { data: Key })
    .data;
}

async function revoking(server: Server, session: Session, { quick }: BenchContext): Promise<Line> {
  using probes = openProbes(server, '/api/v1/flows');
  const times: number[] = [];
  for (let at = 0; at < (quick ? 2 : 25); at++) {
    const { id, key } = await makeKey(session, `bench ${at}`);
    await probes.until(key, 200);
    const began = performance.now();
    const revoked = session.text(`/keys/${id}`, 'DELETE');
    // Not 401 alone: who asks so often with a wrong key is answered 429 for a while.
    await probes.refused(key);
    times.push(performance.now() - began);
    await revoked;
  }
  return {
    name: 'key revoked until refused by all of them, the longest',
    figure: Math.max(...times),
    unit: 'ms',
    bar: { kind: 'at most', value: 2000 },
    note: `${times.length} times, median ${Math.round(median(times))} ms, ${load()}`,
  };
}

/** A server that loses its database, of which it alone does not hear that the key is revoked. */
async function cutOff(
  session: Session,
  env: Readonly<Record<string, string>>,
  { quick }: BenchContext,
): Promise<Line> {
  const times: number[] = [];
  for (let at = 0; at < (quick ? 1 : 3); at++) {
    using wire = await openWire(Number(new URL(env['WEFT_DATABASE_URL'] as string).port));
    const own = new URL(env['WEFT_DATABASE_URL'] as string);
    own.port = String(wire.port);
    using folder = tempFolder();
    await using alone = await startWeft(folder.path, {
      env: { ...env, WEFT_DATABASE_URL: own.href },
      anyCore: true,
    });
    using probes = openProbes(alone, '/api/v1/flows');
    const { id, key } = await makeKey(session, `cut off ${at}`);
    await probes.until(key, 200);
    wire.cut();
    const began = performance.now();
    const revoked = session.text(`/keys/${id}`, 'DELETE');
    await probes.refused(key);
    times.push(performance.now() - began);
    await revoked;
  }
  return {
    name: '  by a server that is cut off from the database, the longest',
    figure: Math.max(...times) / 1000,
    unit: 's',
    // Ten seconds since it reached the database last, and the look that notices it.
    bar: { kind: 'at most', value: 10.1 },
    note: `${times.length} times, ${load()}`,
  };
}

// ----------------------------------------------------------------------------------------------------------- probes

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Probes extends Disposable {
  /** One request on each connection. */
  ask(headers: Readonly<Record<string, string>>): Promise<Answer[]>;
  /** Resolves once all of them answer so. */
  until(key: string, status: number): Promise<void>;
  /** Resolves once none of them grants what the key allows. */
  refused(key: string): Promise<void>;
}

/** Connections that stay open, each to the process that it was given to. */
function openProbes({ port }: Server, path = PATH): Probes {
  const agents = Array.from({ length: PROBES }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const ask = (headers: Readonly<Record<string, string>>): Promise<Answer[]> =>
    Promise.all(agents.map((agent) => askOne({ port, path, agent, headers })));
  async function untilAll(key: string, holds: (answer: Answer) => boolean): Promise<void> {
    const end = performance.now() + LIMIT_MS;
    while (!(await ask({ authorization: `Bearer ${key}` })).every(holds)) {
      if (performance.now() > end) throw new Error('A key was not granted or refused within a minute.');
      await sleep(LOOK_MS);
    }
  }
  return {
    ask,
    until: (key, wanted) => untilAll(key, ({ status }) => status === wanted),
    refused: (key) => untilAll(key, ({ status }) => status >= 400),
    [Symbol.dispose]: () => {
      for (const agent of agents) agent.destroy();
    },
  };
}

function askOne(options: {
  port: number;
  path: string;
  agent: Agent;
  headers: Readonly<Record<string, string>>;
}) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });
}

/** A way to the database that can be cut for good. */
async function openWire(to: number): Promise<{ readonly port: number; cut(): void } & Disposable> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(to, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    [Symbol.dispose]() {
      cut();
      server.close();
    },
  };
}
