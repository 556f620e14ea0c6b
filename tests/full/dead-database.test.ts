import postgres from 'postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { settingsOf } from '../../server/integrations/connections/testing/connection-bed.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type Fault, type FaultyPort, openFaultyPort } from '../support/faulty-port.ts';
import { httpTrigger } from '../support/flows.ts';
import { codeOf } from '../support/leaks.ts';
import { metric } from '../support/metrics.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

/** Statements that are cancelled at a database that is gone by then: their run fails, and nothing else does. */
let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  owner = await signIn(server);
});

afterAll(() => discard(server));

/** Nothing was left to nobody, and the server is there. */
async function serves(of = server): Promise<void> {
  expect((await fetch(`${of.url}/healthz`)).status).toBe(200);
  for (const kind of ['rejection', 'exception'])
    expect(await metric(of, `weft_uncaught_errors_total{kind="${kind}"}`)).toBe(0);
}

interface Place {
  readonly name: string;
  readonly port: FaultyPort;
  /** Statements that the database executes. */
  active(): Promise<number>;
  flow(timeoutMs: number): object;
}

const SLOW = 'SELECT pg_sleep(60) AS slept';

/** A connection with one open session, to a database of its own. */
async function place(
  name: string,
  given: { readonly owner: Owner; readonly port?: FaultyPort } = { owner },
): Promise<Place> {
  const address = await newDatabase();
  const settings = settingsOf(address) as { host: string; port: number };
  const to = { host: settings.host, port: settings.port };
  const port = given.port ?? (await openFaultyPort('pass', { to }));
  onTestFinished(port.close);
  if (given.port !== undefined) await port.become('pass', to);
  await given.owner.data('PUT', `/connections/${name}`, {
    kind: 'postgres',
    settings: { ...settings, host: '127.0.0.1', port: port.port },
    grants: { operators: ['sql.query'], drafts: true },
  });
  await given.owner.data('GET', `/connections/${name}/tables`);
  const admin = postgres(address, { max: 1 });
  onTestFinished(() => admin.end());
  return {
    name,
    port,
    async active() {
      const [row] = await admin`SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query = ${SLOW}`;
      return row?.['n'] as number;
    },
    flow: (timeoutMs) => ({
      format: 1,
      id: name,
      nodes: {
        trigger: httpTrigger(`/${name}`),
        read: { operator: 'sql.query', params: { connection: name, sql: SLOW, timeoutMs } },
      },
      edges: [{ from: 'trigger.out', to: 'read.in' }],
    }),
  };
}

const publish = async (by: Owner, { flow }: Place, timeoutMs: number): Promise<void> =>
  void (await by.data('POST', '/flows', { text: JSON.stringify(flow(timeoutMs)) }));

async function spoil({ port }: Place, fault: Fault): Promise<void> {
  port.freeze();
  await port.become(fault);
}

/** What new connections meet, the one that is to cancel the statement among them. */
const GONE: readonly Fault[] = ['closed', 'reset', 'reset-late', 'dropped', 'silent', 'slow', 'garbage'];

test('a statement whose time is over at a database that is gone fails with sql_timeout', async () => {
  const found = GONE.map(async (fault) => {
    const there = await place(`late_${fault.replace('-', '_')}`);
    await publish(owner, there, 1500);
    const answer = call(server, `/${there.name}`);
    await eventually(async () => expect(await there.active()).toBe(1));
    await spoil(there, fault);
    return [fault, (await answer).status, codeOf(await answer)];
  });
  expect(await Promise.all(found)).toEqual(GONE.map((fault) => [fault, 504, 'sql_timeout']));
  await serves();
});

test('a run that is stopped at a database that is gone is stopped', async () => {
  const found = GONE.map(async (fault) => {
    const there = await place(`stopped_${fault.replace('-', '_')}`);
    await publish(owner, there, 300_000);
    const answer = call(server, `/${there.name}`);
    await eventually(async () => expect(await there.active()).toBe(1));
    await spoil(there, fault);
    const { runs } = await owner.data<{ runs: { run: string }[] }>('GET', `/runs?flow=${there.name}`);
    const stopped = await owner.api('POST', `/runs/${runs[0]?.run}/cancel`);
    return [fault, stopped.status, codeOf(await answer)];
  });
  expect(await Promise.all(found)).toEqual(GONE.map((fault) => [fault, 202, 'run_cancelled']));
  await serves();
});

test('to draw a statement for a database that is gone leaves its rows unknown', async () => {
  const found = GONE.map(async (fault) => {
    const there = await place(`drawn_${fault.replace('-', '_')}`);
    await spoil(there, fault);
    const { status } = await owner.api('POST', '/flows/check', { flow: there.flow(1500) });
    return [fault, status];
  });
  expect(await Promise.all(found)).toEqual(GONE.map((fault) => [fault, 200]));
  await serves();
});

test('a statement is cancelled at the database although its own session has the last place', async () => {
  const strict = await openFaultyPort('closed');
  const limits = { [`127.0.0.1:${strict.port}`]: { calls: 1, streams: 1, queue: 0 } };
  const own = await startServer({ env: { WEFT_OUTBOUND_LIMITS: JSON.stringify(limits) } });
  onTestFinished(() => discard(own));
  const by = await signIn(own);
  const there = await place('strict', { owner: by, port: strict });
  await publish(by, there, 1500);
  const answer = call(own, '/strict');
  await eventually(async () => expect(await there.active()).toBe(1));
  expect(codeOf(await answer)).toBe('sql_timeout');
  await eventually(async () => expect(await there.active()).toBe(0));
  await serves(own);
});
