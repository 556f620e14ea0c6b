import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate, key } from '../../integrations/connections/testing/self-signed.ts';
import type { OutboundOptions } from './client.ts';
import { createOutbound } from './outbound.ts';
import { readProxy } from './proxy.ts';
import { asker, startClient } from './testing/ask.ts';
import { type StandInProxy, startStandInProxy } from './testing/stand-in-proxy.ts';
import { startSite, startVictim } from './testing/victim.ts';

/** Two public addresses, which lead nowhere outside of these tests. */
const PUBLIC = '93.184.215.14';
const OTHER = '93.184.215.15';
const never = new AbortController().signal;

function through(proxy: StandInProxy, more: Partial<OutboundOptions> = {}, credentials?: string) {
  const settings = { address: proxy.address, credentials, except: [] };
  return { proxy: settings, resolve: async () => [PUBLIC], ...more } satisfies Partial<OutboundOptions>;
}

async function connectOver(
  proxy: StandInProxy,
  host: string,
  port: number,
  more: Partial<OutboundOptions> = {},
) {
  const outbound = createOutbound({ allow: [], ...through(proxy, more) });
  onTestFinished(() => outbound.close());
  return outbound.connect({ host, port }, asker, never, { timeoutMs: 5000 });
}

const protocols = [['http'], ['socks5']] as const;

