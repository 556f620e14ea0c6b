import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startClient } from './testing/ask.ts';
import { startSite } from './testing/victim.ts';

const allow = ['127.0.0.0/8'];

/** A site that echoes the request, below `/redirect/<status>/<where>` after a redirect. */
function startEcho(host?: string) {
  return startSite((request, response) => {
    const [, verb, status, where] = /^\/(redirect)\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? [];
    if (verb !== undefined) {
      response.writeHead(Number(status), { location: decodeURIComponent(where ?? '') }).end('elsewhere');
      return;
    }
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { method, url, headers } = request;
      response.end(JSON.stringify({ method, url, headers, body }));
    });
  }, host);
}

function echoed(outcome: { body?: string }): {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
} {
  return JSON.parse(outcome.body ?? '') as ReturnType<typeof echoed>;
}

describe('an exchange', () => {
  test('sends method, headers and body, and gives status, headers and body', async () => {
    const site = await startEcho();
    const outcome = await startClient({ allow })(`${site.url}/a?b=1#c`, {
      method: 'PUT',
      headers: { 'X-One': 'one' },
      body: 'hello',
    });
    expect(outcome.status).toBe(200);
    expect(echoed(outcome)).toMatchObject({
      method: 'PUT',
      url: '/a?b=1',
      body: 'hello',
      headers: { 'x-one': 'one', 'user-agent': 'weft' },
    });
  });

  test('joins headers that come several times, but never cookies', async () => {
    const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2,3'];
    const site = await startSite((_request, response) => {
      response.setHeader('set-cookie', cookies).setHeader('link', ['<a>', '<b>']).end();
    });
    const { headers, cookies: got } = await startClient({ allow })(site.url);
    expect([headers?.['link'], headers?.['set-cookie'], got]).toEqual(['<a>, <b>', undefined, cookies]);
  });

  test('uses a connection again, but not for another address', async () => {
    const ports: (number | undefined)[] = [];
    const site = await startSite((request, response) => {
      ports.push(request.socket.remotePort);
      response.end('x');
    }, '0.0.0.0');
    let address = '127.0.0.1';
    const ask = startClient({ allow, resolve: async () => [address] });
    const url = `http://name.example:${site.port}/`;
    await ask(url);
    // A connection is free again a moment after its answer was read.
    await setTimeout(20);
    await ask(url);
    address = '127.0.0.2';
    await ask(url);
    expect(ports[1]).toBe(ports[0]);
    expect(ports[2]).not.toBe(ports[0]);
  });

  test('falls back to the next of several addresses', async () => {
    const site = await startEcho();
    const ask = startClient({ allow, resolve: async () => ['127.0.0.3', '127.0.0.1'] });
    expect(await ask(`http://name.example:${site.port}/`)).toMatchObject({ status: 200 });
  });

  test('ends coded where nothing listens, where the answer breaks off, and where it is no HTTP', async () => {
    const broken = await startSite((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const nonsense = await startRaw('SSH-2.0-OpenSSH_9.6\r\n');
    const ask = startClient({ allow });
    expect(await ask('http://127.0.0.1:1/')).toMatchObject({ code: 'outbound_failed', transient: true });
    expect(await ask(broken.url)).toMatchObject({ code: 'outbound_failed', transient: true });
    expect(await ask(nonsense)).toMatchObject({ code: 'outbound_failed' });
  });

  test('never repeats the query of the address in an error', async () => {
    const { message } = await startClient({ allow })('http://127.0.0.1:1/?key=s3cret-value');
    expect(message).not.toContain('s3cret-value');
  });
});

/** Sends these bytes to each client, then ends. */
async function startRaw(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('limits', () => {
  const megabyte = Buffer.alloc(1024 * 1024, 'a');

  test.each([
    ['gzip', gzipSync(megabyte)],
    ['br', brotliCompressSync(megabyte)],
    ['deflate', deflateSync(megabyte)],
    ['zstd', zstdCompressSync(megabyte)],
    ['gzip, gzip', gzipSync(gzipSync(megabyte))],
  ])('%s is unpacked, and counted unpacked', async (encoding, packed) => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(packed);
    });
    const ask = startClient({ allow });
    expect((await ask(site.url, { maxBytes: megabyte.length })).body?.length).toBe(megabyte.length);
    expect(await ask(site.url, { maxBytes: megabyte.length - 1 })).toMatchObject({ code: 'value_too_large' });
  });

  test('a bomb of a quarter of a gigabyte ends at the limit, without its memory', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(256 * 1024 ** 2)));
    const site = await startSite((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(bomb);
    });
    const before = process.memoryUsage().rss;
    expect(await startClient({ allow })(site.url)).toMatchObject({ code: 'value_too_large' });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
  });

  test.each(['x-unknown', 'gzip, gzip, gzip'])('the encoding %s is refused', async (encoding) => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('x');
    });
    expect(await startClient({ allow })(site.url)).toMatchObject({ code: 'bad_answer' });
  });

  test('an answer to HEAD has no body to unpack', async () => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '10' }).end();
    });
    expect(await startClient({ allow })(site.url, { method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
    });
  });

  test('an endless body ends at the limit', async () => {
    const site = await startSite((_request, response) => {
      const more = (): void => void (response.writable && response.write(megabyte, more));
      more();
    });
    expect(await startClient({ allow })(site.url)).toMatchObject({ code: 'value_too_large' });
  });

  test('endless headers end at the limit', async () => {
    const url = await startRaw(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}\r\n`);
    expect(await startClient({ allow })(url)).toMatchObject({ code: 'outbound_failed', transient: false });
  });

  test.each([
    ['no answer', false],
    ['half an answer', true],
  ])('time is up with %s', async (_, begins) => {
    const site = await startSite((_request, response) => {
      if (begins) response.write('half');
    });
    expect(await startClient({ allow })(site.url, { timeoutMs: 200 })).toMatchObject({
      code: 'outbound_timeout',
      transient: true,
    });
  });

  test('time is up for a name that is not found', async () => {
    const ask = startClient({ resolve: () => new Promise(() => {}) });
    expect(await ask('http://slow.example/', { timeoutMs: 100 })).toMatchObject({ code: 'outbound_timeout' });
  });

  test('the run’s signal ends it with its own reason', async () => {
    const closed: Promise<unknown>[] = [];
    const site = await startSite((request, response) => {
      closed.push(new Promise((resolve) => request.socket.once('close', resolve)));
      response.write('half');
    });
    const controller = new AbortController();
    void setTimeout(100).then(() =>
      controller.abort(Object.assign(new Error('stop'), { code: 'run_cancelled' })),
    );
    const outcome = await startClient({ allow })(site.url, { signal: controller.signal });
    expect(outcome).toMatchObject({ code: 'run_cancelled', message: 'stop' });
    await closed[0];
  });
});

describe('a redirect', () => {
  test('is followed as often as allowed, and then fails', async () => {
    const site = await startEcho();
    const loop = await startSite(
      (_request, response) => void response.writeHead(302, { location: '/' }).end(),
    );
    const ask = startClient({ allow });
    expect(await ask(`${site.url}/redirect/302/%2Fthere`)).toMatchObject({
      status: 200,
      url: `${site.url}/there`,
    });
    expect(await ask(loop.url)).toMatchObject({ code: 'outbound_failed', transient: false });
    expect(await ask(`${site.url}/redirect/302/%2Fthere`, { redirects: 0 })).toMatchObject({
      status: 302,
      body: 'elsewhere',
    });
  });

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', undefined],
    [307, 'POST', 'POST', 'body'],
    [308, 'PUT', 'PUT', 'body'],
    [301, 'PUT', 'PUT', 'body'],
  ])('%i of %s becomes %s', async (status, method, then, body) => {
    const site = await startEcho();
    const outcome = await startClient({ allow })(`${site.url}/redirect/${status}/%2Fthere`, {
      method,
      headers: { 'content-type': 'text/plain' },
      body: method === 'HEAD' ? undefined : 'body',
    });
    expect(outcome.status).toBe(200);
    if (body === undefined) return expect(outcome.body).toBe('');
    const got = echoed(outcome);
    expect(got).toMatchObject({ method: then, body });
    expect('content-type' in got.headers).toBe(body !== '');
  });

  test('keeps credentials within its origin and drops them elsewhere', async () => {
    const here = await startEcho();
    const there = await startEcho('127.0.0.2');
    const ask = startClient({ allow });
    const headers = {
      authorization: 'Bearer a',
      cookie: 'b',
      'x-api-key': 'c',
      'x-mine': 'd',
      'x-plain': 'e',
    };
    const request = { headers, secretHeaders: ['X-Mine'] };
    const same = await ask(`${here.url}/redirect/302/%2Fthere`, request);
    expect(echoed(same).headers).toMatchObject(headers);
    const other = await ask(`${here.url}/redirect/302/${encodeURIComponent(there.url)}`, request);
    const got = echoed(other).headers;
    expect(got).toMatchObject({ 'x-plain': 'e' });
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-mine'])
      expect(got).not.toHaveProperty(name);
  });
});
