import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { startProxy } from '../../server/integrations/connections/testing/proxy.ts';
import { openPostgres } from '../../server/storage/database/postgres/open-postgres.ts';
import { postgresTools } from '../runner/services.ts';
import { call } from '../support/client.ts';
import { type Node, publish, save, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { sayFlow } from '../support/flows.ts';
import { codeOf } from '../support/leaks.ts';
import { postingFlow, startOutside } from '../support/outside.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';

/** A primary with a synchronous standby, which takes over under load when the primary dies. */
const STANDBY = 'standby_1';
/** For a busy machine: connections that nobody answers are left after 18 seconds. */
const PATIENCE_MS = 240_000;
const TEST_MS = 900_000;

const patiently = (look: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(look, { timeout: PATIENCE_MS, interval: 50 });

async function startPrimaryAndStandby(): Promise<{
  primary: OwnPostgres;
  standby: OwnPostgres;
  url: string;
}> {
  const native = `${postgresTools()}/..`;
  const primary = await startOwnPostgres({ native, settings: { wal_level: 'replica', hot_standby: 'on' } });
  const url = await primary.create('weft');
  const standby = await startOwnPostgres({ native, standbyOf: { primary, name: STANDBY } });
  await primary.set({ synchronous_standby_names: STANDBY });
  await eventually(async () => {
    const [row] = await primary.sql('SELECT sync_state FROM pg_stat_replication');
    expect(row?.['sync_state']).toBe('sync');
  });
  return { primary, standby, url };
}

/** Saves flows and begins durable runs without a pause; notes what was acknowledged, and what was refused. */
function startLoad(nodes: readonly Node[]) {
  const saved: string[] = [];
  const runs: string[] = [];
  const refused = new Map<string, number>();
  let stopped = false;
  let n = 0;
  const client = async (node: Node, kind: 'save' | 'run'): Promise<void> => {
    while (!stopped) {
      const id = `saved_${++n}`;
      const answer = await (kind === 'save'
        ? save(node, sayFlow(id, id))
        : call(node, '/lasting', { method: 'POST' }));
      if (answer.status === 201) saved.push(id);
      else if (answer.status === 202) runs.push((answer.body as AcceptedRun).run);
      else {
        const code = `${answer.status} ${codeOf(answer)}`;
        refused.set(code, (refused.get(code) ?? 0) + 1);
      }
      await sleep(100);
    }
  };
  const clients = nodes.flatMap((node) => [client(node, 'save'), client(node, 'run'), client(node, 'run')]);
  return {
    saved,
    runs,
    refused,
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

test.each(['its connections end', 'nobody hears of it'])(
  'a synchronous standby takes over when the primary dies, and %s: nothing that was acknowledged is missing',
  async (how) => {
    const outside = await startOutside();
    const { primary, standby, url } = await startPrimaryAndStandby();
    const address = new URL(url);
    const proxy = await startProxy({ host: '127.0.0.1', port: primary.port });
    address.port = String(proxy.port);
    const env = { WEFT_OUTBOUND_ALLOW: '127.0.0.1' };
    const nodes = [await startNode(address.href, env), await startNode(address.href, env)];
    const [a, b] = nodes as [Node, Node];
    await publish(a, postingFlow('lasting', outside.url, ['one', 'two']));
    const load = startLoad(nodes);
    onTestFinished(() => load.stop());
    await patiently(() => {
      expect(load.runs.length).toBeGreaterThan(10);
      expect(load.saved.length).toBeGreaterThan(2);
    });
    if (how === 'nobody hears of it') proxy.freeze();
    await primary.kill();
    await standby.promote();
    // The name of the dead standby must be no condition on the new primary.
    expect((await standby.sql('SHOW synchronous_standby_names'))[0]?.['synchronous_standby_names']).toBe('');
    proxy.to = { host: '127.0.0.1', port: standby.port };
    const before = { saved: load.saved.length, runs: load.runs.length };
    await patiently(() => {
      expect(load.runs.length).toBeGreaterThan(before.runs + 10);
      expect(load.saved.length).toBeGreaterThan(before.saved + 2);
    });
    await load.stop();
    for (const code of load.refused.keys()) expect(code).toMatch(/^503 (storage_failed|database_stale)$/);

    // The other server may have found the new primary first.
    let flows: ReadonlySet<string> = new Set();
    await patiently(async () => {
      flows = new Set((await b.owner.data<{ id: string }[]>('GET', '/flows')).map(({ id }) => id));
    });
    expect(load.saved.filter((id) => !flows.has(id))).toEqual([]);
    for (const run of load.runs)
      await eventually(async () =>
        expect((await b.owner.data<RunSummary>('GET', `/runs/${run}`)).status).toBe('ok'),
      );
    // Each step of each run was executed, again only under its own key.
    const keys = new Set(outside.log.map(({ key }) => key));
    expect(keys.size).toBeGreaterThanOrEqual(2 * load.runs.length);
    for (const node of nodes) {
      const last = load.saved.at(-1) as string;
      await eventually(async () => expect((await call(node, `/${last}`)).body).toBe(last));
    }
  },
  TEST_MS,
);

test.each(['its connections end', 'nobody hears of it'])(
  'a pool of connections finds the new primary when the old one dies, and %s: no write that was confirmed is missing',
  async (how) => {
    const { primary, standby, url } = await startPrimaryAndStandby();
    const address = new URL(url);
    const proxy = await startProxy({ host: '127.0.0.1', port: primary.port });
    address.port = String(proxy.port);
    const tables = [{ n: 1, name: 'first', statements: ['CREATE TABLE t (n INTEGER PRIMARY KEY)'] }];
    const sql = await openPostgres(address.href, tables);
    onTestFinished(() => sql.close());
    const confirmed: number[] = [];
    const refused: unknown[] = [];
    let stopped = false;
    let next = 0;
    const insert = async (statement: string): Promise<void> => {
      const n = ++next;
      await sql.run(statement, n).then(
        () => confirmed.push(n),
        (error: unknown) => refused.push(error),
      );
    };
    const write = async (): Promise<void> => {
      while (!stopped) {
        await insert('INSERT INTO t VALUES (?)');
        await sleep(20);
      }
    };
    const writers = Array.from({ length: 6 }, write);
    await patiently(() => expect(confirmed.length).toBeGreaterThan(50));
    // The others take about a millisecond each: without it there may be no write under way when the primary dies.
    const slow = insert('INSERT INTO t SELECT CAST(? AS INTEGER) FROM pg_sleep(600)');
    await patiently(async () =>
      expect(
        await primary.sql(
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND state = 'active' AND pid <> pg_backend_pid()",
        ),
      ).toHaveLength(1),
    );
    if (how === 'nobody hears of it') proxy.freeze();
    await primary.kill();
    await standby.promote();
    proxy.to = { host: '127.0.0.1', port: standby.port };
    const before = confirmed.length;
    await patiently(() => expect(confirmed.length).toBeGreaterThan(before + 50));
    stopped = true;
    await Promise.all([...writers, slow]);
    const rows = await sql.all<{ n: number }>('SELECT n FROM t');
    const found = new Set(rows.map(({ n }) => n));
    expect(confirmed.filter((n) => !found.has(n))).toEqual([]);
    expect(refused).not.toEqual([]);
    for (const error of refused) expect(error).toMatchObject({ code: 'storage_failed' });
  },
  TEST_MS,
);

test('while a synchronous standby is gone each write waits, and is refused with a code; what waited is made once it is back', async () => {
  const { primary, standby, url } = await startPrimaryAndStandby();
  const node = await startNode(url);
  await publish(node, sayFlow('hello', 'one'));
  await standby.kill();
  const waiting = await node.owner.api('PUT', '/variables/color', { value: 'red' });
  expect([waiting.status, codeOf(waiting)]).toEqual([503, 'storage_failed']);
  expect((await call(node, '/hello')).body).toBe('one');
  await primary.set({ synchronous_standby_names: '' });
  await eventually(async () =>
    expect((await node.owner.api('PUT', '/variables/size', { value: 'large' })).status).toBe(200),
  );
  // It had been written, and was only not confirmed.
  await eventually(async () =>
    expect((await node.owner.data<{ name: string }[]>('GET', '/variables')).map(({ name }) => name)).toEqual([
      'color',
      'size',
    ]),
  );
});
