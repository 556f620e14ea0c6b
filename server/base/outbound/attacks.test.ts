import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OutboundOptions } from './client.ts';
import { startClient } from './testing/ask.ts';
import { startStandInProxy } from './testing/stand-in-proxy.ts';
import { startSite, startVictim } from './testing/victim.ts';

/**
 * Tricks to make a server send forbidden requests. `PORT` is the victim's, which listens on every local
 * address.
 */

const refused = 'outbound_refused';
const invalid = 'outbound_invalid';

/** Addresses of this machine in every notation that some parser accepts. */
const spellings: [string, string, string][] = [
  ['loopback', 'http://127.0.0.1:PORT/', refused],
  ['another loopback', 'http://127.8.9.10:PORT/', refused],
  ['the name of loopback', 'http://localhost:PORT/', refused],
  ['a name with a dot at its end', 'http://localhost.:PORT/', refused],
  ['an address with a dot at its end', 'http://127.0.0.1.:PORT/', refused],
  ['one decimal number', 'http://2130706433:PORT/', refused],
  ['octal parts', 'http://0177.0.0.01:PORT/', refused],
  ['one hexadecimal number', 'http://0x7f000001:PORT/', refused],
  ['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1:PORT/', refused],
  ['a short form', 'http://127.1:PORT/', refused],
  ['mixed forms', 'http://0x7f.1:PORT/', refused],
  ['digits percent-encoded', 'http://%31%32%37.0.0.1:PORT/', refused],
  ['full-width digits', 'http://１２７.０.０.１:PORT/', refused],
  ['circled digits', 'http://①②⑦.⓪.⓪.①:PORT/', refused],
  ['ideographic dots', 'http://127。0。0。1:PORT/', refused],
  ['full-width letters', 'http://ｌｏｃａｌｈｏｓｔ:PORT/', refused],
  ['the unspecified address', 'http://0.0.0.0:PORT/', refused],
  ['the unspecified address, short', 'http://0:PORT/', refused],
  ['IPv6 loopback', 'http://[::1]:PORT/', refused],
  ['IPv6 loopback in full', 'http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/', refused],
  ['IPv6 unspecified', 'http://[::]:PORT/', refused],
  ['IPv4-mapped', 'http://[::ffff:127.0.0.1]:PORT/', refused],
  ['IPv4-mapped in hexadecimal', 'http://[::ffff:7f00:1]:PORT/', refused],
  ['IPv4-compatible', 'http://[::127.0.0.1]:PORT/', refused],
  ['IPv4-translated', 'http://[::ffff:0:127.0.0.1]:PORT/', refused],
  ['NAT64', 'http://[64:ff9b::7f00:1]:PORT/', refused],
  ['NAT64, local prefix', 'http://[64:ff9b:1::7f00:1]:PORT/', refused],
  ['6to4', 'http://[2002:7f00:1::]:PORT/', refused],
  ['Teredo', 'http://[2001:0:7f00:1::]:PORT/', refused],
  ['a zone id', 'http://[fe80::1%25lo]:PORT/', invalid],
  ['a user before the host', 'http://example.com@127.0.0.1:PORT/', invalid],
  ['an empty user', 'http://@127.0.0.1:PORT/', invalid],
  ['a password', 'http://a:b@127.0.0.1:PORT/', invalid],
  ['a backslash before the host', 'http://example.com\\@127.0.0.1:PORT/', invalid],
  ['backslashes for slashes', 'http:\\\\127.0.0.1:PORT\\', invalid],
  ['a tab in the host', 'http://127.0.\t0.1:PORT/', invalid],
  ['a line break in the host', 'http://127.0.0.\n1:PORT/', invalid],
  ['blanks around', ' http://127.0.0.1:PORT/ ', invalid],
  ['a missing slash', 'http:/127.0.0.1:PORT/', refused],
  ['no slash', 'http:127.0.0.1:PORT/', refused],
  ['more slashes', 'http://///127.0.0.1:PORT/', refused],
  ['capital letters', 'HTTP://LOCALHOST:PORT/', refused],
  ['a second port', 'http://127.0.0.1:80:PORT/', invalid],
  ['no scheme', '//127.0.0.1:PORT/', invalid],
];

