import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Sql } from '../sql.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { first, place, wider } from './migrate-postgres.contract.ts';
import { migratePostgres, openPostgres } from './open-postgres.ts';

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
  // A read that arrives while the migration queues for the table goes on before the transaction ends, at each attempt.
  for (let tries = 0; tries < 3; tries++) {
    await eventually(async () => expect(await waiting(sql)).toBe(1));
    await sql.all('SELECT id FROM thing');
    expect(isDone).toBe(false);
  }
  held.resolve();
  await dump;
  expect(await migrated).toEqual(['2 column 2']);
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
