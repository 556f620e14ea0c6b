import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { closeServer, listen, openHttpServer } from './http-server.ts';

test('connections that the system has taken when the server stops are answered, not reset', async () => {
  const server = openHttpServer(false);
  server.on('request', (_request, response) => {
    response.shouldKeepAlive = false;
    response.end();
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const ask = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) =>
      request({ host: '127.0.0.1', port, agent: false }, resolve).on('error', reject).end(),
    );
  const asked = Promise.all(Array.from({ length: 20 }, ask));
  // The sockets have asked the system for their connections by then, in this very turn.
  const closed = new Promise<void>((next) => process.nextTick(next)).then(() => closeServer(server));
  const [answers] = await Promise.all([asked, closed]);
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
});

test('a connection that a client opened for a first request, later, does not hold up the stop', async () => {
  const server = openHttpServer(false);
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const socket = connect(port, '127.0.0.1');
  await once(server, 'connection');
  await closeServer(server);
  await finished(socket.resume());
});

test('a connection whose first request comes just after the stop is answered, not reset', async () => {
  const server = openHttpServer(false);
  server.on('request', (_request, response) => void response.end('late'));
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const socket = connect(port, '127.0.0.1');
  await once(server, 'connection');
  const closed = closeServer(server);
  // The system accepts no others from now on.
  while (server.listening) await new Promise((turn) => setImmediate(turn));
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  const answer = (await socket.toArray()).join('');
  expect(answer).toMatch(/^HTTP\/1.1 200 [^]*late$/);
  await closed;
});