const ranges: [string, string][] = [
  ['private, 10', '10.0.0.1'],
  ['private, 172', '172.31.255.254'],
  ['private, 192', '192.168.1.1'],
  ['metadata of most clouds', '169.254.169.254'],
  ['metadata in IPv6', '[fd00:ec2::254]'],
  ['metadata behind a carrier’s address', '100.100.100.200'],
  ['the host agent of Azure', '168.63.129.16'],
  ['metadata of Oracle', '192.0.0.192'],
  ['link-local', '169.254.1.1'],
  ['link-local in IPv6', '[fe80::1]'],
  ['site-local', '[fec0::1]'],
  ['unique local', '[fc00::1]'],
  ['multicast', '224.0.0.251'],
  ['multicast in IPv6', '[ff02::1]'],
  ['broadcast', '255.255.255.255'],
  ['documentation', '192.0.2.1'],
  ['documentation in IPv6', '[2001:db8::1]'],
  ['benchmarks', '198.18.0.1'],
  ['reserved', '240.0.0.1'],
  ['the 6to4 relay', '192.88.99.1'],
  ['discard', '[100::1]'],
  ['outside of what is given out', '[4000::1]'],
];

const schemes = [
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:PORT/_GET',
  'data:text/plain,x',
  'unix:/run/x.sock',
  'javascript:1',
  'ws://127.0.0.1:PORT/',
];

type Options = Partial<OutboundOptions>;

/** Directly, and through a proxy that would connect to anything, so that only this server stands in between. */
const overProxy = async (protocol: 'http' | 'socks5', proxyDns: 'local' | 'proxy'): Promise<Options> => {
  const { address } = await startStandInProxy({ protocol, isOpen: true });
  return { proxyDns, proxy: { address, credentials: undefined, except: [] } };
};
const judged: [string, () => Promise<Options>][] = [
  ['directly', async () => ({})],
  ['through a proxy', () => overProxy('http', 'local')],
  ['through a SOCKS proxy', () => overProxy('socks5', 'local')],
];
const ways: typeof judged = [
  ...judged,
  ['through a proxy that looks up names', () => overProxy('http', 'proxy')],
  ['through a SOCKS proxy that looks up names', () => overProxy('socks5', 'proxy')],
];

describe.each(ways)('%s, an address', (_way, way) => {
  test.each(spellings)('that leads home is refused: %s', async (_, url, code) => {
    const victim = await startVictim();
    const outcome = await startClient(await way())(url.replaceAll('PORT', String(victim.port)));
    expect(outcome).toMatchObject({ code });
    expect(victim.reached()).toBe(0);
  });

  test.each(ranges)('that is not public is refused: %s', async (_, host) => {
    expect(await startClient(await way())(`http://${host}/`)).toMatchObject({ code: refused });
  });

  test.each(schemes)('of another scheme is refused: %s', async (url) => {
    const victim = await startVictim();
    expect(await startClient(await way())(url.replaceAll('PORT', String(victim.port)))).toMatchObject({
      code: refused,
    });
    expect(victim.reached()).toBe(0);
  });

  test('of this machine’s own network card is refused', async () => {
    const victim = await startVictim();
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const hosts = own.map(({ address, family }) =>
      family === 'IPv6' ? `[${address.replace(/%.*/, '')}]` : address,
    );
    expect(hosts.length).toBeGreaterThan(0);
    for (const host of hosts) {
      expect(await startClient(await way())(`http://${host}:${victim.port}/`), host).toMatchObject({
        code: refused,
      });
    }
    expect(victim.reached()).toBe(0);
  });
});

