import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { NodeInfo } from '#shared/node.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { type Answer, ask, call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, lateFlow, sayFlow } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import { discard, product, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** Several processes on one port (`WEFT_PROCESSES`), over a real PostgreSQL and over a data folder alone. */
const SECRETS_KEY = '11'.repeat(32);
/** Each request on a connection of its own, so that it reaches the process whose turn it is. */
const apart = { headers: { connection: 'close' } };

type Place = 'with a database' | 'without';

async function startIn(place: Place): Promise<TestServer & { readonly owner: Owner }> {
  const database =
    place === 'without' ? {} : { WEFT_DATABASE_URL: await newDatabase(), WEFT_SECRETS_KEY: SECRETS_KEY };
  const server = await startServer({ env: { ...database, WEFT_PROCESSES: '2' } });
  onTestFinished(() => discard(server));
  return { ...server, owner: await signIn(server) };
}

async function publish({ owner }: { readonly owner: Owner }, flow: FlowJson): Promise<void> {
  await owner.data('POST', '/flows', { text: JSON.stringify(flow) });
}

const nodes = ({ owner }: { readonly owner: Owner }) => owner.data<NodeInfo[]>('GET', '/nodes');
const pidOf = ({ name }: NodeInfo): number => Number(name.split('/').at(-1));
const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

