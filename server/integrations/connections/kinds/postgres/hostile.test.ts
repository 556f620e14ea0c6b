import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { asker, connectionBed, limits, never } from '../../testing/connection-bed.ts';

/** The server accepts every login and is ready. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
/** A row of almost 2 GB begins. */
const HUGE = Buffer.from([0x44, 0x7f, 0xff, 0xff, 0xff]);
const PART = Buffer.alloc(1 << 20, 0x41);

/** A server that answers with a row of almost 2 GB, at its greeting or to the first statement. */
async function hostile(at: 'greeting' | 'statement') {
  let sent = 0;
  const flood = (socket: Socket): void => {
    if (sent === 0) socket.write(HUGE);
    while (!socket.destroyed && sent < 2 ** 31) {
      sent += PART.length;
      if (!socket.write(PART)) return void socket.once('drain', () => flood(socket));
    }
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      if (at === 'greeting') return flood(socket);
      socket.write(WELCOME);
      socket.once('data', () => flood(socket));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const bed = connectionBed();
  const settings = {
    ...{ host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: 'off' },
    ...{ database: 'd', user: 'u', password: 'p' },
  };
  await bed.connections.put('db', { kind: 'postgres', settings, grants: { flows: ['f'] } });
  return { connections: bed.connections, sent: () => sent };
}

type Connections = Awaited<ReturnType<typeof hostile>>['connections'];

const statement = { sql: 'SELECT 1 AS one', params: {} };

test.each<readonly ['greeting' | 'statement', string, (connections: Connections) => Promise<unknown>]>([
  ['greeting', 'the test of the connection', (connections) => connections.test('db')],
  ['statement', 'the test of the connection', (connections) => connections.test('db')],
  ['statement', 'the list of tables', (connections) => connections.tables('db')],
  [
    'statement',
    'a query',
    ({ sql }) => sql.query({ connection: 'db', ...limits, ...statement }, asker, never),
  ],
  [
    'statement',
    'a change',
    ({ sql }) => sql.execute({ connection: 'db', ...limits, statements: [statement] }, asker, never),
  ],
])('a server that announces 2 GB (%s) is disconnected long before: %s', async (at, _, ask) => {
  const { connections, sent } = await hostile(at);
  const answer = (await ask(connections).catch((error: unknown) => error)) as { readonly error?: unknown };
  expect(answer.error ?? answer).toMatchObject({ code: 'value_too_large' });
  expect(sent()).toBeGreaterThan(0);
  expect(sent()).toBeLessThan(500_000_000);
});