describe.each(judged)('%s, a name', (_way, way) => {
  test.each([
    ['a private address', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a public address and a private one', ['93.184.215.14', '127.0.0.1']],
    ['what is no address', ['localhost']],
  ])('that leads to %s is refused', async (_, addresses) => {
    const victim = await startVictim();
    const ask = startClient({ ...(await way()), resolve: async () => addresses });
    expect(await ask(`http://innocent.example:${victim.port}/`)).toMatchObject({ code: refused });
    expect(victim.reached()).toBe(0);
  });

  test('reveals nothing about the address behind it', async () => {
    const ask = startClient({ ...(await way()), resolve: async () => ['10.1.2.3'] });
    const { message } = await ask('http://intranet.example/');
    expect(message).toContain('intranet.example');
    expect(message).not.toContain('10.1.2.3');
  });

  test('that changes its address after the check is looked up once, and the first address is used', async () => {
    const victim = await startVictim('127.0.0.1');
    const answers = [['127.0.0.2'], ['127.0.0.1']];
    let lookups = 0;
    // 127.0.0.2 stands in for a public address: nothing listens there.
    const ask = startClient({
      ...(await way()),
      allow: ['127.0.0.2'],
      resolve: async () => answers[lookups++] ?? ['127.0.0.1'],
    });
    expect(await ask(`http://rebind.example:${victim.port}/`)).toMatchObject({ code: 'outbound_failed' });
    expect(lookups).toBe(1);
    expect(await ask(`http://rebind.example:${victim.port}/`)).toMatchObject({ code: refused });
    expect(victim.reached()).toBe(0);
  });

  test('is checked again although a connection to its old address is open', async () => {
    const site = await startSite((_request, response) => response.end('hello'), '127.0.0.2');
    const victim = await startVictim('127.0.0.1');
    let address = '127.0.0.2';
    const ask = startClient({ ...(await way()), allow: ['127.0.0.2'], resolve: async () => [address] });
    expect(await ask(`http://rebind.example:${site.port}/`)).toMatchObject({ body: 'hello' });
    address = '127.0.0.1';
    expect(await ask(`http://rebind.example:${site.port}/`)).toMatchObject({ code: refused });
    expect(victim.reached()).toBe(0);
  });
});

describe.each(ways)('%s, a redirect', (_way, way) => {
  test.each([
    ['loopback', 'http://127.0.0.1:PORT/'],
    ['a decimal address', 'http://2130706433:PORT/'],
    ['a mapped address', 'http://[::ffff:7f00:1]:PORT/'],
    ['an address without a scheme', '//127.0.0.1:PORT/'],
    ['a backslash', '/\\127.0.0.1:PORT/'],
    ['a user', 'http://x@127.0.0.1:PORT/'],
    ['another scheme', 'file:///etc/passwd'],
    ['a line break', 'http://127.0.0.1:PORT/%0d%0aX: y'],
  ])('to %s is refused', async (_, location) => {
    const victim = await startVictim();
    const site = await startSite((_request, response) => {
      response.writeHead(302, { location: location.replaceAll('PORT', String(victim.port)) }).end();
    }, '127.0.0.2');
    const ask = startClient({ ...(await way()), allow: ['127.0.0.2'] });
    expect(['outbound_refused', 'outbound_invalid']).toContain((await ask(site.url)).code);
    expect(victim.reached()).toBe(0);
  });

  test('at the end of a chain is refused too', async () => {
    const victim = await startVictim();
    const site = await startSite((request, response) => {
      const left = Number(request.url?.slice(1));
      response
        .writeHead(307, { location: left > 0 ? `/${left - 1}` : `http://127.0.0.1:${victim.port}/` })
        .end();
    }, '127.0.0.2');
    const ask = startClient({ ...(await way()), allow: ['127.0.0.2'] });
    expect(await ask(`${site.url}/3`)).toMatchObject({ code: refused });
    expect(victim.reached()).toBe(0);
  });
});

describe('the way there', () => {
  test('leads over no proxy of the environment', async () => {
    const proxy = await startVictim();
    const site = await startSite((_request, response) => response.end('direct'));
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'HTTPS_PROXY'])
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    expect(await startClient({ allow: ['127.0.0.1'] })(site.url)).toMatchObject({ body: 'direct' });
    expect(proxy.reached()).toBe(0);
  });

  test.each([
    ['a line break in a header’s value', { headers: { a: 'b\r\nHost: evil' } }],
    ['a line break in a header’s name', { headers: { 'a\r\nHost': 'evil' } }],
    ['another host', { headers: { Host: 'internal' } }],
    ['a body inside the body', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['a length of its own', { headers: { 'Content-Length': '1' } }],
    ['an upgrade', { headers: { Upgrade: 'h2c' } }],
    ['a tunnel', { method: 'CONNECT' }],
    ['an echo', { method: 'TRACE' }],
    ['a line break in the method', { method: 'GET / HTTP/1.1\r\nX: y\r\n\r\nGET' }],
  ])('takes no %s', async (_, more) => {
    const victim = await startVictim();
    const ask = startClient({ allow: ['127.0.0.1'] });
    expect(await ask(`http://127.0.0.1:${victim.port}/`, more)).toMatchObject({ code: invalid });
    expect(victim.reached()).toBe(0);
  });

  test('does not lead back to this server, though its address is allowed', async () => {
    const victim = await startVictim();
    const { port } = victim;
    const url = `http://127.0.0.1:${port}/`;
    for (const allow of [['127.0.0.0/8'], ['127.0.0.1'], ['localhost']]) {
      expect(await startClient({ allow, ownPort: () => port })(url)).toMatchObject({ code: refused });
    }
    expect(
      await startClient({ allow: ['localhost'], ownPort: () => port })(`http://localhost:${port}/`),
    ).toMatchObject({
      code: refused,
    });
    expect(victim.reached()).toBe(0);
    const named = startClient({ allow: [`127.0.0.1:${port}`], ownPort: () => port });
    expect(await named(url)).toMatchObject({ body: 'secret' });
  });
});
