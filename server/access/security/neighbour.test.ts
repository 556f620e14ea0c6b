import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { openPostgresBus } from '../../storage/database/postgres/postgres-bus.ts';
import { noticeKeys } from '../../storage/database/testing/bus.ts';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { createThrottle, type Throttle } from './throttle.ts';

/** Two servers on a database, and another role of the same database server without any right. */

const CLIENT = '192.0.2.7';
const LIMIT = 3;

async function bed() {
  const url = await newDatabase();
  const [here, there] = await Promise.all([open(url), open(url)]);
  const neighbour = await openNeighbour(url);
  return { here, there, ...neighbour };
}

async function open(url: string, keys: Parameters<typeof openPostgresBus>[2] = noticeKeys) {
  const bus = await openPostgresBus(url, () => {}, keys);
  onTestFinished(() => bus.close());
  const throttle = createThrottle(LIMIT, () => 0, { bus, what: 'password' });
  const woken: string[] = [];
  bus.subscribe('run-woken', (run) => woken.push(run));
  return { bus, throttle, woken };
}

async function openNeighbour(url: string) {
  const admin = postgres(url, { max: 1 });
  const role = `neighbour_${crypto.randomUUID().replaceAll('-', '')}`;
  await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  const address = new URL(url);
  [address.username, address.password] = [role, 'x'];
  const client = postgres(address.href, { max: 1 });
  const overheard: string[] = [];
  await client.listen('weft', (text) => overheard.push(text));
  onTestFinished(async () => {
    await client.end();
    await admin.unsafe(`DROP ROLE ${role}`);
    await admin.end();
  });
  const say = (...parts: readonly unknown[]) => client.notify('weft', JSON.stringify(parts));
  return { overheard, say, sayAgain: (text: string) => client.notify('weft', text) };
}

const fill = (throttle: Throttle, client = CLIENT): void => {
  for (let i = 0; i < LIMIT; i++) throttle.attempt(client);
};

test('servers count wrong passwords together, each one of them', async () => {
  const { here, there } = await bed();
  fill(here.throttle);
  await eventually(() => expect(there.throttle.wait(CLIENT)).toBe(60_000));
  here.throttle.clear(CLIENT);
  await eventually(() => expect(there.throttle.wait(CLIENT)).toBeUndefined());
});

test('a neighbour clears no count and counts nothing, but its notices may make servers look', async () => {
  const { here, there, say } = await bed();
  fill(here.throttle);
  await eventually(() => expect(there.throttle.wait(CLIENT)).toBe(60_000));
  await say('x', 'credentials-tried', `password right ${CLIENT}`);
  await say('x', 'credentials-tried', `password right ${CLIENT}`, 1, Date.now(), 'AAAA');
  for (let i = 0; i < LIMIT; i++) await say('x', 'credentials-tried', 'password wrong 192.0.2.8');
  for (const odd of [null, 1, {}, [], ['x', 1, 2], 'x']) await say(odd);
  await say('x', 'run-woken', 'r1');
  await eventually(() => expect([here.woken, there.woken]).toEqual([['r1'], ['r1']]));
  for (const { throttle, bus } of [here, there]) {
    expect([throttle.wait(CLIENT), throttle.wait('192.0.2.8')]).toEqual([60_000, undefined]);
    expect(Object.fromEntries(bus.unproven)).toEqual({
      unsigned: LIMIT + 2,
      forged: 1,
      stale: 0,
      replayed: 0,
    });
  }
});

test('a neighbour overhears no address, and what it overheard does nothing a second time', async () => {
  const { here, there, overheard, sayAgain, say } = await bed();
  here.throttle.attempt(CLIENT);
  here.throttle.clear(CLIENT);
  await eventually(() => expect(overheard).toHaveLength(2));
  expect(overheard.join(' ')).not.toMatch(/192\.0\.2\.7|password|wrong|right/);
  fill(here.throttle);
  await eventually(() => expect(there.throttle.wait(CLIENT)).toBe(60_000));
  for (const text of overheard.slice(0, 2)) await sayAgain(text);
  // Signed for another name, or as another sender.
  const [by, topic, name, ...proof] = JSON.parse(overheard[1] ?? '') as string[];
  await say('x', topic, name, ...proof);
  await say(by, 'run-woken', 'r1', ...proof);
  await eventually(() => expect(there.woken).toEqual(['r1']));
  expect(there.throttle.wait(CLIENT)).toBe(60_000);
  expect(Object.fromEntries(there.bus.unproven)).toMatchObject({ forged: 2, replayed: 2 });
});

test('a server that started later accepts none of the earlier notices, once half a minute is over', async () => {
  const url = await newDatabase();
  let time = 1_700_000_000_000;
  const keys = { ...noticeKeys, now: () => time };
  const [here, { overheard, sayAgain }] = await Promise.all([open(url, keys), openNeighbour(url)]);
  fill(here.throttle);
  await eventually(() => expect(overheard).toHaveLength(LIMIT));
  time += 30_001;
  const later = await open(url, keys);
  for (const text of overheard.slice(0, LIMIT)) await sayAgain(text);
  await eventually(() => expect(later.bus.unproven.get('stale')).toBe(LIMIT));
  expect(later.throttle.wait(CLIENT)).toBeUndefined();
});

test('servers that turn to another secrets key one after the other hear each other', async () => {
  const url = await newDatabase();
  const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const before = await open(url, { keys: () => [old, next] });
  const after = await open(url, { keys: () => [next, old] });
  fill(after.throttle);
  await eventually(() => expect(before.throttle.wait(CLIENT)).toBe(60_000));
  before.throttle.clear(CLIENT);
  await eventually(() => expect(after.throttle.wait(CLIENT)).toBeUndefined());
});

test('a server that does not sign understands hints of one that does', async () => {
  const { here, overheard } = await bed();
  here.bus.publish('run-woken', 'r1');
  await eventually(() => expect(overheard).toHaveLength(1));
  const [, topic, name] = JSON.parse(overheard[0] ?? '') as string[];
  expect([topic, name]).toEqual(['run-woken', 'r1']);
});
