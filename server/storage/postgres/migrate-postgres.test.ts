import { createServer, type Socket } from 'node:net';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { Migration } from '../migration.ts';
import type { Sql } from '../sql.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { newDatabase } from '../testing/postgres-server.ts';
import { migratePostgres, openPostgres } from './open-postgres.ts';

/** Migrations of tables that running servers use. */
const first: Migration = {
  n: 1,
  name: 'things',
  statements: [
    'CREATE TABLE thing (id TEXT PRIMARY KEY) STRICT',
    "INSERT INTO thing (id) VALUES ('one')",
    'CREATE TABLE other (id TEXT PRIMARY KEY) STRICT',
  ],
};
const wider = (n: number): Migration => ({
  n,
  name: `column ${n}`,
  statements: [`ALTER TABLE thing ADD COLUMN c${n} TEXT NOT NULL DEFAULT 'later'`],
});

/** A database with the first migration, opened by a server, and somebody's connection to it. */
async function place(): Promise<{ url: string; sql: Sql; psql: postgres.Sql }> {
  const url = await newDatabase();
  const sql = await openPostgres(url, [first]);
  const psql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.close();
    await psql.end({ timeout: 1 });
  });
  return { url, sql, psql };
}

test('a statement that was prepared before is executed after it, alone and in a transaction', async () => {
  const { url, sql } = await place();
  const read = 'SELECT * FROM thing';
  const inside = () => sql.transaction(async (tx) => (await tx.all(read)).length);
  for (const n of [2, 3]) {
    // On all ten connections.
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? inside() : sql.all(read))));
    await migratePostgres(url, [first, wider(2), wider(3)].slice(0, n));
    const rows = await sql.all(read);
    expect(Object.keys(rows[0] as object)).toHaveLength(n);
    expect(await Promise.all(Array.from({ length: 20 }, inside))).toEqual(
      Array.from({ length: 20 }, () => 1),
    );
  }
});

/** How many wait for the whole table. */
async function waiting(sql: Sql): Promise<number> {
  const locks = await sql.all(
    "SELECT pid FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = CAST('thing' AS regclass)",
  );
  return locks.length;
}

test('it waits for a long transaction without holding up anybody else', async () => {
  const { url, sql, psql } = await place();
  const held = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const dump = psql.begin(async (tx) => {
    await tx`SELECT * FROM thing`;
    reading.resolve();
    await held.promise;
  });
  await reading.promise;
  let isDone = false;
  const migrated = migratePostgres(url, [first, wider(2)]).finally(() => (isDone = true));
  // A read that comes while it stands in the queue for the table goes on before the transaction ends, each time that it tries.
  for (let tries = 0; tries < 3; tries++) {
    await eventually(async () => expect(await waiting(sql)).toBe(1));
    await sql.all('SELECT id FROM thing');
    expect(isDone).toBe(false);
  }
  held.resolve();
  await dump;
  expect(await migrated).toEqual(['2 column 2']);
});

test('if a transaction does not end, it changes nothing and says what to do', async () => {
  const { url, sql, psql } = await place();
  const held = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const open = psql.begin(async (tx) => {
    await tx`SELECT * FROM thing`;
    reading.resolve();
    await held.promise;
  });
  await reading.promise;
  const refused = migratePostgres(url, [first, wider(2)], { patienceMs: 1000 });
  await expect(refused).rejects.toThrow(/^database_in_use: .*pg_dump.*start again\.$/);
  expect(await sql.all('SELECT n FROM migration')).toEqual([{ n: 1 }]);
  held.resolve();
  await open;
});

test('it gives way to a transaction of a server that holds one table and wants the other', async () => {
  const { url, sql } = await place();
  const both: Migration = {
    n: 2,
    name: 'both',
    statements: ['thing', 'other'].map((table) => `ALTER TABLE ${table} ADD COLUMN later TEXT`),
  };
  const held = Promise.withResolvers<void>();
  let tries = 0;
  const work = sql.transaction(async (tx) => {
    tries++;
    await tx.run("INSERT INTO other (id) VALUES ('x')");
    await held.promise;
    await tx.run("INSERT INTO thing (id) VALUES ('x')");
  });
  const migrated = migratePostgres(url, [first, both]);
  setTimeout(held.resolve, 300);
  await work;
  expect(await migrated).toEqual(['2 both']);
  expect(tries).toBe(1);
});

const mute: readonly [string, (socket: Socket) => void][] = [
  ['closes each connection', (socket) => socket.destroy()],
  ['never answers', () => {}],
  ['speaks HTTP', (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
];
test.each(mute)('a place that %s is refused at the start, with what to do', async (_, answer) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    answer(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await server[Symbol.asyncDispose]();
  });
  const url = `postgres://127.0.0.1:${(server.address() as { port: number }).port}/none`;
  for (const migrates of [true, false])
    await expect(openPostgres(url, [first], { migrates, answerMs: 300 })).rejects.toThrow(
      /^database_unreachable: .*no answer of PostgreSQL.*Start the database, or correct WEFT_DATABASE_URL\.$/,
    );
});