describe.each(protocols)('through a proxy by %s', (protocol) => {
  test('a request arrives with its name, and the proxy is handed the checked address', async () => {
    const site = await startSite((request, response) => response.end(`for ${request.headers.host}`));
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:8080`, site.port);
    const ask = startClient(through(proxy));
    expect(await ask('http://shop.example:8080/')).toMatchObject({ body: 'for shop.example:8080' });
    expect(proxy.asked).toEqual([`${PUBLIC}:8080`]);
  });

  test('the connection is used again', async () => {
    const site = await startSite((_request, response) => response.end('x'));
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:80`, site.port);
    const ask = startClient(through(proxy));
    for (let i = 0; i < 3; i++) {
      expect(await ask('http://shop.example/')).toMatchObject({ body: 'x' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(proxy.asked).toHaveLength(1);
  });

  test('a name may be handed on to the proxy', async () => {
    const site = await startSite((_request, response) => response.end('outside'));
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set('shop.example.com:80', site.port);
    const resolve = async (): Promise<string[]> => {
      throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    };
    const local = await startClient(through(proxy, { resolve }))('http://shop.example.com/');
    expect(local).toMatchObject({
      code: 'outbound_failed',
      message: expect.stringContaining('WEFT_PROXY_DNS=proxy'),
    });
    const ask = startClient(through(proxy, { resolve, proxyDns: 'proxy' }));
    // The proxy is named by its address, so only the destination is looked up, and not here.
    expect(await ask('http://shop.example.com/')).toMatchObject({ body: 'outside' });
    expect(proxy.asked).toEqual(['shop.example.com:80']);
  });

  test.each(['local', 'proxy'] as const)(
    'a redirect into the network is refused, names looked up: %s',
    async (proxyDns) => {
      const victim = await startVictim();
      for (const host of [
        '127.0.0.1',
        '2130706433',
        '[::ffff:7f00:1]',
        '10.0.0.1',
        '169.254.169.254',
        'localhost',
      ]) {
        const location = `http://${host}:${victim.port}/`;
        const site = await startSite(
          (_request, response) => void response.writeHead(302, { location }).end(),
        );
        const proxy = await startStandInProxy({ protocol, isOpen: true });
        for (const asked of [`${PUBLIC}:80`, 'shop.example.com:80']) proxy.leads.set(asked, site.port);
        const resolve = async (name: string): Promise<string[]> =>
          name === 'localhost' ? ['127.0.0.1'] : [PUBLIC];
        const ask = startClient(through(proxy, { proxyDns, resolve }));
        expect(await ask('http://shop.example.com/'), host).toMatchObject({ code: 'outbound_refused' });
        expect(proxy.asked).toHaveLength(1);
      }
      expect(victim.reached()).toBe(0);
    },
  );

  test('the next address is tried if the proxy cannot reach the first one', async () => {
    const site = await startSite((_request, response) => response.end('second'));
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${OTHER}:80`, site.port);
    const ask = startClient(through(proxy, { resolve: async () => [PUBLIC, OTHER] }));
    expect(await ask('http://shop.example/')).toMatchObject({ body: 'second' });
    expect(proxy.asked).toEqual([`${PUBLIC}:80`, `${OTHER}:80`]);
  });

  test('a socket passes the words of a server that speaks first, and its answers', async () => {
    const proxy = await startStandInProxy({ protocol });
    const port = await startGreeter();
    proxy.leads.set(`${PUBLIC}:2525`, port);
    const socket = await connectOver(proxy, 'mail.example', 2525);
    // Drivers look at it some time later.
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await said(socket, 'HELO\r\n')).toBe('220 hello\r\n250 you said HELO\r\n');
  });

  test('a user and a password are sent if it asks for them, and are in no error', async () => {
    const site = await startSite((_request, response) => response.end('let in'));
    const proxy = await startStandInProxy({ protocol });
    proxy.wants = 'ada:s3cret:with-colon';
    proxy.leads.set(`${PUBLIC}:80`, site.port);
    const ask = startClient(through(proxy, {}, 'ada:s3cret:with-colon'));
    expect(await ask('http://shop.example/')).toMatchObject({ body: 'let in' });
    for (const credentials of [undefined, 'ada:wrong-canary']) {
      const outcome = await startClient(through(proxy, {}, credentials))('http://shop.example/');
      expect(outcome).toMatchObject({ code: 'proxy_auth', transient: false });
      expect(outcome.message).toContain(proxy.address);
      expect(JSON.stringify(outcome)).not.toContain('canary');
    }
  });

  test.each([
    ['refuse', 'proxy_refused', false, 'port 443'],
    ['close', 'proxy_failed', true, 'closed'],
    ['garbage', 'proxy_failed', undefined, 'proxy'],
    ['unreachable', 'outbound_failed', true, 'could not reach http://shop.example'],
    ['hang', 'outbound_timeout', true, 'led through the proxy'],
  ] as const)('a proxy that is to %s gives the error %s', async (does, code, transient, words) => {
    const proxy = await startStandInProxy({ protocol });
    proxy.does = does;
    const outcome = await startClient(through(proxy))('http://shop.example/', { timeoutMs: 400 });
    expect(outcome).toMatchObject({ code, message: expect.stringContaining(words) });
    if (transient !== undefined) expect(outcome.transient).toBe(transient);
  });

  test('a socket waits no longer for a proxy that hangs than it may', async () => {
    const proxy = await startStandInProxy({ protocol });
    proxy.does = 'hang';
    const outbound = createOutbound({ allow: [], ...through(proxy) });
    onTestFinished(() => outbound.close());
    const opening = outbound.connect({ host: 'db.example', port: 5432 }, asker, never, { timeoutMs: 300 });
    await expect(opening).rejects.toMatchObject({
      code: 'outbound_timeout',
      message: expect.stringContaining(proxy.address),
    });
    expect(outbound.counts()).toEqual([]);
  });

  test('what it answers in place of an encrypted server is an error, not an answer', async () => {
    const proxy = await startStandInProxy({ protocol });
    proxy.does = 'rewrite';
    expect(await startClient(through(proxy))('https://shop.example/')).toMatchObject({
      code: 'outbound_failed',
      message: expect.stringContaining('not encrypted'),
    });
  });

  test('the certificate is checked for the name, though the proxy is handed an address', async () => {
    const names: string[] = [];
    const SNICallback = (name: string, done: (error: null, context?: SecureContext) => void): void => {
      names.push(name);
      done(null, createSecureContext({ cert: certificate, key }));
    };
    const server = createHttpsServer({ SNICallback }, (_request, response) => response.end('secret'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:443`, (server.address() as AddressInfo).port);
    const outcome = await startClient(through(proxy))('https://shop.example/');
    expect(outcome).toMatchObject({ code: 'outbound_failed', transient: false });
    expect(names).toEqual(['shop.example']);
    expect(outcome.message).toMatch(/certificate of https:\/\/shop\.example.*NODE_EXTRA_CA_CERTS/s);
  });
});

describe('a proxy', () => {
  test('that answers with a page to sign in is no way', async () => {
    const proxy = await startStandInProxy();
    proxy.does = 'page';
    expect(await startClient(through(proxy))('http://shop.example/')).toMatchObject({
      code: 'proxy_failed',
      message: expect.stringContaining('sign in'),
      transient: false,
    });
  });

  test('that asks for another scheme is named with it', async () => {
    const proxy = await startStandInProxy();
    proxy.wants = 'ada:x';
    proxy.scheme = 'NTLM, Negotiate';
    const outcome = await startClient(through(proxy, {}, 'ada:x2'))('http://shop.example/');
    expect(outcome).toMatchObject({
      code: 'proxy_auth',
      message: expect.stringContaining('NTLM or Negotiate'),
    });
  });

  test('that does not listen is an error that names it', async () => {
    const proxy = await startStandInProxy();
    const settings = { address: 'http://127.0.0.1:9', credentials: undefined, except: [] };
    const ask = startClient({ ...through(proxy), proxy: settings });
    expect(await ask('http://shop.example/')).toMatchObject({
      code: 'proxy_failed',
      message: expect.stringContaining('Nothing listens at http://127.0.0.1:9'),
      transient: true,
    });
  });

  test('with encryption is checked as a server is', async () => {
    const proxy = await startStandInProxy({ protocol: 'https', certificate: { cert: certificate, key } });
    const outcome = await startClient(through(proxy))('http://shop.example/');
    expect(outcome).toMatchObject({ code: 'proxy_failed', message: expect.stringContaining('self-signed') });
    expect(proxy.asked).toEqual([]);
  });

  test('is no destination itself, and no metadata service is a proxy', async () => {
    const proxy = await startStandInProxy();
    const own = `http://127.0.0.1:${proxy.port}/`;
    for (const proxyDns of ['local', 'proxy'] as const)
      expect(await startClient(through(proxy, { proxyDns }))(own)).toMatchObject({
        code: 'outbound_refused',
      });
    const settings = { address: 'http://169.254.169.254:80', credentials: undefined, except: [] };
    const ask = startClient({ ...through(proxy), proxy: settings });
    expect(await ask('http://shop.example/')).toMatchObject({ code: 'outbound_refused' });
  });

  test('is used for a call that names it, or left out for one that names none', async () => {
    const site = await startSite((_request, response) => response.end('there'));
    const [general, own] = [await startStandInProxy(), await startStandInProxy()];
    own.leads.set(`${PUBLIC}:80`, site.port);
    const outbound = createOutbound({ allow: [], ...through(general, { resolve: async () => [PUBLIC] }) });
    onTestFinished(() => outbound.close());
    const request = {
      method: 'GET',
      url: 'http://shop.example/',
      headers: {},
      body: undefined,
      redirects: 0,
      timeoutMs: 5000,
      maxBytes: 1000,
    };
    const answer = await outbound.send(request, asker, never, { proxy: readProxy(own.address, undefined) });
    expect(answer.status).toBe(200);
    for await (const _ of answer.body);
    expect([general.asked, own.asked]).toEqual([[], [`${PUBLIC}:80`]]);
  });
});

describe('without the proxy', () => {
  test.each([
    ['this machine', 'http://127.0.0.1:PORT/', []],
    ['this machine by name', 'http://localhost:PORT/', []],
    ['a name', 'http://api.corp.example:PORT/', ['corp.example']],
    ['a name below another one', 'http://api.corp.example:PORT/', ['.corp.example']],
    ['a name with a star', 'http://api.corp.example:PORT/', ['*.corp.example']],
    ['a block', 'http://other.example:PORT/', ['127.0.0.0/8']],
    ['everything', 'http://other.example:PORT/', ['*']],
  ])('%s is reached', async (_, url, except) => {
    const site = await startSite((_request, response) => response.end('direct'));
    const proxy = await startStandInProxy();
    const ask = startClient({
      allow: ['127.0.0.1'],
      resolve: async () => ['127.0.0.1'],
      proxy: { address: proxy.address, credentials: undefined, except },
    });
    expect(await ask(url.replace('PORT', String(site.port)))).toMatchObject({ body: 'direct' });
    expect(proxy.asked).toEqual([]);
  });

  test.each([['notcorp.example'], ['corp.example.org']])(
    '%s is not reached because of corp.example',
    async (host) => {
      const proxy = await startStandInProxy();
      const ask = startClient({
        ...through(proxy),
        proxy: { address: proxy.address, credentials: undefined, except: ['corp.example', '10.0.0.0/8'] },
      });
      expect(await ask(`http://${host}/`)).toMatchObject({ code: 'outbound_failed' });
      expect(proxy.asked).toEqual([`${PUBLIC}:80`]);
    },
  );
});

describe('names that are handed on', () => {
  test.each([
    'localhost',
    'x.localhost',
    'intranet',
    'printer.local',
    'db.corp',
    'vault.internal',
    'VAULT.INTERNAL.',
    'metadata.google.internal',
    'proxy.example',
    'a$b.example',
    `${'a'.repeat(300)}.example`,
  ])('are refused if they belong inside: %s', async (host) => {
    const proxy = await startStandInProxy();
    const victim = await startVictim();
    const ask = startClient({
      resolve: async () => ['127.0.0.1'],
      proxyDns: 'proxy',
      proxy: { address: `http://proxy.example:${proxy.port}`, credentials: undefined, except: [] },
    });
    const { code } = await ask(`http://${host}:${victim.port}/`);
    expect(code).toBe('outbound_refused');
    expect([proxy.asked, victim.reached()]).toEqual([[], 0]);
  });
});

/** A server that speaks first, and repeats what it hears. */
async function startGreeter(): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 hello\r\n');
    socket.on('data', (bytes) => socket.end(`250 you said ${bytes.toString()}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function said(socket: Socket, text: string): Promise<string> {
  let all = '';
  socket.write(text);
  for await (const bytes of socket) all += String(bytes);
  return all;
}