/** How many runs the list has, and how many processes executed them: the end of an id says which. */
async function tagsOf({ owner }: { readonly owner: Owner }): Promise<[runs: number, processes: number]> {
  const { runs } = await owner.data<{ runs: { run: string }[] }>('GET', '/runs?limit=100');
  return [runs.length, new Set(runs.map(({ run }) => run.slice(-10))).size];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.each<Place>(['with a database', 'without'])('%s', (place) => {
  const start = () => startIn(place);

  test('two processes serve on one port, each executes runs, and one address signs in at both', async () => {
    const server = await start();
    await publish(server, sayFlow('hello', 'one'));
    const answers = await times(20, () => call(server, '/hello', apart));
    expect(answers.map(({ text }) => text)).toEqual(Array(20).fill('"one"'));
    const list = await nodes(server);
    expect(list.map(({ process: one, state }) => [one?.number, one?.of, state]).sort()).toEqual([
      [1, 2, 'up'],
      [2, 2, 'up'],
    ]);
    expect(new Set(list.map(({ process: one }) => one?.server))).toEqual(new Set([server.process.pid]));
    // Every request may reach the other one.
    const { headers } = server.owner;
    const asked = await times(6, () =>
      ask(`${server.url}/api/v1/nodes`, { headers: { ...headers, connection: 'close' } }),
    );
    const selves = asked.map(({ body }) => (body as { data: NodeInfo[] }).data.find(({ self }) => self)?.id);
    // Without a database the first process answers what is not about runs.
    expect(new Set(selves).size).toBe(place === 'without' ? 1 : 2);
    await eventually(async () => expect(await tagsOf(server)).toEqual([20, 2]));
  });

  test('an address that signs in does so once, whichever process it reaches', async () => {
    const server = await start();
    const { address } = await server.owner.data<{ address: string }>('POST', '/session/invite');
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) {
      const { status, headers } = await fetch(address, { redirect: 'manual', ...apart });
      seen.push(status === 303 && headers.has('set-cookie') ? 1 : 0);
    }
    expect(seen).toEqual([1, 0, 0, 0]);
    const forged = address.replace(/token=(.)/, (_, first: string) => `token=${first === 'A' ? 'B' : 'A'}`);
    expect((await fetch(forged, { redirect: 'manual' })).headers.has('set-cookie')).toBe(false);
  });

  test('a run of one process is read and stopped through both', async () => {
    const server = await start();
    const trigger = httpTrigger('/late', { answer: 'immediately' });
    const late = lateFlow('late', 'done', 60_000);
    await publish(server, { ...late, nodes: { ...late.nodes, trigger }, settings: { durable: false } });
    const { body } = await call(server, '/late', apart);
    const { run } = body as { run: string };
    const { headers } = server.owner;
    const read = () =>
      ask(`${server.url}/api/v1/runs/${run}/events`, { headers: { ...headers, ...apart.headers } });
    const answers = await times(6, read);
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    for (const { text } of answers.slice(1)) expect(text).toContain(run);
    expect((await server.owner.api('POST', `/runs/${run}/cancel`)).status).toBe(202);
    await eventually(async () =>
      expect(await server.owner.data('GET', `/runs/${run}`)).toMatchObject({ status: 'cancelled' }),
    );
  });

  test('metrics are those of both together', async () => {
    const server = await start();
    await publish(server, sayFlow('hello', 'one'));
    await times(30, () => call(server, '/hello', apart));
    const finished = async (): Promise<string | undefined> => {
      const { text } = await ask(`${server.url}/metrics`, apart);
      return /^weft_runs_finished_total\{status="ok"\} (\d+)$/m.exec(text)?.[1];
    };
    await eventually(async () => expect(await times(4, finished)).toEqual(Array(4).fill('30')));
  });

  test('a process that is killed is started again, and nobody is refused meanwhile', async () => {
    const server = await start();
    await publish(server, sayFlow('hello', 'one'));
    const [first] = await nodes(server);
    process.kill(pidOf(first as NodeInfo), 'SIGKILL');
    const answered: Answer[] = [];
    await eventually(async () => {
      answered.push(await call(server, '/hello', apart));
      const all = await nodes(server).catch(() => []);
      expect(all.filter(({ state }) => state === 'up').length).toBe(2);
      expect(all.find(({ id }) => id === first?.id)?.state ?? 'gone').toBe('gone');
    });
    expect(answered.filter(({ status }) => status !== 200)).toEqual([]);
    // It may be in the list of nodes a moment before the supervisor hears of it.
    await eventually(() => {
      const lines = server
        .output()
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as { msg: string; process?: number });
      const ended = lines.find(({ msg }) => msg === 'a process ended; it is started again');
      expect(ended).toMatchObject({ process: first?.process?.number, signal: 'SIGKILL' });
      expect(lines.find(({ msg }) => msg === 'a process serves again')?.process).toBe(first?.process?.number);
    });
  });

  test('SIGTERM lets the runs of all processes end, and leaves nothing behind', async () => {
    const server = await start();
    await publish(server, lateFlow('late', 'done', 5000));
    const pids = (await nodes(server)).map(pidOf);
    // The first question loads the metrics of all.
    await times(4, () => ask(`${server.url}/metrics`, apart));
    const late = times(6, () => call(server, '/late', apart));
    await eventually(async () =>
      expect((await ask(`${server.url}/metrics`, apart)).text).toContain('weft_runs_in_flight 6'),
    );
    expect(await server.stop()).toBe(0);
    expect((await late).map(({ text }) => text)).toEqual(Array(6).fill('"done"'));
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('the data folder belongs to all of them: no other server may use it, and the command line reaches them', async () => {
    const server = await start();
    const other = await startServer({ data: server.data }).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(other).toContain(
      `Another server uses the data folder ${server.data} (process ${server.process.pid}`,
    );
    expect(readdirSync(server.data).filter((name) => name.startsWith('process-'))).toEqual([
      'process-1',
      'process-2',
    ]);
    const env = { WEFT_DATA: server.data, WEFT_FLOWS: server.flows };
    const weft = (...args: string[]) =>
      runProgram(process.execPath, [join(product, 'server/weft.js'), ...args], { env });
    for (let i = 0; i < 3; i++) expect((await weft('keys', 'list')).stdout).toContain('first');
    const { stdout } = await weft('open');
    expect(stdout).toContain(server.url);
    // Where people look for them.
    expect(readFileSync(join(server.data, 'api-key.txt'), 'utf8').trim()).toBe(server.key);
    expect(existsSync(join(server.data, 'sign-in.txt'))).toBe(true);
  });

  test('when the supervisor is killed, its processes end as well', async () => {
    const server = await start();
    const pids = (await nodes(server)).map(pidOf);
    server.process.kill('SIGKILL');
    await eventually(async () => expect(pids.filter(isAlive)).toEqual([]));
  });
});

test('a process that cannot start says why once, and all end', async () => {
  const env = {
    WEFT_PROCESSES: '2',
    WEFT_DATABASE_URL: 'postgres://weft@127.0.0.1:1/weft',
    WEFT_SECRETS_KEY: SECRETS_KEY,
  };
  const away = await startServer({ env, data: tempFolder('data') }).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(away.match(/database_unreachable: /g)?.length).toBe(1);
  expect(away).toContain('Process 1 of 2 did not start.');
  expect(away).toContain('The server ended with code 1');
});
