import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Gate, openGate } from '../../bench/soak/chaos/gate.ts';
import {
  type Claimed,
  migrateWorkflows,
  Workflows,
} from '../../server/execution/durable/postgres/workflows.ts';
import { openPostgres } from '../../server/storage/database/postgres/open-postgres.ts';
import { openPostgresBus } from '../../server/storage/database/postgres/postgres-bus.ts';
import { noticeKeys } from '../../server/storage/database/testing/bus.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { eventually } from '../support/eventually.ts';

/** Connections to the database that die without a word, as behind a firewall that has forgotten them. */
async function behindGate(): Promise<{ url: string; gate: Gate; direct: string }> {
  const direct = await newDatabase();
  const url = new URL(direct);
  const gate = await openGate({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => gate[Symbol.asyncDispose]());
  url.port = String(gate.port);
  return { url: url.href, gate, direct };
}

test('statements go on with new connections once the old ones have not answered', async () => {
  const { url, gate } = await behindGate();
  const sql = await openPostgres(url, [], { answerMs: 1000 });
  onTestFinished(() => sql.close());
  const ask = (): Promise<unknown> => sql.first('SELECT 1 AS one');
  await Promise.all(Array.from({ length: 10 }, ask));
  gate.mute();
  // In the middle of a transaction too: what the driver rejects later must not end the process.
  const begun = sql.transaction((tx) => tx.first('SELECT 1 AS one'));
  await expect(begun).rejects.toMatchObject({ code: 'storage_failed' });
  await eventually(async () => expect(await ask()).toEqual({ one: 1 }));
});

test('notices arrive again once one to itself did not, and what was sent meanwhile holds up nothing', async () => {
  const { url, gate, direct } = await behindGate();
  const bus = await openPostgresBus(url, () => {}, { ...noticeKeys, answerMs: 1000 });
  const other = await openPostgresBus(direct, () => {}, noticeKeys);
  onTestFinished(async () => void (await Promise.all([bus.close(), other.close()])));
  const [here, there]: [string[], string[]] = [[], []];
  let gaps = 0;
  bus.subscribe('run-woken', (run, isOwn) => void (isOwn || here.push(run)));
  other.subscribe('run-woken', (run, isOwn) => void (isOwn || there.push(run)));
  bus.onGap(() => gaps++);
  bus.publish('run-woken', 'before');
  await eventually(() => expect(there).toEqual(['before']));
  gate.mute();
  bus.publish('run-woken', 'lost');
  await eventually(() => expect(gaps).toBeGreaterThan(0));
  bus.publish('run-woken', 'after');
  other.publish('run-woken', 'answer');
  await eventually(() => expect(there).toContain('after'));
  await eventually(() => expect(here).toContain('answer'));
});

test('a listening connection that died alone is found by what the server sends', async () => {
  const { url, gate } = await behindGate();
  const bus = await openPostgresBus(url, () => {}, { ...noticeKeys, answerMs: 1000 });
  onTestFinished(() => bus.close());
  let gaps = 0;
  bus.onGap(() => gaps++);
  gate.mute('listening');
  bus.publish('run-woken', 'one');
  await eventually(() => expect(gaps).toBe(1));
});

test('a connection asks for nothing by itself when it opens: one that is reset then would end the process', async () => {
  const direct = await newDatabase();
  // The library's own connection, at the start only.
  await migrateWorkflows(direct);
  const address = new URL(direct);
  const to = { host: address.hostname, port: Number(address.port) };
  let asked = '';
  const server = createServer((client) => {
    const upstream = connect(to);
    client.on('data', (data) => (asked += data.toString('latin1')));
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      from.on('error', () => into.destroy()).pipe(into);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  address.port = String((server.address() as AddressInfo).port);
  const workflows = new Workflows({ url: address.href, now: Date.now });
  const sql = await openPostgres(address.href, []);
  const bus = await openPostgresBus(address.href, () => {}, { ...noticeKeys, from: address.href });
  const strange = 'with a "quote", a \\ and a comma';
  await workflows.create(strange);
  const claimed = await workflows.claim();
  expect(claimed?.run).toBe(strange);
  // Lists of texts are sent all the same.
  expect(await workflows.record(claimed as Claimed, strange, { n: 0, result: strange })).toBe(true);
  expect((await workflows.steps((claimed as Claimed).workflow)).steps).toEqual([
    { key: strange, result: strange },
  ]);
  await Promise.all([workflows.close(), sql.close(), bus.close()]);
  expect(asked).toContain('weft_workflows');
  expect(asked).not.toContain('pg_type');
});
