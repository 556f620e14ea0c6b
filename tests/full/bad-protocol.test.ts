import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { call, type Owner, signIn, triggerPrefix } from '../support/client.ts';
import { copyOfExamples, httpTrigger, sayFlow, write } from '../support/flows.ts';
import { dial, expectRefusal, rawAnswer, readToEnd, sendRaw } from '../support/raw.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { connect, opened } from '../support/sockets.ts';

/** Bytes that are no proper HTTP or websocket: each gets its coded answer, and the server goes on. */
let server: TestServer;
let owner: Owner;
let host: string;
/** Busy while all other tests run; what they got is looked at in the last one. */
let slowClients: Promise<string>[];

beforeAll(async () => {
  const flows = copyOfExamples();
  write(flows, 'any.json', sayFlow('any', '{{ input }}', httpTrigger('/any', { methods: ['POST'] })));
  server = await startServer({ flows });
  owner = await signIn(server);
  host = new URL(server.url).host;
  slowClients = Array.from({ length: 100 }, dripHeaders);
});
afterAll(() => discard(server));

afterEach(async () => {
  const answer = await call(server, '/examples/hello?name=Ada');
  expect(answer.body).toBe('Hello, Ada, your age is 18');
});

describe('on a bare socket,', () => {
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
  const hello = `${triggerPrefix}/examples/hello?name=Ada`;
  const cases: [string, () => string | Buffer, number, string][] = [
    [
      'noise',
      () => Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 131 + 7) % 256)),
      400,
      'invalid_request',
    ],
    ['the hello of TLS', () => Buffer.from('16030100c8010000c40303', 'hex'), 400, 'invalid_request'],
    ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_request'],
    ['a method that is none', () => `FLY / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 405, 'method_not_allowed'],
    ['a version that is none', () => `GET / HTTP/9.9\r\nHost: ${host}\r\n\r\n`, 400, 'invalid_request'],
    ['a header without a colon', () => get(hello, 'broken\r\n'), 400, 'invalid_request'],
    ['a NUL in a header', () => get(hello, 'x: a\0b\r\n'), 400, 'invalid_request'],
    ['a NUL in the address', () => get('/api\0/v1'), 400, 'invalid_request'],
    [
      'a broken percent sign',
      () => get('/api/v1/flows/%zz', 'Connection: close\r\n'),
      400,
      'invalid_request',
    ],
    ['no Host', () => `GET ${hello} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, 'invalid_request'],
    [
      'the Host of somebody else',
      () => `GET ${hello} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
      403,
      'bad_host',
    ],
    [
      'two lengths',
      () => `POST ${hello} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
      400,
      'invalid_request',
    ],
    [
      'a length and chunks',
      () =>
        `POST ${hello} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'invalid_request',
    ],
    [
      'a chunk that is none',
      () =>
        `POST ${triggerPrefix}/any HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      400,
      'invalid_request',
    ],
    ['one header of 100 KB', () => get(hello, `x: ${'a'.repeat(100_000)}\r\n`), 431, 'headers_too_large'],
    ['10,000 headers', () => get(hello, 'x: a\r\n'.repeat(10_000)), 431, 'headers_too_large'],
    ['an address of 100 KB', () => get(`/${'a'.repeat(100_000)}`), 414, 'uri_too_long'],
    ['an address of 9 KB', () => get(`/${'a'.repeat(9000)}`, 'Connection: close\r\n'), 414, 'uri_too_long'],
  ];

  test.each(cases)('%s gets a coded answer', async (_name, bytes, status, code) => {
    expectRefusal(await sendRaw(server, bytes()), status, code);
  });

  test('a client that hangs up in the middle harms nobody', async () => {
    for (const bytes of [
      'GET /api',
      `POST ${triggerPrefix}/any HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n\r\n{`,
    ]) {
      const socket = await dial(server);
      await new Promise((resolve) => socket.write(bytes, resolve));
      const closed = readToEnd(socket);
      socket.resetAndDestroy();
      await closed;
    }
  });
});

describe('a websocket', () => {
  const stream = '/api/v1/runs/stream';

  test('that sends frames which are none is closed, and others are not', async () => {
    const other = connect(server, stream, server.key);
    await opened(other);
    const frames: [string, Buffer, number][] = [
      ['an unmasked frame', Buffer.from([0x81, 0x02, 0x68, 0x69]), 1002],
      ['reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0]), 1002],
      ['an opcode that does not exist', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
      [
        'a frame of 8 EB',
        Buffer.from([0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]),
        1009,
      ],
      ['text that is no UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]), 1007],
      ['a message above the limit', Buffer.from([0x81, 0xfe, 0x04, 0x01, 0, 0, 0, 0]), 1009],
    ];
    for (const [name, bytes, code] of frames) {
      const ws = connect(server, stream, server.key);
      await opened(ws);
      const closed = new Promise((resolve) => ws.once('close', resolve));
      socketOf(ws).write(bytes);
      expect(await closed, name).toBe(code);
    }
    other.send('not JSON');
    other.send('ping');
    const pong = new Promise((resolve) => other.once('message', (data: Buffer) => resolve(data.toString())));
    expect(await pong).toBe('[{"kind":"pong"}]');
    other.terminate();
  });

  test.each([
    ['/api/v1/runs/stream?after=-1', 400, 'invalid_request'],
    ['/api/v1/runs/stream?flow=../etc', 400, 'invalid_request'],
    ['/api/v1/runs/%2e%2e/stream', 404, 'not_found'],
    ['/api/v1/flows', 404, 'not_found'],
    ['/api/v1/awel/trigger/examples/hello', 404, 'not_found'],
  ])('is refused at %s', async (path, status, code) => {
    const handshake = [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: Bearer ${server.key}`,
      '\r\n',
    ];
    expectRefusal(await sendRaw(server, handshake.join('\r\n')), status, code);
  });

  test('of a foreign page is refused, also with our cookie', async () => {
    const headers = [
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Cookie: ${owner.headers['cookie']}`,
      'Origin: http://evil.example',
    ];
    const answer = await sendRaw(server, `GET ${stream} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    expectRefusal(answer, 403, 'bad_origin');
  });
});

test('clients that send a request a byte at a time are cut with 408 in the end', async () => {
  const answers = await Promise.all(slowClients);
  for (const answer of answers) expectRefusal(rawAnswer(answer), 408, 'request_timeout');
});

/** Never ends its headers. Gives what it got when it was cut. */
async function dripHeaders(): Promise<string> {
  const socket = await dial(server);
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `);
  const drip = setInterval(() => socket.write('a'), 500);
  const answer = await readToEnd(socket);
  clearInterval(drip);
  return answer;
}

function socketOf(ws: ReturnType<typeof connect>): Socket {
  return (ws as unknown as { _socket: Socket })._socket;
}
