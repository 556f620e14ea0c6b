import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { first, place, wider } from './migrate-postgres.contract.ts';
import { migratePostgres, openPostgres } from './open-postgres.ts';

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
  const slowest = { ms: 0 };
  const end = performance.now() + 3000;
  while (performance.now() < end) {
    const from = performance.now();
    await sql.all('SELECT id FROM thing');
    slowest.ms = Math.max(slowest.ms, performance.now() - from);
  }
  expect(isDone).toBe(false);
  // It lets go of its place in the queue for the table after half a second.
  expect(slowest.ms).toBeLessThan(1500);
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
