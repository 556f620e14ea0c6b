import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createLocalBus } from '../bus.ts';
import type { Sql } from '../sql.ts';
import { migratedDatabase } from '../testing/databases.ts';
import { weftMigrations } from '../weft-tables.ts';
import { ClusterNode } from './cluster-node.ts';
import { openPostgres } from './open-postgres.ts';
import { eventually } from '../../../../tests/support/eventually.ts';

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of opened.reverse()) await one.close();
});

async function database(): Promise<Sql> {
  const sql = await openPostgres(await migratedDatabase(), weftMigrations);
  opened.push(sql);
  return sql;
}

/** A server that hears no notices of others. */
async function node(sql: Sql, applied: string[] = []): Promise<ClusterNode> {
  const bus = createLocalBus(() => {});
  const made = new ClusterNode({ sql, bus, log: pino({ level: 'silent' }), version: '0' });
  opened.push(made);
  await made.open();
  made.follow('flow', async (ids) => void applied.push(...(ids === 'all' ? ['all'] : ids)));
  await made.begin();
  return made;
}

const change = (by: ClusterNode, sql: Sql, id: string): Promise<number> =>
  sql.transaction((tx) => by.add(tx, 'flow', id));

test('numbers follow the order of commits, so that no follower misses one', async () => {
  const sql = await database();
  const applied: string[] = [];
  const [a, b] = [await node(sql), await node(sql)];
  const c = await node(sql, applied);
  let isOver = false;
  const following = (async () => {
    while (!isOver) await c.catchUp();
  })();
  const work = Array.from({ length: 40 }, (_, at) => change(at % 2 === 0 ? a : b, sql, `f${at}`));
  await Promise.all(work);
  isOver = true;
  await following;
  await c.catchUp();
  expect(applied.toSorted()).toEqual(Array.from({ length: 40 }, (_, at) => `f${at}`).toSorted());
});

test('a change that rolled back is none, and a server applies none of its own', async () => {
  const sql = await database();
  const [mine, theirs]: [string[], string[]] = [[], []];
  const a = await node(sql, mine);
  const b = await node(sql, theirs);
  const failing = sql.transaction(async (tx) => {
    await a.add(tx, 'flow', 'never');
    throw new Error('changed its mind');
  });
  await expect(failing).rejects.toThrow('changed its mind');
  await change(a, sql, 'made');
  await Promise.all([a.catchUp(), b.catchUp()]);
  expect({ mine, theirs }).toEqual({ mine: [], theirs: ['made'] });
});

test('a change that could not be applied is applied again', async () => {
  const sql = await database();
  const a = await node(sql);
  const b = await node(sql);
  let attempts = 0;
  b.follow('flow', async () => {
    if (++attempts === 1) throw new Error('not now');
  });
  await change(a, sql, 'one');
  await expect(b.catchUp()).rejects.toThrow('not now');
  await b.catchUp();
  await b.catchUp();
  expect(attempts).toBe(2);
});

test('a server that was away until changes were forgotten reads everything again', async () => {
  const sql = await database();
  const applied: string[] = [];
  const a = await node(sql);
  const b = await node(sql, applied);
  for (const id of ['one', 'two', 'three']) await change(a, sql, id);
  await sql.run("DELETE FROM change WHERE id = 'one'");
  await b.catchUp();
  expect(applied).toEqual(['all']);
});

test('the last change is not forgotten, so that a server that was away learns of it', async () => {
  const sql = await database();
  const applied: string[] = [];
  const a = await node(sql);
  const b = await node(sql, applied);
  for (const id of ['one', 'two']) await change(a, sql, id);
  await sql.run('UPDATE change SET at = 0');
  await (a as unknown as { sweep(): Promise<void> }).sweep();
  await b.catchUp();
  expect(applied).toEqual(['all']);
});

test('a server that applies a change late is pending until then', async () => {
  const sql = await database();
  const a = await node(sql);
  const b = await node(sql);
  const { promise, resolve } = Promise.withResolvers<void>();
  b.follow('flow', () => promise);
  await a.spread(await change(a, sql, 'one'));
  expect(a.lastPending()).toEqual([b.name]);
  resolve();
  await eventually(() => expect(a.lastPending()).toEqual([]));
});

test('exclusive work runs alone, and sees the changes of earlier work', async () => {
  const sql = await database();
  const applied: string[] = [];
  const nodes = [await node(sql), await node(sql, applied)];
  let inside = 0;
  const turns = nodes.flatMap((one) =>
    [1, 2, 3].map((n) =>
      one.alone('work', async () => {
        expect(++inside).toBe(1);
        await change(one, sql, `${n}`);
        inside--;
      }),
    ),
  );
  await Promise.all(turns);
  expect(inside).toBe(0);
});

test('a server that died is listed for ten minutes, then only among all; one that ends leaves at once', async () => {
  const sql = await database();
  const [a, died] = [await node(sql), await node(sql)];
  const states = async (which?: { all: boolean }) =>
    (await a.list(which)).map(({ id, state }) => [id === a.id ? 'a' : 'other', state]);
  const seen = (minutes: number) =>
    sql.run('UPDATE node SET seen_at = seen_at - ? WHERE id = ?', minutes * 60_000, died.id);
  // Without a beat, which would show that it lives.
  (died as unknown as { closed: boolean }).closed = true;
  await seen(1);
  expect(await states()).toEqual([
    ['a', 'up'],
    ['other', 'gone'],
  ]);
  await seen(10);
  expect(await states()).toEqual([['a', 'up']]);
  expect(await states({ all: true })).toEqual([
    ['a', 'up'],
    ['other', 'gone'],
  ]);
  const ended = await node(sql);
  expect(await states()).toHaveLength(2);
  // A beat that is under way must not bring it back.
  const beating = (ended as unknown as { beat(): Promise<void> }).beat();
  await ended.close();
  await beating;
  expect(await states()).toEqual([['a', 'up']]);
});

test('a guest changes what servers share, and is none of them', async () => {
  const sql = await database();
  const applied: string[] = [];
  const a = await node(sql, applied);
  const bus = createLocalBus(() => {});
  const log = pino({ level: 'silent' });
  const guest = new ClusterNode({ sql, bus, log, version: '0', isGuest: true });
  await guest.open();
  await change(guest, sql, 'one');
  await a.catchUp();
  expect(applied).toEqual(['one']);
  expect((await guest.list()).map(({ id, self }) => [id, self])).toEqual([[a.id, false]]);
  await guest.close();
});
