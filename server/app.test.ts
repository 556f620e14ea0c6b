import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { rawRequest, signIn, startBed } from './testing/platform-bed.ts';

async function post(url: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') {
  const answer = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  });
  return { status: answer.status, body: (await answer.json()) as { err_code: string; err_msg: string } };
}

test('every answer carries the version and an id of its own', async () => {
  const { url } = await startBed();
  const [first, second] = await Promise.all([fetch(`${url}/healthz`), fetch(`${url}/nope`)]);
  expect(first.headers.get('x-weft-version')).toMatch(/^\d+\.\d+\.\d+/);
  expect(second.headers.get('x-weft-version')).toBe(first.headers.get('x-weft-version'));
  expect(first.headers.get('x-request-id')).not.toBe(second.headers.get('x-request-id'));
});

test('an unknown path is answered with 404 in the usual form', async () => {
  const { url } = await startBed();
  const answer = await fetch(`${url}/api/v1/nothing?x=1`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toEqual({
    success: false,
    err_code: 'not_found',
    err_msg: 'There is nothing at this address.',
    data: null,
    error: {
      message: 'There is nothing at this address.',
      type: 'not_found_error',
      param: null,
      code: 'not_found',
    },
  });
});

test('a known path with another method is answered with 405 and the methods it has', async () => {
  const { url } = await startBed();
  const answer = await fetch(`${url}/healthz`, { method: 'POST' });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET, HEAD');
});

test('a method that HTTP knows and we do not is answered with 405', async () => {
  const { url } = await startBed();
  const answer = await fetch(`${url}/healthz`, { method: 'PROPFIND' });
  expect(answer.status).toBe(405);
});

test('an address with broken percent-encoding is answered with 400 and not repeated', async () => {
  const { url } = await startBed();
  const answer = await fetch(`${url}/a%zz<script>`);
  expect(answer.status).toBe(400);
  expect(await answer.text()).not.toContain('zz');
  expect(answer.headers.get('x-weft-version')).not.toBeNull();
});

test('an address of more than 8192 characters is answered with 414', async () => {
  const { url } = await startBed();
  const answer = await fetch(`${url}/${'a'.repeat(9000)}`);
  expect(answer.status).toBe(414);
  expect(await answer.json()).toMatchObject({ err_code: 'uri_too_long' });
});

test('a path part longer than any id is answered with 414', async () => {
  const bed = await startBed();
  const answer = await fetch(`${bed.url}/api/v1/runs/${'a'.repeat(300)}`, { headers: await signIn(bed) });
  expect(answer.status).toBe(414);
});

test('a body larger than the limit is answered with 413', async () => {
  const { url } = await startBed({ bodyLimit: 2048 });
  const { status, body } = await post(url, JSON.stringify({ password: 'x'.repeat(20_000) }));
  expect(status).toBe(413);
  expect(body.err_code).toBe('body_too_large');
});

test('a body of another type is answered with 415', async () => {
  const { url } = await startBed();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense']) {
    expect(await post(url, 'x', type)).toMatchObject({
      status: 415,
      body: { err_code: 'unsupported_media_type' },
    });
  }
});

test.each([
  ['broken JSON', '{"a":', 'invalid_json'],
  ['an empty body', '', 'invalid_json'],
  ['10,000 levels', '['.repeat(10_000) + ']'.repeat(10_000), 'too_deep'],
  ['a key that reaches prototypes', '{"__proto__":{"admin":true}}', 'invalid_json'],
])('a body with %s is answered with 400 and its code', async (_name, text, code) => {
  const { url } = await startBed();
  expect(await post(url, text)).toMatchObject({ status: 400, body: { err_code: code } });
});

test('a body that is not UTF-8 is answered with 400', async () => {
  const { url } = await startBed();
  const body = await post(url, new Uint8Array([0x22, 0xff, 0xfe, 0x22]));
  expect(body).toMatchObject({ status: 400, body: { err_code: 'invalid_encoding' } });
});

test('an unexpected error is a 500 that contains only its id, and is logged with its stack', async () => {
  const logged: string[] = [];
  const { pino } = await import('pino');
  const log = pino({ level: 'error' }, { write: (line) => void logged.push(line) });
  const bed = await startBed({}, { log });
  bed.ctx.flows.list = () => {
    throw new TypeError(`secret detail in ${import.meta.filename}`);
  };
  const answer = await fetch(`${bed.url}/api/v1/flows`, { headers: await signIn(bed) });
  const text = await answer.text();
  const id = answer.headers.get('x-request-id') as string;
  expect(answer.status).toBe(500);
  expect(JSON.parse(text)).toMatchObject({ err_code: 'internal', data: null });
  expect(text).toContain(id);
  expect(text).not.toContain('secret detail');
  const line = JSON.parse(logged.at(-1) as string) as { reqId: string; err: { stack: string } };
  expect(line.reqId).toBe(id);
  expect(line.err.stack).toContain('TypeError: secret detail');
});

test.each([
  ['bytes that are no HTTP', 'HELLO\r\n\r\n', 400, 'invalid_request'],
  ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n', 405, 'method_not_allowed'],
  [
    'headers of more than 16 KB',
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  [
    'an address of more than 16 KB',
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    414,
    'uri_too_long',
  ],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    400,
    'invalid_request',
  ],
  [
    'two hosts',
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    400,
    'invalid_request',
  ],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
    'invalid_request',
  ],
  [
    'a tunnel request',
    'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
    405,
    'method_not_allowed',
  ],
])('%s get an answer in the usual form before the connection closes', async (_name, bytes, status, code) => {
  const { port } = await startBed();
  const answer = await rawRequest(port, bytes);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  expect(JSON.parse(body)).toMatchObject({ success: false, err_code: code, error: { code } });
  expect(answer.toLowerCase()).toContain(`content-length: ${Buffer.byteLength(body)}\r\n`);
  expect(/^Allow: (?:[A-Z]+(?:, )?)+\r$/m.test(answer)).toBe(status === 405);
});

