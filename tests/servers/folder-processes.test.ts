import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { RunPage } from '#shared/api.ts';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { CreatedKey } from '#shared/key.ts';
import type { NodeInfo } from '#shared/node.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { type Answer, ask, call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, lateFlow, sayFlow } from '../support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';
import { followRun } from '../support/sockets.ts';

/** Several processes on one data folder, without a database: what they agree on, and what a kill leaves. */
type Several = TestServer & { readonly owner: Owner };

/** Each request on a connection of its own, so that it reaches the process whose turn it is. */
const apart = { headers: { connection: 'close' } };
/** A connection that was on its way to a process when that was killed may never be answered. */
const LOST_MS = 20_000;
const bounded = () => ({ ...apart, signal: AbortSignal.timeout(LOST_MS) });
const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

async function start(): Promise<Several> {
  const server = await startServer({ env: { WEFT_PROCESSES: '2' } });
  onTestFinished(() => discard(server));
  return { ...server, owner: await signIn(server) };
}

async function publish({ owner }: Several, flow: FlowJson, revision?: string): Promise<string> {
  const text = JSON.stringify(flow);
  const saved = await (revision === undefined
    ? owner.data<{ revision: string }>('POST', '/flows', { text })
    : owner.data<{ revision: string }>('PUT', `/flows/${flow.id}`, { text, revision }));
  return saved.revision;
}

/** Adds one to a number, and answers with the sum. */
function addFlow(id: string, trigger = {}, settings = {}): FlowJson {
  return {
    format: 1,
    id,
    nodes: {
      trigger: httpTrigger(`/${id}`, trigger),
      add: { operator: 'state.add', params: { key: id, scope: 'flow' } },
    },
    edges: [{ from: 'trigger.out', to: 'add.in' }],
    settings,
  };
}
const lasting = addFlow('lasting', { answer: 'immediately' }, { durable: true });

async function numbered(server: Several, number: number): Promise<NodeInfo> {
  const { headers } = server.owner;
  const { body } = await ask(`${server.url}/api/v1/nodes`, { headers, signal: AbortSignal.timeout(5000) });
  const { data } = body as { data: NodeInfo[] | null };
  const found = data?.find(({ process: one, state }) => one?.number === number && state === 'up');
  if (found === undefined) throw new Error(`process ${number} is not up`);
  return found;
}

async function kill(server: Several, number: number): Promise<NodeInfo> {
  const node = await eventually(() => numbered(server, number));
  process.kill(Number(node.name.split('/').at(-1)), 'SIGKILL');
  return node;
}

async function startedAgain(server: Several, before: NodeInfo): Promise<void> {
  await eventually(async () =>
    expect((await numbered(server, before.process?.number as number)).id).not.toBe(before.id),
  );
}

async function runsOf({ owner }: Several, flow: string): Promise<RunSummary[]> {
  const all: RunSummary[] = [];
  for (let before = ''; ; ) {
    const page = await owner.data<RunPage>('GET', `/runs?flow=${flow}&limit=200${before}`);
    all.push(...page.runs);
    if (page.next === undefined) return all;
    before = `&before=${page.next}`;
  }
}

/** What the list of runs says of these: `missing` if it has none of the id, `twice` if it has more than one. */
async function listed(server: Several, flow: string, runs: readonly string[]): Promise<string[]> {
  const all = (await runsOf(server, flow)).map(({ run, status }) => `${run} ${status}`);
  const odd = new Set(all).size === all.length ? [] : ['twice'];
  return [...odd, ...runs.filter((run) => !all.includes(`${run} ok`))];
}

interface Made {
  readonly path: string;
  /** Undefined if the connection broke. */
  readonly answer: Answer | undefined;
}

const CALLERS = 4;

