import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../base/process/node-http.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { listen } from './http-server.ts';
import { endStalled, inTurn } from './unread-answers.ts';

async function serve(listener: RequestListener, stallMs?: number): Promise<{ port: number; server: Server }> {
  const server = createServer();
  server.on('request', inTurn(listener));
  if (stallMs !== undefined) endStalled(server, stallMs);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: await listen(server, { host: '127.0.0.1', port: 0 }), server };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
const ANSWER = Buffer.alloc(8_000_000, 'x');

test('with many requests whose answers are not read, the server holds one answer', async () => {
  let begun = 0;
  let finished = 0;
  const { port } = await serve((_request, response) => {
    begun += 1;
    setImmediate(() => response.end(ANSWER));
    response.once('finish', () => (finished += 1));
  });
  const socket = await open(port);
  socket.pause();
  socket.write(get('/').repeat(200));
  // More than the kernel buffers for a client that does not read.
  await eventually(() => expect(begun).toBeGreaterThan(0));
  const other = await open(port);
  let received = 0;
  other.on('data', (bytes: Buffer) => (received += bytes.length));
  other.write(get('/').repeat(20));
  await eventually(() => expect(received).toBeGreaterThan(20 * ANSWER.length));
  expect(begun - finished).toBeLessThanOrEqual(1);
  expect(begun).toBeLessThan(20 + 5);
});

test('requests of one connection are answered in their order, with their bodies, however they arrive', async () => {
  const inProgress = { now: 0, most: 0 };
  const { port } = await serve((request, response) => {
    inProgress.most = Math.max(inProgress.most, ++inProgress.now);
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += String(text)));
    request.on('end', () =>
      setImmediate(() => {
        inProgress.now -= 1;
        response.end(`<${request.url}:${body.length}>`);
      }),
    );
  });
  const socket = await open(port);
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => (received += String(text)));
  const body = 'b'.repeat(100_000);
  for (let n = 0; n < 50; n++)
    socket.write(`POST /${n} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await eventually(() => expect(received.match(/<[^>]*>/g)).toHaveLength(50));
  expect(received.match(/<[^>]*>/g)).toEqual(Array.from({ length: 50 }, (_, n) => `</${n}:${body.length}>`));
  expect(inProgress.most).toBe(1);
});

test('a client that accepts nothing is cut off; one that reads slowly, and one that waits for its answer, are not', async () => {
  const { port } = await serve((request, response) => {
    if (request.url === '/late') setTimeout(() => response.end('late'), 2500);
    else response.end(Buffer.concat([ANSWER, ANSWER]));
  }, 1000);
  const deaf = await open(port);
  deaf.pause();
  deaf.write(get('/'));
  const slow = await open(port);
  let taken = 0;
  slow.on('data', (bytes: Buffer) => {
    taken += bytes.length;
    slow.pause();
    setTimeout(() => slow.resume(), 5);
  });
  slow.write(get('/'));
  const patient = await open(port);
  let received = '';
  patient.on('data', (bytes: Buffer) => (received += bytes.toString()));
  patient.write(get('/late'));
  await eventually(() => expect(received).toContain('late'));
  await eventually(() => expect(taken).toBeGreaterThan(2 * ANSWER.length));
  // It reads the rest that the system has kept for it, and then the end.
  const ended = once(deaf, 'close');
  deaf.resume();
  await ended;
  expect(deaf.bytesRead).toBeLessThan(2 * ANSWER.length);
});