test('a client that waits with its body is asked to send it only if it is read', async () => {
  const { port, url } = await startBed({ apiKeys: ['key-of-this-test-0123456789'], bodyLimit: 100 });
  const ask = (path: string, length: number, key = 'key-of-this-test-0123456789') =>
    rawRequest(
      port,
      `POST ${path} HTTP/1.1\r\nhost: ${url.slice(7)}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
        `content-length: ${length}\r\nexpect: 100-continue\r\n\r\n`,
    );
  const path = '/v1/chat/completions';
  for (const [answer, status] of [
    [await ask(path, 9_000_000), 413],
    [await ask(path, 50, 'another'), 401],
    [await ask('/api/v1/nothing', 50), 404],
  ] as const) {
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.toLowerCase()).toContain('connection: close\r\n');
  }
  const socket = connect(port, '127.0.0.1');
  const head = `POST ${path} HTTP/1.1\r\nhost: ${url.slice(7)}\r\nauthorization: Bearer key-of-this-test-0123456789\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('{}');
  const [second] = (await once(socket, 'data')) as [Buffer];
  expect(second.toString()).toMatch(/^HTTP\/1.1 400 [^]*connection: keep-alive/i);
  socket.destroy();
});

test('nothing here becomes a service worker', async () => {
  const { url } = await startBed();
  for (const path of ['/', '/api/v1/awel/trigger/x', '/api/v1/flows/f/test/x', '/wait/x']) {
    const answer = await fetch(url + path, { headers: { 'service-worker': 'script' } });
    expect([answer.status, await answer.json()]).toMatchObject([403, { err_code: 'forbidden' }]);
  }
});

test('answers that need a key or a session are neither sniffed nor kept', async () => {
  const bed = await startBed();
  const headers = await signIn(bed);
  const made = await fetch(`${bed.url}/api/v1/keys`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'k', scopes: ['chat'] }),
  });
  expect(made.status).toBe(201);
  for (const answer of [
    made,
    await fetch(`${bed.url}/api/v1/flows`),
    await fetch(`${bed.url}/api/v1/flows`, { headers }),
    await fetch(`${bed.url}/api/v1/session`, { headers }),
  ]) {
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('a request without a Host is refused in HTTP/1.1 and answered in HTTP/1.0', async () => {
  const { port } = await startBed();
  const refused = await rawRequest(port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
  expect(refused).toMatch(/^HTTP\/1\.1 400 [^]*no Host header/);
  expect(await rawRequest(port, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 [^]*"ok"/);
});

test('an expectation we do not know does not keep a request from being answered', async () => {
  const { port } = await startBed();
  const request = `GET /healthz HTTP/1.1\r\nHost: localhost:${port}\r\nExpect: magic\r\nConnection: close\r\n\r\n`;
  expect(await rawRequest(port, request)).toMatch(/^HTTP\/1\.1 200 /);
});

test('an offer of HTTP/2 is answered as a plain request', async () => {
  const { port } = await startBed();
  const request = `GET /healthz HTTP/1.1\r\nHost: localhost:${port}\r\nUpgrade: h2c\r\nConnection: Upgrade, close\r\n\r\n`;
  expect(await rawRequest(port, request)).toMatch(/^HTTP\/1\.1 200 /);
});

test('a websocket without anything that serves it is answered as a plain request', async () => {
  const { port } = await startBed({ editor: 'off' });
  const request = `GET /api/v1/runs/stream HTTP/1.1\r\nHost: localhost:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`;
  expect(await rawRequest(port, request)).toMatch(/^HTTP\/1\.1 404 [^]*not_found/);
});

test('a websocket is for those who may follow runs, under a name that is ours', async () => {
  const { port } = await startBed();
  const open = (host: string): Promise<string> =>
    rawRequest(
      port,
      `GET /api/v1/runs/stream HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
  expect(await open(`localhost:${port}`)).toMatch(/^HTTP\/1\.1 401 [^]*unauthorized/);
  expect(await open('evil.example')).toMatch(/^HTTP\/1\.1 403 [^]*bad_host/);
});

test('a request that does not arrive in time is answered with 408', async () => {
  const { app, port } = await startBed();
  app.server.once('connection', (socket: Socket) => {
    // As Node does when its timeouts of 15 and 60 seconds expire.
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    socket.once('data', () => app.server.emit('clientError', error, socket));
  });
  expect(await rawRequest(port, 'GET /healthz HTTP/1.1\r\n')).toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/);
});

test('behind a trusted proxy the client is the one that the proxy saw, not the one that the client claims to be', async () => {
  const { url } = await startBed({ adminPassword: 'correct horse', trustProxy: true });
  const attempt = async (i: number): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': `10.0.0.${i}, 203.0.113.7` };
    const body = JSON.stringify({ password: 'guess' });
    return (await fetch(`${url}/api/v1/session`, { method: 'POST', headers, body })).status;
  };
  for (let i = 0; i < 5; i++) expect(await attempt(i)).toBe(401);
  expect(await attempt(5)).toBe(429);
});