/** Calls the paths in turn, so many at a time, until it is stopped. */
function load(server: Several, paths: readonly string[]) {
  const made: Made[] = [];
  let isOver = false;
  const work = times(CALLERS, async (i) => {
    for (let n = i; !isOver; n++) {
      const path = paths[n % paths.length] as string;
      // The list of runs is read whole.
      await sleep(30);
      made.push({ path, answer: await call(server, path, bounded()).catch(() => undefined) });
    }
  });
  const good = (path: string): Answer[] =>
    made.flatMap(({ path: of, answer }) => (of === path && answer && answer.status < 300 ? [answer] : []));
  return {
    made,
    good,
    more: async (count: number) => {
      const before = made.length;
      await eventually(() => expect(made.length).toBeGreaterThan(before + count));
    },
    async stop() {
      isOver = true;
      await work;
    },
    /** What was refused, each kind once. */
    refused: () =>
      new Set(
        made.flatMap(({ answer }) =>
          answer && answer.status >= 300
            ? [`${answer.status} ${(answer.body as { err_code?: string }).err_code}`]
            : [],
        ),
      ),
  };
}

const runIn = ({ headers }: Answer): string => headers.get('x-weft-run') ?? '';
const tagOf = (run: string): string => run.slice(-10);

/** No sum twice: no addition was lost, or made twice. */
function expectEachOnce(answers: readonly Answer[]): void {
  const sums = answers.map(({ body }) => body);
  expect(new Set(sums).size).toBe(sums.length);
}

test('processes count, limit and refuse together', async () => {
  const server = await start();
  const { owner } = server;
  await owner.data('PUT', '/secrets/hook', { value: 'shared', grants: { operators: ['trigger.http'] } });
  const auth = { type: 'hmac', secret: { $secret: 'hook' }, timestampHeader: 'x-time' };
  for (const flow of [
    addFlow('counting'),
    addFlow('once', { methods: ['POST'] }),
    addFlow('few', { rate: { limit: 5, per: 'hour', by: 'all' } }),
    { ...lateFlow('limited', 'done', 2000), settings: { maxRuns: 2 } },
    sayFlow('hook', 'taken', httpTrigger('/hook', { methods: ['POST'], auth })),
    sayFlow('keyed', 'let in', httpTrigger('/keyed', { auth: 'api-key' })),
    lasting,
  ])
    await publish(server, flow);
  const counted = await times(60, () => call(server, '/counting', apart));
  expect(counted.map(({ body }) => Number(body)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, i) => i + 1),
  );
  expect(new Set(counted.map((answer) => tagOf(runIn(answer)))).size).toBe(2);
  // The journal of the one has the runs of the other.
  await eventually(async () => expect(await listed(server, 'counting', counted.map(runIn))).toEqual([]));

  const keyed = { method: 'POST', headers: { ...apart.headers, 'idempotency-key': 'one' } };
  const same = await times(6, () => call(server, '/once', keyed));
  expect(same.map(({ text }) => text)).toEqual(Array(6).fill('1'));
  // A body without a length is passed on too.
  const streamed = await times(4, (i) =>
    call(server, '/once', {
      method: 'POST',
      headers: { ...apart.headers, 'content-type': 'application/json', 'idempotency-key': `stream ${i}` },
      body: new Blob(['{"a":1}']).stream(),
      duplex: 'half',
    } as RequestInit),
  );
  expect(streamed.map(({ text }) => text).sort()).toEqual(['2', '3', '4', '5']);
  const few = await times(20, () => call(server, '/few', apart));
  expect(few.filter(({ status }) => status === 200).length).toBe(5);
  expect(few.filter(({ status }) => status === 429).length).toBe(15);
  const limited = await times(8, () => call(server, '/limited', apart));
  expect(limited.filter(({ status }) => status === 200).length).toBe(2);
  expect(limited.filter(({ status }) => status === 429).length).toBe(6);

  const at = String(Math.floor(Date.now() / 1000));
  const mac = createHmac('sha256', 'shared').update(`${at}.{}`).digest('hex');
  const signed = { 'content-type': 'application/json', 'x-time': at, 'x-signature': mac };
  const hooks = await times(6, () =>
    call(server, '/hook', { method: 'POST', body: '{}', headers: { ...apart.headers, ...signed } }),
  );
  expect(hooks.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);

  const accepted = await times(10, () => call(server, '/lasting', apart));
  expect(accepted.map(({ status }) => status)).toEqual(Array(10).fill(202));
  const runs = accepted.map(({ body }) => (body as { run: string }).run);
  await eventually(async () => expect(await listed(server, 'lasting', runs)).toEqual([]));

  const { key, id } = await owner.data<CreatedKey>('POST', '/keys', { name: 'caller', scopes: ['triggers'] });
  const withKey = { headers: { ...apart.headers, authorization: `Bearer ${key}` } };
  expect((await times(6, () => call(server, '/keyed', withKey))).map(({ status }) => status)).toEqual(
    Array(6).fill(200),
  );
  expect((await owner.api('DELETE', `/keys/${id}`)).status).toBeLessThan(300);
  const after = await times(6, () => call(server, '/keyed', withKey));
  expect(after.map(({ status }) => status)).toEqual(Array(6).fill(401));
});

test('a publish is live in all processes when it is answered, and a run of one is followed through another', async () => {
  const server = await start();
  let revision = await publish(server, sayFlow('says', '0'));
  for (let n = 1; n <= 8; n++) {
    revision = await publish(server, sayFlow('says', String(n)), revision);
    const said = await times(4, () => call(server, '/says', apart));
    expect(said.map(({ text }) => text)).toEqual(Array(4).fill(`"${n}"`));
  }
  expect((await owner(server)).headers.has('x-weft-pending')).toBe(false);
  await publish(server, lateFlow('late', 'done', 60_000));
  const late = times(6, () => call(server, '/late', apart));
  await eventually(async () => expect((await runsOf(server, 'late')).length).toBe(6));
  const runs = await runsOf(server, 'late');
  expect(new Set(runs.map(({ run }) => tagOf(run))).size).toBe(2);
  for (const { run } of runs) {
    const follower = await followRun(server, run);
    expect((await server.owner.api('POST', `/runs/${run}/cancel`)).status).toBe(202);
    await follower.until((items) => items.some(({ kind }) => kind === 'run-finished'));
    await eventually(async () =>
      expect(await server.owner.data('GET', `/runs/${run}`)).toMatchObject({ status: 'cancelled' }),
    );
  }
  expect((await late).map(({ status }) => status < 500 || status === 503)).toEqual(Array(6).fill(true));
});

const owner = ({ owner: by }: Several): Promise<Answer> => by.api('GET', '/flows');

test('the first process is killed under load: the others answer, nothing acknowledged is lost, nothing is done twice', async () => {
  const server = await start();
  for (const flow of [addFlow('counting'), lasting]) await publish(server, flow);
  const calls = load(server, ['/counting', '/lasting', '/counting']);
  await calls.more(40);
  const before = await kill(server, 1);
  const answered = calls.good('/counting').length;
  // What is the first one's is refused with a code until it is back; the rest is answered.
  await eventually(() => expect([...calls.refused()]).toContain('503 first_process_away'));
  await eventually(() => expect(calls.good('/counting').length).toBeGreaterThan(answered));
  await startedAgain(server, before);
  await calls.more(40);
  await calls.stop();
  expect([...calls.refused()].filter((kind) => kind !== '503 first_process_away')).toEqual([]);

  const counted = calls.good('/counting');
  expectEachOnce(counted);
  // A run of the killed process may have ended a moment before; those of the others are all there.
  const gone = await tagOfKilled(counted, server);
  const rest = counted.map(runIn).filter((run) => !gone.has(tagOf(run)));
  expect(rest.length).toBeGreaterThan(0);
  await eventually(async () => expect(await listed(server, 'counting', rest)).toEqual([]));
  const accepted = calls.good('/lasting').map(({ body }) => body as AcceptedRun);
  expect(accepted.length).toBeGreaterThan(0);
  await eventually(async () => expect(await unfinished(server, accepted)).toEqual([]));
  // Each of these runs has added one, and so has this call. Those of callers that were cut off may have started too.
  const text = { ...addFlow('lasting'), settings: { durable: false } };
  await publish(server, text, await revisionOf(server, 'lasting'));
  const sum = Number((await call(server, '/lasting')).body) - 1;
  expect(sum).toBeGreaterThanOrEqual(accepted.length);
  expect(sum).toBeLessThanOrEqual(accepted.length + CALLERS);
});

/** Those of these runs that have not ended well. */
async function unfinished(server: Several, accepted: readonly AcceptedRun[]): Promise<string[]> {
  const all = accepted.map(async ({ run, statusUrl }) => {
    const { pathname, search } = new URL(statusUrl, server.url);
    const { body } = await ask(`${server.url}${pathname}${search}`, bounded());
    const { data } = body as { data?: { status?: string } };
    return data?.status === 'ok' ? [] : [run];
  });
  return (await Promise.all(all)).flat();
}

async function revisionOf({ owner: by }: Several, id: string): Promise<string> {
  return (await by.data<{ revision: string }>('GET', `/flows/${id}`)).revision;
}

/** Tags of processes that are no longer there. */
async function tagOfKilled(answers: readonly Answer[], server: Several): Promise<Set<string>> {
  const now = await times(8, () => call(server, '/counting', apart));
  const up = new Set(now.map((answer) => tagOf(runIn(answer))));
  return new Set(answers.map((answer) => tagOf(runIn(answer))).filter((tag) => !up.has(tag)));
}

test('another process is killed under load, all are stopped, and a server alone goes on with the folder', async () => {
  const server = await start();
  for (const flow of [addFlow('counting'), lasting]) await publish(server, flow);
  const calls = load(server, ['/counting', '/lasting', '/counting']);
  await calls.more(40);
  const before = await kill(server, 2);
  await startedAgain(server, before);
  await calls.more(40);
  await calls.stop();
  expect([...calls.refused()]).toEqual([]);
  const counted = calls.good('/counting');
  expectEachOnce(counted);
  const gone = await tagOfKilled(counted, server);
  const rest = counted.map(runIn).filter((run) => !gone.has(tagOf(run)));
  const accepted = calls.good('/lasting').map(({ body }) => (body as { run: string }).run);
  expect(await server.stop()).toBe(0);

  const { flows, data } = server;
  const alone = await startServer({ flows, data });
  onTestFinished(() => discard(alone));
  const single = { ...alone, owner: await signIn(alone) };
  await eventually(async () => expect(await listed(single, 'counting', rest)).toEqual([]));
  await eventually(async () => expect(await listed(single, 'lasting', accepted)).toEqual([]));
  expect(Number((await call(single, '/counting')).body)).toBeGreaterThan(counted.length + 8);
});

test('processes whose supervisor was killed have ended before anybody else uses their folder', async () => {
  const server = await start();
  await publish(server, lasting);
  const accepted = await times(6, () => call(server, '/lasting', apart));
  server.process.kill('SIGKILL');
  const { flows, data } = server;
  const again = await startServer({ flows, data, env: { WEFT_PROCESSES: '2' } });
  onTestFinished(() => discard(again));
  const several = { ...again, owner: await signIn(again) };
  const runs = accepted.map(({ body }) => body as AcceptedRun);
  await eventually(async () => expect(await unfinished(several, runs)).toEqual([]));
  await publish(
    several,
    { ...addFlow('lasting'), settings: { durable: false } },
    await revisionOf(several, 'lasting'),
  );
  expect((await call(several, '/lasting')).body).toBe(7);
});

test('a first process that cannot start says why, and all end', async () => {
  const said = await startServer({
    env: {
      WEFT_PROCESSES: '2',
      WEFT_SECRETS_KEY: '11'.repeat(32),
      WEFT_EDITOR: 'off',
      WEFT_HOST: '203.0.113.1',
    },
    data: tempFolder('data'),
  }).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(said).toContain('This machine has no address 203.0.113.1');
  expect(said).toContain('Process 1 of 2 did not start.');
});
